#include "common/control/messages.h"

#include <algorithm>
#include <cstring>

#include "common/control/control_generated.h"
#include "common/control/message_bound.h"
#include "common/one_block_allocator.h"

namespace holdfast::control {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;
template <class T>
using Offset = flatbuffers::Offset<T>;
template <class T>
using List = flatbuffers::Vector<Offset<T>>;

constexpr const char* kRequestIdentifier = "HFCQ";
constexpr const char* kAnswerIdentifier = "HFCA";
constexpr std::size_t kIdentifierAt = 8, kIdentifierBytes = 4;
constexpr std::size_t kShortestBytes = kIdentifierAt + kIdentifierBytes + sizeof(std::uint32_t);
// Deeper or more than any message of ours: answer, status, dump; rows, and what else there is. A newer agent may have more rows.
constexpr flatbuffers::uoffset_t kMaxDepth = 8;
constexpr flatbuffers::uoffset_t kMaxTables = 4 * (kMaxWatchedClasses + kMaxWatchedAccounts + 256);

// Of requests: an agent does not do half of what a newer command wants.
constexpr auto kLastCommand = Command::kDetach;
constexpr auto kLastDumpKind = DumpKind::kExtended;
constexpr auto kLastCapture = CaptureChoice::kObjects;

bool aligned(const void* place) noexcept {
  return reinterpret_cast<std::uintptr_t>(place) % kMessageAlignment == 0;
}

// -- encoding --

// Builds inside `out`, then moves the message to its front: the builder works from the end.
template <class Write>
Result<std::span<const std::byte>> build(std::span<std::byte> out, std::size_t bound,
                                         std::size_t limit, const char* identifier,
                                         Write write) noexcept {
  if (!aligned(out.data())) return make_error(ErrorCode::kRefused);
  const std::size_t room = std::min(out.size(), limit) / kMessageAlignment * kMessageAlignment;
  if (bound > room) return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(bound));
  OneBlockAllocator allocator(out.first(room));
  Builder builder(room, &allocator);
  builder.FinishSizePrefixed(write(builder), identifier);
  const std::size_t bytes = builder.GetSize();
  std::memmove(out.data(), builder.GetBufferPointer(), bytes);
  return std::span<const std::byte>(out.first(bytes));
}

Offset<flatbuffers::String> text_of(Builder& builder, std::string_view text) noexcept {
  return text.empty() ? 0 : builder.CreateString(text.data(), text.size());
}

template <class Wire, std::size_t kMost, class Row, class Write>
Offset<List<Wire>> list_of(Builder& builder, std::span<const Row> rows, Write write) noexcept {
  Offset<Wire> offsets[kMost];
  for (std::size_t i = 0; i < rows.size(); ++i) offsets[i] = write(rows[i]);
  return builder.CreateVector(offsets, rows.size());
}

Offset<wire::Dump> dump_of(Builder& builder, const DumpProgress& d) noexcept {
  const auto path = text_of(builder, d.report_path);
  const auto note = text_of(builder, d.note.text);
  const auto missing = text_of(builder, d.missing.text);
  return wire::CreateDump(
      builder, d.number, static_cast<std::uint8_t>(d.trigger), static_cast<std::uint8_t>(d.stage),
      static_cast<std::uint8_t>(d.rung), d.extended, d.merged, d.asked_utc_ms, d.predicted_pause_ns,
      d.pause_limit_ns, d.pause_ns, d.elapsed_ns, d.report_bytes, path,
      static_cast<std::uint16_t>(d.error.code), d.error.line, d.error.detail, note, missing,
      d.objects, d.references, d.analysis_began_utc_ms, d.expected.basic_ns, d.expected.all_ns);
}

Offset<wire::HeapFigures> heap_of(Builder& builder, const HeapFigures& heap) noexcept {
  return wire::CreateHeapFigures(builder, heap.used_bytes, heap.committed_bytes, heap.max_bytes);
}

Offset<wire::Collections> collections_of(Builder& builder, const CollectionFigures& c) noexcept {
  return wire::CreateCollections(
      builder, c.young, c.full, c.pause_ns, c.used_after_bytes, c.max_bytes, c.cycles,
      c.last_pause_ns, c.heard.count, c.heard.since_utc_ms, c.heard.longest_pause_ns,
      c.heard.reclaimed_bytes, c.heard.before_bytes, c.heard.after_bytes);
}

struct StatusLists {
  Offset<List<wire::NamedBytes>> memory;
  Offset<List<wire::NamedText>> options;
  Offset<List<wire::TriggerState>> triggers;
  Offset<List<wire::Dump>> dumps;
};

StatusLists lists_of(Builder& b, const Status& s) noexcept {
  StatusLists lists;
  lists.memory = list_of<wire::NamedBytes, kMaxListed>(b, s.memory, [&](const NamedBytes& row) {
    return wire::CreateNamedBytes(b, text_of(b, row.name), row.bytes, row.peak_bytes);
  });
  lists.options = list_of<wire::NamedText, kMaxListed>(b, s.options, [&](const NamedText& row) {
    const auto name = text_of(b, row.name);
    return wire::CreateNamedText(b, name, text_of(b, row.text));
  });
  lists.triggers =
      list_of<wire::TriggerState, kMaxListed>(b, s.triggers, [&](const TriggerState& row) {
        const auto name = text_of(b, row.name);
        const auto setting = text_of(b, row.setting);
        const auto state = text_of(b, row.state);
        return wire::CreateTriggerState(b, name, setting, state, row.fired, row.refused);
      });
  lists.dumps = list_of<wire::Dump, DumpHistory::kMaxRememberedDumps>(
      b, s.dumps, [&](const DumpProgress& dump) { return dump_of(b, dump); });
  return lists;
}

bool lists_fit(const Status& s) noexcept {
  return s.memory.size() <= kMaxListed && s.options.size() <= kMaxListed &&
         s.triggers.size() <= kMaxListed && s.dumps.size() <= DumpHistory::kMaxRememberedDumps;
}

Offset<wire::Status> status_of(Builder& b, const Status& s) noexcept {
  const StatusLists lists = lists_of(b, s);
  const auto tool = text_of(b, s.tool_version), vm = text_of(b, s.vm_name);
  const auto version = text_of(b, s.vm_version), vendor = text_of(b, s.vm_vendor);
  const auto main_name = text_of(b, s.main_name), collector = text_of(b, s.collector);
  const auto host = text_of(b, s.host), container = text_of(b, s.container);
  const auto dir = text_of(b, s.dir), refusal = text_of(b, s.frozen_refusal);
  const auto build = text_of(b, s.build_description);
  const auto last_extended =
      s.last_extended == nullptr ? Offset<wire::Dump>() : dump_of(b, *s.last_extended);
  const auto heap = heap_of(b, s.heap);
  const auto collections = collections_of(b, s.collections);
  const auto requests =
      wire::CreateGateCounts(b, s.requests.accepted, s.requests.merged, s.requests.refused_cooldown,
                             s.requests.refused_closed);
  return wire::CreateStatus(b, tool, vm, version, vendor, main_name, collector, host, container,
                            s.pid, s.utc_ms, s.vm_uptime_ms, s.agent_uptime_ms, s.agent_cpu_ns, dir,
                            refusal, s.memory_limit_bytes, s.memory_used_bytes, s.memory_peak_bytes,
                            lists.memory, heap, collections, requests, s.reports, s.failed,
                            s.connections, s.connections_refused, s.watchers, lists.options,
                            lists.triggers, lists.dumps, last_extended, build);
}

Offset<wire::Histogram> histogram_of(Builder& b, const ClassHistogram& h) noexcept {
  const auto rows =
      list_of<wire::HistogramRow, kMaxWatchedClasses>(b, h.rows, [&](const HistogramRow& row) {
        const auto name = text_of(b, row.name);
        return wire::CreateHistogramRow(b, row.identity, row.instances, row.shallow_bytes, name);
      });
  const auto heap = heap_of(b, h.heap);
  return wire::CreateHistogram(b, h.sequence, h.taken_utc_ms, h.reachable_only, h.pause_ns,
                               h.cost_ns, heap, h.total_instances, h.total_bytes, h.classes, rows);
}

Offset<wire::Accounts> accounts_of(Builder& b, const WatchedAccounts& a) noexcept {
  if (!a.on) return 0;
  const auto rows =
      list_of<wire::AccountTotal, kMaxWatchedAccounts>(b, a.rows, [&](const WatchedAccount& row) {
        const auto name = text_of(b, row.name);
        const WatchedAmount &all = row.allocated, &live = row.live;
        return wire::CreateAccountTotal(b, name, all.objects, all.bytes, all.objects_error,
                                        all.bytes_error, live.objects, live.bytes,
                                        live.objects_error, live.bytes_error);
      });
  return wire::CreateAccounts(b, a.left_out, a.exact, a.live_known, a.began_utc_ms, a.total, rows);
}

Offset<wire::Ages> ages_of(Builder& b, const AgeVerdict& a) noexcept {
  if (!a.on) return 0;
  const auto suspects = list_of<wire::AgeSuspect, kMostAgeSuspects>(
      b, std::span(a.suspects).first(std::min<std::size_t>(a.count, kMostAgeSuspects)),
      [&](const AgeSuspect& s) {
        const auto name = text_of(b, s.name);
        return wire::CreateAgeSuspect(b, name, s.instances, s.shallow_bytes, s.more_instances,
                                      s.more_bytes, s.collections, s.window_ms, s.looks,
                                      s.old_samples, s.ages, s.old_percent, s.confidence_percent);
      });
  return wire::CreateAges(b, a.collections, a.utc_ms, a.candidates, a.looks, suspects);
}

Offset<wire::Answer> answer_of(Builder& b, const Answer& a) noexcept {
  Offset<wire::Refusal> refusal;
  Offset<wire::Pong> pong;
  Offset<wire::Status> status;
  Offset<wire::Dump> progress;
  Offset<flatbuffers::String> text;
  Offset<wire::Histogram> histogram;
  Offset<wire::Collections> collections;
  Offset<wire::Accounts> accounts;
  Offset<wire::Ages> ages;
  switch (a.kind) {
    case AnswerKind::kRefused:
      text = text_of(b, a.refusal.text);
      refusal = wire::CreateRefusal(b, static_cast<std::uint8_t>(a.refusal.kind), text);
      text = 0;
      break;
    case AnswerKind::kPong:
      pong = wire::CreatePong(b, text_of(b, a.pong.tool_version), a.pong.pid);
      break;
    case AnswerKind::kStatus:
      status = status_of(b, a.status);
      break;
    case AnswerKind::kProgress:
      progress = dump_of(b, a.progress);
      break;
    case AnswerKind::kDone:
      text = text_of(b, a.text);
      break;
    case AnswerKind::kHistogram:
      histogram = histogram_of(b, a.histogram);
      collections = collections_of(b, a.collections);
      accounts = accounts_of(b, a.histogram.accounts);
      ages = ages_of(b, a.ages);
      break;
  }
  return wire::CreateAnswer(b, kMajor, kMinor, static_cast<std::uint8_t>(a.kind), a.last, refusal,
                            pong, status, progress, text, histogram, collections, accounts, ages);
}

// -- decoding --

template <class Enum>
bool read_enum(unsigned value, Enum last, Enum& out) noexcept {
  if (value > static_cast<unsigned>(last)) return false;
  out = static_cast<Enum>(value);
  return true;
}

std::string_view view(const flatbuffers::String* text) noexcept {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

// As much of it as fits, and no half code point.
std::string_view cut_text(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0u) == 0x80u) --most;
  return text.substr(0, most);
}

template <std::size_t kCapacity>
bool copy_text(const flatbuffers::String* from, char (&to)[kCapacity]) noexcept {
  const std::string_view text = cut_text(view(from), kCapacity - 1);
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return true;
}

// A path that is cut is another file's.
template <std::size_t kCapacity>
bool copy_path(const flatbuffers::String* from, char (&to)[kCapacity]) noexcept {
  return view(from).size() < kCapacity && copy_text(from, to);
}

// The root, when everything that it leads to lies inside the message.
template <class Root>
Result<const Root*> open_message(std::span<const std::byte> message, std::size_t limit,
                                 const char* identifier) noexcept {
  if (message.size() > limit)
    return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(limit));
  if (!aligned(message.data())) return make_error(ErrorCode::kRefused);
  if (message.size() < kShortestBytes || message_bytes(message) != message.size())
    return make_error(ErrorCode::kDamaged);
  if (std::memcmp(message.data() + kIdentifierAt, identifier, kIdentifierBytes) != 0)
    return make_error(ErrorCode::kNotOurs);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message.data());
  flatbuffers::Verifier outside(bytes, message.size(), kMaxDepth, kMaxTables);
  if (!outside.VerifySizePrefixedBuffer<wire::Envelope>(identifier))
    return make_error(ErrorCode::kDamaged);
  const std::uint16_t major = flatbuffers::GetSizePrefixedRoot<wire::Envelope>(bytes)->major();
  if (major > kMajor) return make_error(ErrorCode::kNewerVersion, major);
  if (major < kMajor) return make_error(ErrorCode::kDamaged, major);
  flatbuffers::Verifier inside(bytes, message.size(), kMaxDepth, kMaxTables);
  if (!inside.VerifySizePrefixedBuffer<Root>(identifier)) return make_error(ErrorCode::kDamaged);
  return flatbuffers::GetSizePrefixedRoot<Root>(bytes);
}

bool read_dump(const wire::Dump& from, DumpProgress& to) noexcept {
  to = DumpProgress{};
  to.number = from.number();
  to.extended = from.extended();
  to.merged = from.merged();
  to.asked_utc_ms = from.asked_utc_ms();
  to.predicted_pause_ns = from.predicted_pause_ns();
  to.pause_limit_ns = from.pause_limit_ns();
  to.pause_ns = from.pause_ns();
  to.elapsed_ns = from.elapsed_ns();
  to.report_bytes = from.report_bytes();
  to.error.line = from.error_line();
  to.error.detail = from.error_detail();
  to.trigger = static_cast<Trigger>(from.trigger());
  to.stage = static_cast<DumpStage>(from.stage());
  to.rung = static_cast<CaptureRung>(from.rung());
  to.error.code = static_cast<ErrorCode>(from.error_code());
  to.objects = from.objects();
  to.references = from.references();
  to.analysis_began_utc_ms = from.analysis_began_utc_ms();
  to.expected = {from.expected_basic_ns(), from.expected_ns()};
  return copy_path(from.report_path(), to.report_path) && copy_text(from.note(), to.note.text) &&
         copy_text(from.not_complete(), to.missing.text);
}

HeapFigures read_heap(const wire::HeapFigures* from) noexcept {
  if (from == nullptr) return {};
  return {from->used_bytes(), from->committed_bytes(), from->max_bytes()};
}

CollectionFigures read_collections(const wire::Collections* from) noexcept {
  if (from == nullptr) return {};
  CollectionFigures figures{from->young(),     from->full(),
                            from->pause_ns(),  from->used_after_bytes(),
                            from->max_bytes(), from->cycles()};
  figures.last_pause_ns = from->last_pause_ns();
  figures.heard = {from->heard(),           from->heard_since_utc_ms(), from->longest_pause_ns(),
                   from->reclaimed_bytes(), from->before_bytes(),       from->after_bytes()};
  return figures;
}

// The first rows, as many as there is room for. False: `read` refuses one.
template <class Wire, class Row, std::size_t kMost, class Read>
bool read_list(const List<Wire>* from, Row (&room)[kMost], std::span<const Row>& to,
               std::uint32_t& left_out, Read read) noexcept {
  const std::size_t all = from == nullptr ? 0 : from->size();
  const std::size_t count = std::min(all, kMost);
  left_out += static_cast<std::uint32_t>(all - count);
  for (std::size_t i = 0; i < count; ++i)
    if (!read(*from->Get(static_cast<flatbuffers::uoffset_t>(i)), room[i])) return false;
  to = std::span<const Row>(room, count);
  return true;
}

bool read_lists(const wire::Status& from, Status& to, AnswerRoom& room,
                std::uint32_t& left_out) noexcept {
  const auto bytes = [](const wire::NamedBytes& w, NamedBytes& row) {
    row = {view(w.name()), w.bytes(), w.peak_bytes()};
    return true;
  };
  const auto text = [](const wire::NamedText& w, NamedText& row) {
    row = {view(w.name()), view(w.text())};
    return true;
  };
  const auto trigger = [](const wire::TriggerState& w, TriggerState& row) {
    row = {view(w.name()), view(w.setting()), view(w.state()), w.fired(), w.refused()};
    return true;
  };
  return read_list(from.memory(), room.memory, to.memory, left_out, bytes) &&
         read_list(from.options(), room.options, to.options, left_out, text) &&
         read_list(from.triggers(), room.triggers, to.triggers, left_out, trigger) &&
         read_list(from.dumps(), room.dumps, to.dumps, left_out, &read_dump);
}

bool read_status(const wire::Status* from, Status& to, AnswerRoom& room,
                 std::uint32_t& left_out) noexcept {
  if (from == nullptr) return false;
  to.tool_version = view(from->tool_version());
  to.vm_name = view(from->vm_name());
  to.vm_version = view(from->vm_version());
  to.vm_vendor = view(from->vm_vendor());
  to.main_name = view(from->main_name());
  to.collector = view(from->collector());
  to.host = view(from->host());
  to.container = view(from->container());
  to.pid = from->pid();
  to.utc_ms = from->utc_ms();
  to.vm_uptime_ms = from->vm_uptime_ms();
  to.agent_uptime_ms = from->agent_uptime_ms();
  to.agent_cpu_ns = from->agent_cpu_ns();
  to.dir = view(from->dir());
  to.frozen_refusal = view(from->frozen_refusal());
  to.memory_limit_bytes = from->memory_limit_bytes();
  to.memory_used_bytes = from->memory_used_bytes();
  to.memory_peak_bytes = from->memory_peak_bytes();
  to.heap = read_heap(from->heap());
  to.collections = read_collections(from->collections());
  if (const wire::GateCounts* const counts = from->requests())
    to.requests = {counts->accepted(), counts->merged(), counts->refused_cooldown(),
                   counts->refused_closed()};
  to.reports = from->reports();
  to.failed = from->failed();
  to.connections = from->connections();
  to.connections_refused = from->connections_refused();
  to.watchers = from->watchers();
  if (const wire::Dump* const dump = from->last_extended()) {
    if (!read_dump(*dump, room.last_extended)) return false;
    to.last_extended = &room.last_extended;
  }
  to.build_description = view(from->build_description());
  return read_lists(*from, to, room, left_out);
}

bool read_histogram(const wire::Histogram* from, ClassHistogram& to, AnswerRoom& room,
                    std::uint32_t& left_out) noexcept {
  if (from == nullptr) return false;
  to.sequence = from->sequence();
  to.taken_utc_ms = from->taken_utc_ms();
  to.reachable_only = from->reachable_only();
  to.pause_ns = from->pause_ns();
  to.cost_ns = from->cost_ns();
  to.heap = read_heap(from->heap());
  to.total_instances = from->total_instances();
  to.total_bytes = from->total_bytes();
  to.classes = from->classes();
  return read_list(from->rows(), room.rows, to.rows, left_out,
                   [](const wire::HistogramRow& w, HistogramRow& row) {
                     row.identity = w.identity();
                     row.instances = w.instances();
                     row.shallow_bytes = w.shallow_bytes();
                     return copy_text(w.name(), row.name);
                   });
}

bool read_accounts(const wire::Accounts* from, WatchedAccounts& to, AnswerRoom& room,
                   std::uint32_t& left_out) noexcept {
  if (from == nullptr) return true;
  to.on = true;
  to.left_out = from->left_out();
  to.exact = from->exact();
  to.live_known = from->live_known();
  to.began_utc_ms = from->began_utc_ms();
  to.total = from->total();
  return read_list(
      from->rows(), room.accounts, to.rows, left_out,
      [](const wire::AccountTotal& w, WatchedAccount& row) {
        row.allocated = {w.allocated_objects(), w.allocated_bytes(), w.allocated_objects_error(),
                         w.allocated_bytes_error()};
        row.live = {w.live_objects(), w.live_bytes(), w.live_objects_error(), w.live_bytes_error()};
        return copy_text(w.name(), row.name);
      });
}

bool read_ages(const wire::Ages* from, AgeVerdict& to, std::uint32_t& left_out) noexcept {
  if (from == nullptr) return true;
  to.on = true;
  to.collections = from->collections();
  to.utc_ms = from->utc_ms();
  to.candidates = from->candidates();
  to.looks = from->looks();
  std::span<const AgeSuspect> suspects;
  const bool read = read_list(from->suspects(), to.suspects, suspects, left_out,
                              [](const wire::AgeSuspect& w, AgeSuspect& s) {
                                s.instances = w.instances();
                                s.shallow_bytes = w.shallow_bytes();
                                s.more_instances = w.more_instances();
                                s.more_bytes = w.more_bytes();
                                s.collections = w.collections();
                                s.window_ms = w.window_ms();
                                s.looks = w.looks();
                                s.old_samples = w.old_samples();
                                s.ages = w.ages();
                                s.old_percent = w.old_percent();
                                s.confidence_percent = w.confidence_percent();
                                return copy_text(w.name(), s.name);
                              });
  to.count = static_cast<std::uint32_t>(suspects.size());
  return read;
}

bool read_refusal(const wire::Refusal* from, Refusal& to) noexcept {
  if (from == nullptr) return false;
  to.text = view(from->text());
  to.kind = static_cast<RefusalKind>(from->kind());
  return true;
}

bool read_pong(const wire::Pong* from, Pong& to) noexcept {
  if (from == nullptr) return false;
  to = {view(from->tool_version()), from->pid()};
  return true;
}

bool read_body(const wire::Answer& from, Answer& to, AnswerRoom& room) noexcept {
  switch (to.kind) {
    case AnswerKind::kRefused:
      return read_refusal(from.refusal(), to.refusal);
    case AnswerKind::kPong:
      return read_pong(from.pong(), to.pong);
    case AnswerKind::kStatus:
      return read_status(from.status(), to.status, room, to.left_out);
    case AnswerKind::kProgress:
      return from.progress() != nullptr && read_dump(*from.progress(), to.progress);
    case AnswerKind::kDone:
      to.text = view(from.text());
      return true;
    case AnswerKind::kHistogram:
      to.collections = read_collections(from.collections());
      return read_histogram(from.histogram(), to.histogram, room, to.left_out) &&
             read_accounts(from.accounts(), to.histogram.accounts, room, to.left_out) &&
             read_ages(from.ages(), to.ages, to.left_out);
  }
  return true;  // of a kind that is not known here: who asked decides
}

}  // namespace

std::uint64_t message_bytes(std::span<const std::byte> begun) noexcept {
  if (begun.size() < kSizeBytes) return 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i)
    bytes |= std::to_integer<std::uint64_t>(begun[i]) << (8 * i);
  return bytes + kSizeBytes;
}

Result<std::span<const std::byte>> encode_request(const Request& request,
                                                  std::span<std::byte> out) noexcept {
  const auto write = [&](Builder& b) {
    const auto file = text_of(b, request.file);
    const auto options = text_of(b, request.options);
    const auto analyses = text_of(b, request.analyses);
    return wire::CreateRequest(b, kMajor, kMinor, static_cast<std::uint8_t>(request.command),
                               static_cast<std::uint8_t>(request.kind),
                               static_cast<std::uint8_t>(request.capture), request.snapshot,
                               request.pause_limit_ns, file, options, request.interval_ms,
                               request.classes, request.number, analyses);
  };
  return build(out, request_bound(request), kMaxRequestBytes, kRequestIdentifier, write);
}

Result<std::span<const std::byte>> encode_answer(const Answer& answer,
                                                 std::span<std::byte> out) noexcept {
  if (!lists_fit(answer.status)) return make_error(ErrorCode::kTooMany, kMaxListed);
  if (answer.histogram.rows.size() > kMaxWatchedClasses)
    return make_error(ErrorCode::kTooMany, kMaxWatchedClasses);
  if (answer.histogram.accounts.rows.size() > kMaxWatchedAccounts)
    return make_error(ErrorCode::kTooMany, kMaxWatchedAccounts);
  const auto write = [&](Builder& b) { return answer_of(b, answer); };
  return build(out, answer_bound(answer), kMaxAnswerBytes, kAnswerIdentifier, write);
}

Result<Request> decode_request(std::span<const std::byte> message) noexcept {
  HF_TRY(root, open_message<wire::Request>(message, kMaxRequestBytes, kRequestIdentifier));
  Request request;
  request.snapshot = root->snapshot();
  request.pause_limit_ns = root->pause_limit_ns();
  request.file = view(root->file());
  request.options = view(root->options());
  request.analyses = view(root->analyses());
  request.interval_ms = root->interval_ms();
  request.classes = root->classes();
  request.number = root->number();
  if (!read_enum(root->command(), kLastCommand, request.command) ||
      !read_enum(root->kind(), kLastDumpKind, request.kind) ||
      !read_enum(root->capture(), kLastCapture, request.capture))
    return make_error(root->minor() > kMinor ? ErrorCode::kUnsupported : ErrorCode::kDamaged,
                      root->command());
  return request;
}

Result<Answer> decode_answer(std::span<const std::byte> message, AnswerRoom& room) noexcept {
  HF_TRY(root, open_message<wire::Answer>(message, kMaxAnswerBytes, kAnswerIdentifier));
  Answer answer;
  answer.last = root->last();
  answer.kind = static_cast<AnswerKind>(root->kind());
  if (!read_body(*root, answer, room)) return make_error(ErrorCode::kDamaged);
  return answer;
}

}  // namespace holdfast::control
