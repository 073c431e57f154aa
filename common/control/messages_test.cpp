#include "common/control/messages.h"

#include <doctest/doctest.h>

#include <string>

#include "common/control/message_bound.h"
#include "common/control/messages_fixture.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

using Bytes = std::vector<std::byte>;

Bytes encoded(const Answer& answer) {
  const MessageBuffer buffer;
  const auto message = encode_answer(answer, buffer.all());
  REQUIRE(message.ok());
  return {message->begin(), message->end()};
}

Bytes encoded(const Request& request) {
  const MessageBuffer buffer;
  const auto message = encode_request(request, buffer.all());
  REQUIRE(message.ok());
  return {message->begin(), message->end()};
}

void set_size(Bytes& message, std::size_t bytes) {
  for (std::size_t i = 0; i < kSizeBytes; ++i)
    message[i] = static_cast<std::byte>((bytes - kSizeBytes) >> (8 * i));
}

// Where a field of 2 bytes with this value stands; the versions are the only ones in their samples.
std::size_t find_word(const Bytes& message, std::uint16_t value) {
  for (std::size_t i = 12; i + 1 < message.size(); ++i)
    if (message[i] == std::byte(value & 0xFFu) && message[i + 1] == std::byte(value >> 8)) return i;
  return 0;
}

void check_same(const DumpProgress& a, const DumpProgress& b) {
  CHECK(a.number == b.number);
  CHECK(a.trigger == b.trigger);
  CHECK(a.stage == b.stage);
  CHECK(a.rung == b.rung);
  CHECK(a.extended == b.extended);
  CHECK(a.merged == b.merged);
  CHECK(a.asked_utc_ms == b.asked_utc_ms);
  CHECK(a.predicted_pause_ns == b.predicted_pause_ns);
  CHECK(a.pause_limit_ns == b.pause_limit_ns);
  CHECK(a.pause_ns == b.pause_ns);
  CHECK(a.elapsed_ns == b.elapsed_ns);
  CHECK(a.report_bytes == b.report_bytes);
  CHECK(a.objects == b.objects);
  CHECK(a.references == b.references);
  CHECK(a.analysis_began_utc_ms == b.analysis_began_utc_ms);
  CHECK(a.expected.basic_ns == b.expected.basic_ns);
  CHECK(a.expected.all_ns == b.expected.all_ns);
  CHECK(std::string(a.report_path) == b.report_path);
  CHECK(a.error.code == b.error.code);
  CHECK(a.error.line == b.error.line);
  CHECK(a.error.detail == b.error.detail);
  CHECK(std::string(a.note.text) == b.note.text);
}

void check_same_texts(const Status& a, const Status& b) {
  CHECK(a.tool_version == b.tool_version);
  CHECK(a.build_description == b.build_description);
  CHECK(a.vm_name == b.vm_name);
  CHECK(a.vm_version == b.vm_version);
  CHECK(a.vm_vendor == b.vm_vendor);
  CHECK(a.main_name == b.main_name);
  CHECK(a.collector == b.collector);
  CHECK(a.host == b.host);
  CHECK(a.container == b.container);
  CHECK(a.dir == b.dir);
  CHECK(a.frozen_refusal == b.frozen_refusal);
}

void check_same_figures(const Status& a, const Status& b) {
  const auto figures = [](const Status& s) {
    return std::vector<std::uint64_t>{s.pid,
                                      s.utc_ms,
                                      s.vm_uptime_ms,
                                      s.agent_uptime_ms,
                                      s.agent_cpu_ns,
                                      s.memory_limit_bytes,
                                      s.memory_used_bytes,
                                      s.memory_peak_bytes,
                                      s.heap.used_bytes,
                                      s.heap.committed_bytes,
                                      s.heap.max_bytes,
                                      s.collections.young,
                                      s.collections.full,
                                      s.collections.pause_ns,
                                      s.collections.used_after_bytes,
                                      s.collections.max_bytes,
                                      s.collections.cycles,
                                      s.collections.last_pause_ns,
                                      s.collections.heard.count,
                                      s.collections.heard.since_utc_ms,
                                      s.collections.heard.longest_pause_ns,
                                      s.collections.heard.reclaimed_bytes,
                                      s.collections.heard.before_bytes,
                                      s.collections.heard.after_bytes,
                                      s.requests.accepted,
                                      s.requests.merged,
                                      s.requests.refused_cooldown,
                                      s.requests.refused_closed,
                                      s.reports,
                                      s.failed,
                                      s.connections,
                                      s.connections_refused,
                                      s.watchers};
  };
  CHECK(figures(a) == figures(b));
}

template <class Message>
ErrorCode refusal_of(const Message& message, AnswerRoom* room) {
  if (room == nullptr) {
    const auto request = decode_request(message);
    return request.ok() ? ErrorCode::kBadOption : request.error().code;
  }
  const auto answer = decode_answer(message, *room);
  return answer.ok() ? ErrorCode::kBadOption : answer.error().code;
}

}  // namespace

TEST_CASE("every request arrives as it was sent") {
  for (const Request& sent : sample_requests()) {
    const Bytes message = encoded(sent);
    const auto got = decode_request(message);
    REQUIRE(got.ok());
    CHECK(got->command == sent.command);
    CHECK(got->kind == sent.kind);
    CHECK(got->capture == sent.capture);
    CHECK(got->pause_limit_ns == sent.pause_limit_ns);
    CHECK(got->snapshot == sent.snapshot);
    CHECK(got->analyses == sent.analyses);
    CHECK(got->file == sent.file);
    CHECK(got->options == sent.options);
    CHECK(got->interval_ms == sent.interval_ms);
    CHECK(got->classes == sent.classes);
    CHECK(message.size() <= request_bound(sent));
  }
}

TEST_CASE("short answers arrive as they were sent") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(0);
  const Bytes refused = encoded(samples.of(AnswerKind::kRefused));
  CHECK(decode_answer(refused, *room)->refusal.kind == RefusalKind::kNotUnderstood);
  CHECK(decode_answer(refused, *room)->refusal.text == "no such thing");
  const Bytes pong = encoded(samples.of(AnswerKind::kPong));
  CHECK(decode_answer(pong, *room)->pong.tool_version == "1.2.3");
  CHECK(decode_answer(pong, *room)->pong.pid == 4242);
  const Bytes done = encoded(samples.of(AnswerKind::kDone));
  CHECK(decode_answer(done, *room)->text == "done: \xC3\xA9");
  CHECK(decode_answer(done, *room)->last);
  const Bytes progress = encoded(samples.of(AnswerKind::kProgress));
  CHECK_FALSE(decode_answer(progress, *room)->last);
  check_same(decode_answer(progress, *room)->progress, sample_progress(9));
}

TEST_CASE("a status arrives as it was sent, its lists full") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(0);
  const Status sent = samples.status();
  const Bytes message = encoded(samples.of(AnswerKind::kStatus));
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  const Status& got = answer->status;
  check_same_texts(got, sent);
  check_same_figures(got, sent);
  REQUIRE(got.memory.size() == kMaxListed);
  CHECK(got.memory[31].name == "capture");
  CHECK(got.memory[31].peak_bytes == UINT64_MAX);
  REQUIRE(got.options.size() == kMaxListed);
  CHECK(got.options[31].text == "%e-%h-%p-%t-%n.hfr");
  REQUIRE(got.triggers.size() == kMaxListed);
  CHECK(got.triggers[31].setting == "85%");
  CHECK(got.triggers[31].state == "waits");
  CHECK(got.triggers[31].refused == 5);
  REQUIRE(got.dumps.size() == DumpHistory::kMaxRememberedDumps);
  check_same(got.dumps[7], sample_progress(9));
  REQUIRE(got.last_extended != nullptr);
  check_same(*got.last_extended, sample_progress(7));
}

TEST_CASE("a histogram arrives as it was sent, with as many rows as there may be") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(kMaxWatchedClasses);
  const Bytes message = encoded(samples.of(AnswerKind::kHistogram));
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  const ClassHistogram& got = answer->histogram;
  REQUIRE(got.rows.size() == kMaxWatchedClasses);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{1999}}) {
    CHECK(got.rows[i].identity == samples.rows[i].identity);
    CHECK(got.rows[i].instances == i + 1);
    CHECK(got.rows[i].shallow_bytes == UINT64_MAX - i);
    CHECK(std::string(got.rows[i].name) == samples.rows[i].name);
  }
  CHECK(got.sequence == 1);
  CHECK(got.reachable_only);
  CHECK(got.pause_ns == 3);
  CHECK(got.cost_ns == 4);
  CHECK(got.heap.max_bytes == 7);
  CHECK(got.total_bytes == 9);
  CHECK(got.classes == 10);
  CHECK(answer->collections.young == 7);
  CHECK(answer->collections.full == kUnknownCount);
}

TEST_CASE("accounts arrive beside a histogram; where accounting is off there are none") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(2);
  Answer sent = samples.of(AnswerKind::kHistogram);
  const auto answer = decode_answer(encoded(sent), *room);
  REQUIRE(answer.ok());
  const WatchedAccounts& got = answer->histogram.accounts;
  CHECK(got.on);
  CHECK(got.left_out);
  CHECK(got.exact);
  CHECK(got.live_known);
  CHECK(got.began_utc_ms == 11);
  CHECK(got.total == 12);
  REQUIRE(got.rows.size() == kMaxWatchedAccounts);
  CHECK(std::string(got.rows[63].name) == samples.accounts[63].name);
  CHECK(got.rows[63].allocated.objects == UINT64_MAX);
  CHECK(got.rows[63].allocated.bytes_error == 4);
  CHECK(got.rows[63].live.objects == 5);
  CHECK(got.rows[63].live.bytes_error == UINT64_MAX);

  sent.histogram.accounts = {};
  const auto without = decode_answer(encoded(sent), *room);
  REQUIRE(without.ok());
  CHECK_FALSE(without->histogram.accounts.on);
  CHECK(without->histogram.accounts.rows.empty());

  const std::vector<WatchedAccount> many(kMaxWatchedAccounts + 1);
  sent.histogram.accounts.rows = many;
  const MessageBuffer buffer;
  CHECK(encode_answer(sent, buffer.all()).error().code == ErrorCode::kTooMany);
}

TEST_CASE("what piles up arrives beside a histogram; where ages are off there is nothing") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(2);
  Answer sent = samples.of(AnswerKind::kHistogram);
  const auto answer = decode_answer(encoded(sent), *room);
  REQUIRE(answer.ok());
  const AgeVerdict& got = answer->ages;
  CHECK(got.on);
  CHECK(got.collections == UINT64_MAX);
  CHECK(got.utc_ms == 2);
  CHECK(got.candidates == 3);
  CHECK(got.looks == 4);
  REQUIRE(got.count == kMostAgeSuspects);
  const AgeSuspect &last = got.suspects[kMostAgeSuspects - 1], &was = sent.ages.suspects[0];
  CHECK(std::string(last.name) == was.name);
  CHECK(last.instances == 5);
  CHECK(last.shallow_bytes == 6);
  CHECK(last.more_instances == 7);
  CHECK(last.more_bytes == 8);
  CHECK(last.collections == 9);
  CHECK(last.window_ms == 10);
  CHECK(last.looks == 11);
  CHECK(last.old_samples == 12);
  CHECK(last.ages == 13);
  CHECK(last.old_percent == 14);
  CHECK(last.confidence_percent == 15);

  sent.ages = {};
  const auto without = decode_answer(encoded(sent), *room);
  REQUIRE(without.ok());
  CHECK_FALSE(without->ages.on);
  CHECK(without->ages.count == 0);
}

TEST_CASE(
    "the bound holds and is not absurd; less room than it is refused, and nothing is written") {
  const AnswerSamples samples(100);
  for (int kind = 0; kind <= static_cast<int>(AnswerKind::kHistogram); ++kind) {
    const Answer answer = samples.of(static_cast<AnswerKind>(kind));
    const std::size_t bound = answer_bound(answer);
    const std::size_t bytes = encoded(answer).size();
    CHECK(bytes <= bound);
    CHECK(bound <= 2 * bytes + 512);
    alignas(8) std::byte room[256] = {};
    if (bound <= sizeof room) continue;
    CHECK(encode_answer(answer, room).error().code == ErrorCode::kTooMany);
    for (const std::byte byte : room) CHECK(byte == std::byte{0});
  }
}

TEST_CASE("what is too long or too many is not encoded") {
  const MessageBuffer buffer;
  Request long_request;
  const std::string text(kMaxRequestBytes, 'x');
  long_request.options = text;
  CHECK(encode_request(long_request, buffer.all()).error().code == ErrorCode::kTooMany);
  AnswerSamples samples(kMaxWatchedClasses + 1);
  samples.memory.emplace_back();
  CHECK(encode_answer(samples.of(AnswerKind::kHistogram), buffer.all()).error().code ==
        ErrorCode::kTooMany);
  CHECK(encode_answer(samples.of(AnswerKind::kStatus), buffer.all()).error().code ==
        ErrorCode::kTooMany);
  CHECK(encode_request(Request{}, buffer.all().subspan(1)).error().code == ErrorCode::kRefused);
}

TEST_CASE("a message that is cut at any byte is refused, whatever its size says") {
  const auto room = std::make_unique<AnswerRoom>();
  const AnswerSamples samples(3);
  for (int kind = 0; kind <= static_cast<int>(AnswerKind::kHistogram); ++kind) {
    const Bytes whole = encoded(samples.of(static_cast<AnswerKind>(kind)));
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
      REQUIRE(refusal_of(cut, room.get()) == ErrorCode::kDamaged);
      if (bytes < kSizeBytes) continue;
      set_size(cut, bytes);  // consistent, so that the verifier has to see it
      const ErrorCode code = refusal_of(cut, room.get());
      // Padding at the end may be missing.
      if (bytes + 8 < whole.size()) REQUIRE(code == ErrorCode::kDamaged);
    }
  }
}

TEST_CASE("a flipped bit never breaks the reader; what it accepts is inside the message") {
  const auto room = std::make_unique<AnswerRoom>();
  const Bytes whole = encoded(AnswerSamples(2).of(AnswerKind::kHistogram));
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] ^= std::byte(1u << bit % 8);
    const auto answer = decode_answer(flipped, *room);
    if (!answer) ++refused;
    if (answer) REQUIRE(answer->histogram.rows.size() <= kMaxWatchedClasses);
  }
  CHECK(refused > 200);
}

TEST_CASE("foreign, longer and newer messages are refused by what they are") {
  Bytes message = encoded(sample_requests()[2]);
  Bytes foreign = message;
  foreign[8] = std::byte('X');
  CHECK(decode_request(foreign).error().code == ErrorCode::kNotOurs);
  const auto room = std::make_unique<AnswerRoom>();
  CHECK(decode_answer(message, *room).error().code == ErrorCode::kNotOurs);
  Bytes longer(kMaxRequestBytes + 8);
  CHECK(decode_request(longer).error().code == ErrorCode::kTooMany);
  const std::size_t major = find_word(message, kMajor);
  REQUIRE(major != 0);
  message[major] = std::byte{2};
  CHECK(decode_request(message).error().code == ErrorCode::kNewerVersion);
  CHECK(decode_request(message).error().detail == 2);
  Bytes odd(1);
  odd.insert(odd.end(), message.begin(), message.end());
  CHECK(decode_request(std::span(odd).subspan(1)).error().code == ErrorCode::kRefused);
}

TEST_CASE("an enum out of range in a request of our own version is damage") {
  Request request;
  request.command = static_cast<Command>(static_cast<int>(Command::kDetach) + 1);
  CHECK(decode_request(encoded(request)).error().code == ErrorCode::kDamaged);
  request = sample_requests()[2];
  request.kind = static_cast<DumpKind>(3);
  CHECK(decode_request(encoded(request)).error().code == ErrorCode::kDamaged);
  request = sample_requests()[2];
  request.capture = static_cast<CaptureChoice>(9);
  CHECK(decode_request(encoded(request)).error().code == ErrorCode::kDamaged);
}

TEST_CASE("the size of a message that has only begun") {
  const Bytes message = encoded(Request{});
  CHECK(message_bytes(std::span(message).first(3)) == 0);
  CHECK(message_bytes(std::span(message).first(4)) == message.size());
  const Bytes huge(4, std::byte{0xFF});
  CHECK(message_bytes(huge) == std::uint64_t{UINT32_MAX} + 4);
}
