#include "common/control/control_commands.h"

#include <algorithm>
#include <cstdio>

#include "common/control/control_status.h"
#include "common/control/run_time_options.h"
#include "common/control/watch_pace.h"
#include "common/log.h"
#include "common/option_text.h"
#include "common/version.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::control {

void ControlCommands::open(DumpEngine& engine, ControlMemory& memory, const ControlCalls& calls,
                           ControlCounts& counts) noexcept {
  engine_ = &engine;
  memory_ = &memory;
  calls_ = calls;
  counts_ = &counts;
  histograms_ = histograms_of(engine);
  opened_at_ns_ = platforms::monotonic_ns();
}

// -- answers --

void ControlCommands::answer(Client& client, const Answer& answer) noexcept {
  const std::span<std::byte> room = memory_->answer_room();
  client.finished = answer.last;
  auto message = encode_answer(answer, room);
  if (!message) {
    Answer refused;
    refused.kind = AnswerKind::kRefused;
    refused.refusal = {RefusalKind::kFailed, "the answer does not fit into a message"};
    client.finished = true;
    message = encode_answer(refused, room);
  }
  client.broken = !message || !client.connection.send(*message);
}

void ControlCommands::done(Client& client, std::string_view text) noexcept {
  Answer done;
  done.kind = AnswerKind::kDone;
  done.text = text;
  answer(client, done);
}

void ControlCommands::refuse(Client& client, RefusalKind kind, std::string_view text) noexcept {
  Answer refused;
  refused.kind = AnswerKind::kRefused;
  refused.refusal = {kind, text};
  answer(client, refused);
}

// -- requests --

bool ControlCommands::begin(Client& client, std::span<const std::byte> message) noexcept {
  const Result<Request> request = decode_request(message);
  if (request) {
    obey(client, *request);
    return true;
  }
  const ErrorCode code = request.error().code;
  client.broken = code != ErrorCode::kNewerVersion && code != ErrorCode::kUnsupported;
  if (client.broken) return false;
  refuse(client, RefusalKind::kNotUnderstood, "the command is newer than this agent");
  return true;
}

void ControlCommands::obey(Client& client, const Request& request) noexcept {
  switch (request.command) {
    case Command::kPing:
      return ping(client);
    case Command::kStatus:
      return status(client);
    case Command::kDump:
      return dump(client, request);
    case Command::kCancel:
      return cancel(client, request);
    case Command::kSet:
      return set(client, request);
    case Command::kWatch:
      return watch(client, request);
    case Command::kDetach:
      return detach(client);
  }
}

void ControlCommands::ping(Client& client) noexcept {
  Answer pong;
  pong.kind = AnswerKind::kPong;
  pong.pong = {kVersion, platforms::process_id()};
  answer(client, pong);
}

void ControlCommands::status(Client& client) noexcept {
  StatusRoom room;
  Answer about;
  about.kind = AnswerKind::kStatus;
  about.status = read_status(*engine_, calls_, *counts_, opened_at_ns_, room);
  answer(client, about);
}

void ControlCommands::cancel(Client& client, const Request& request) noexcept {
  const DumpEngine::CancelAnswer cancelled = engine_->cancel_dumps(request.number);
  if (cancelled == DumpEngine::CancelAnswer::kShared)
    return refuse(client, RefusalKind::kRefused, "others wait for this dump too");
  if (cancelled == DumpEngine::CancelAnswer::kNothing)
    return refuse(client, RefusalKind::kRefused,
                  request.number == 0 ? "no dump is waiting or running"
                                      : "this dump is neither waiting nor running");
  done(client, "the dump is given up");
}

void ControlCommands::detach(Client& client) noexcept {
  if (calls_.detach_requested == nullptr)
    return refuse(client, RefusalKind::kRefused, "this agent cannot leave its process");
  log_line(LogLevel::kInfo, "detach: asked for over the control socket");
  client.detach = true;
  done(client, "the agent leaves the process");
}

// What is in force now of the keys that were named.
void ControlCommands::set(Client& client, const Request& request) noexcept {
  Options options = engine_->options();
  OptionError error;
  std::uint32_t changed = 0;
  if (!change_run_time_options(request.options, options, changed, error))
    return refuse(client, RefusalKind::kWrongUsage, error.text);
  engine_->change_options(options);
  set_log_level(options.log);
  if (calls_.changed != nullptr) calls_.changed(calls_.context, options);
  char text[kMaxOptionText] = "";
  std::size_t used = 0;
  const auto table = option_table();
  for (std::size_t i = 0; i < table.size() && used < sizeof text; ++i) {
    if ((changed >> i & 1u) == 0) continue;
    OptionText room;
    const std::string_view value = option_text(options, table[i].key, room);
    used += static_cast<std::size_t>(
        std::snprintf(text + used, sizeof text - used, "%s%.*s=%.*s", used == 0 ? "" : ",",
                      static_cast<int>(table[i].key.size()), table[i].key.data(),
                      static_cast<int>(value.size()), value.data()));
  }
  log_line(LogLevel::kInfo, "set: %s", text);
  done(client, text);
}

// -- dump --

void ControlCommands::dump(Client& client, const Request& request) noexcept {
  DumpRequest wanted;
  wanted.trigger = Trigger::kCommand;
  wanted.kind = request.kind;
  wanted.capture = request.capture;
  wanted.pause_limit_ns = request.pause_limit_ns;
  wanted.snapshot = request.snapshot;
  wanted.asked_at_ns = platforms::monotonic_ns();
  OptionError error;
  if (!request.file.empty() && !read_file_pattern(request.file, wanted.file, error))
    return refuse(client, RefusalKind::kWrongUsage, error.text);
  if (!request.analyses.empty() && !read_analyses(request.analyses, wanted.analyses, error))
    return refuse(client, RefusalKind::kWrongUsage, error.text);
  const GateAnswer taken = engine_->request(wanted, &client.dump_number);
  const std::string_view name = gate_answer_name(taken);
  log_line(LogLevel::kInfo, "dump (command): %.*s", static_cast<int>(name.size()), name.data());
  if (client.dump_number == 0)
    return refuse(client, RefusalKind::kRefused,
                  "no dump is taken: the VM is not ready yet, or it ends");
  client.waits = Waits::kDump;
  tell_progress(client);
}

void ControlCommands::tell_progress(Client& client) noexcept {
  Answer news;
  news.kind = AnswerKind::kProgress;
  if (!engine_->progress(client.dump_number, news.progress))
    return refuse(client, RefusalKind::kFailed, "too many dumps since then: this one is forgotten");
  client.look_at_ns = platforms::monotonic_ns() + kLookAnywayNs;
  const bool is_basic = news.progress.report_path[0] != '\0';
  const std::uint64_t expected_ns = news.progress.expected.all_ns;
  if (client.told && client.told_stage == news.progress.stage && client.told_basic == is_basic &&
      client.told_expected_ns == expected_ns)
    return;
  client.told = true;
  client.told_stage = news.progress.stage;
  client.told_basic = is_basic;
  client.told_expected_ns = expected_ns;
  news.last = ended(news.progress);
  answer(client, news);
}

// -- watch --

void ControlCommands::watch(Client& client, const Request& request) noexcept {
  if (memory_->take_histogram_room().empty())
    return refuse(client, RefusalKind::kRefused, "memory= leaves no room for watching");
  if (const Result<void> begun = histograms_.begin(histograms_.context); !begun) {
    if (counts_->watchers == 0) memory_->give_back_histogram_room();
    return refuse(client, RefusalKind::kRefused,
                  begun.error().code == ErrorCode::kOutOfBudget
                      ? "memory= leaves no room for watching"
                      : error_text(begun.error().code));
  }
  ++counts_->watchers;
  client.waits = Waits::kHistograms;
  client.interval_ms = request.interval_ms;
  client.classes =
      request.classes == 0 ? kMaxWatchedClasses : std::min(request.classes, kMaxWatchedClasses);
  wish(client, platforms::monotonic_ns());
}

void ControlCommands::wish(Client& client, std::uint64_t now_ns) noexcept {
  histograms_.visit(
      histograms_.context,
      [](void* sequence, const ClassHistogram& histogram) noexcept {
        *static_cast<std::uint32_t*>(sequence) = histogram.sequence;
      },
      &client.sequence_before);
  client.wished = true;
  client.wished_at_ns = now_ns;
  client.look_at_ns = now_ns + kLookAnywayNs;
  if (!histograms_.want(histograms_.context))
    refuse(client, RefusalKind::kRefused, "the VM takes no more histograms");
}

namespace {

struct Telling {
  const Client& client;
  std::span<std::byte> room;
  CollectionFigures collections;
  AgeVerdict ages;
  Result<std::span<const std::byte>> message = std::span<const std::byte>{};  // empty: nothing new
  std::uint64_t cost_ns = 0;
};

// Under the engine's lock: up to 2,000 rows become a message here (about 0.3 ms), so that no copy of them is needed.
void write_histogram(void* raw, const ClassHistogram& histogram) noexcept {
  auto& telling = *static_cast<Telling*>(raw);
  if (histogram.sequence <= telling.client.sequence_before) return;
  Answer news;
  news.kind = AnswerKind::kHistogram;
  news.last = false;
  news.histogram = histogram;
  news.histogram.rows =
      histogram.rows.first(std::min<std::size_t>(histogram.rows.size(), telling.client.classes));
  news.collections = telling.collections;
  news.ages = telling.ages;
  telling.cost_ns = std::max(histogram.pause_ns, histogram.cost_ns);
  telling.message = encode_answer(news, telling.room);
}

}  // namespace

void ControlCommands::tell_histogram(Client& client, std::uint64_t now_ns) noexcept {
  Telling telling{client, memory_->histogram_room(), engine_->adapter().collections(),
                  engine_->age_board().read()};
  histograms_.visit(histograms_.context, &write_histogram, &telling);
  client.look_at_ns = now_ns + kLookAnywayNs;
  if (telling.message && telling.message->empty()) return;
  client.wished = false;
  client.look_at_ns = client.wished_at_ns + watch_interval_ns(client.interval_ms, telling.cost_ns);
  client.broken = !telling.message || !client.connection.send(*telling.message);
}

// -- what lasts --

void ControlCommands::look(Client& client) noexcept {
  if (client.connection.blocked() || client.finished || client.broken) return;
  if (client.waits == Waits::kDump) tell_progress(client);
  if (client.waits != Waits::kHistograms) return;
  const std::uint64_t now_ns = platforms::monotonic_ns();
  if (client.wished) tell_histogram(client, now_ns);
  if (client.broken) return;
  const bool overdue = client.wished && now_ns - client.wished_at_ns >= kWishAgainNs;
  if (overdue || (!client.wished && now_ns >= client.look_at_ns)) wish(client, now_ns);
}

void ControlCommands::end(Client& client) noexcept {
  if (client.waits != Waits::kHistograms) return;
  client.waits = Waits::kNothing;
  histograms_.end(histograms_.context);
  if (--counts_->watchers == 0) memory_->give_back_histogram_room();
}

}  // namespace holdfast::control
