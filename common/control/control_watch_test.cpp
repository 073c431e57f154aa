// `watch`, with histograms from a script.
#include <doctest/doctest.h>

#include <deque>

#include "common/control/served_fixture.h"
#include "common/control/watch_pace.h"
#include "platforms/process_for_tests.h"
#include "platforms/thread.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

// Answers each wish at once with the next histogram, unless it is told otherwise.
class ScriptedHistograms {
 public:
  explicit ScriptedHistograms(std::uint32_t rows) : samples_(rows) {
    source_.context = this;
    source_.begin = [](void* self) noexcept { return me(self).begin_one(); };
    source_.end = [](void* self) noexcept { --me(self).watching; };
    source_.want = [](void* self) noexcept { return me(self).want_one(); };
    source_.visit = [](void* self, VisitHistogram visit, void* context) noexcept {
      platforms::MutexLock lock(me(self).mutex_);
      visit(context, me(self).now_);
    };
  }
  const HistogramSource& source() const { return source_; }

  std::atomic<int> watching{0};
  std::atomic<int> wishes{0};
  std::atomic<bool> gone{false};    // the VM exits
  std::atomic<bool> silent{false};  // a wish is not answered
  std::atomic<int> refuse{-1};      // an ErrorCode for begin
  std::atomic<std::uint64_t> cost_ns{0};
  std::atomic<std::uint64_t> least_gap_ns{UINT64_MAX};  // between two wishes

 private:
  static ScriptedHistograms& me(void* self) { return *static_cast<ScriptedHistograms*>(self); }
  Result<void> begin_one() noexcept {
    if (refuse >= 0) return make_error(static_cast<ErrorCode>(refuse.load()));
    ++watching;
    return {};
  }
  bool want_one() noexcept {
    const std::uint64_t now_ns = platforms::monotonic_ns();
    const std::uint64_t gap_ns = now_ns - last_wish_ns_.exchange(now_ns);
    if (wishes++ != 0) least_gap_ns = std::min(least_gap_ns.load(), gap_ns);
    if (gone) return false;
    if (silent) return true;
    platforms::MutexLock lock(mutex_);
    const std::uint32_t next = now_.sequence + 1;
    now_ = samples_.histogram();
    now_.sequence = next;
    now_.pause_ns = cost_ns / 2;
    now_.cost_ns = cost_ns;
    return true;
  }

  std::atomic<std::uint64_t> last_wish_ns_{0};
  AnswerSamples samples_;
  HistogramSource source_;
  platforms::Mutex mutex_;
  ClassHistogram now_ HF_GUARDED_BY(mutex_);
};

Request watch_request(std::uint32_t interval_ms, std::uint32_t classes = 0) {
  Request request;
  request.command = Command::kWatch;
  request.interval_ms = interval_ms;
  request.classes = classes;
  return request;
}

}  // namespace

TEST_CASE("the pace: 1 % when the agent chooses, 10 % when a person names an interval") {
  constexpr std::uint64_t kMs = 1'000'000;
  CHECK(watch_interval_ns(0, 0) == 2'000 * kMs);
  CHECK(watch_interval_ns(0, 20 * kMs) == 2'000 * kMs);
  CHECK(watch_interval_ns(0, 50 * kMs) == 5'000 * kMs);
  CHECK(watch_interval_ns(500, 20 * kMs) == 500 * kMs);
  CHECK(watch_interval_ns(500, 80 * kMs) == 800 * kMs);
  CHECK(watch_interval_ns(1, 0) == 100 * kMs);
  CHECK(watch_interval_ns(UINT32_MAX, 0) == UINT32_MAX * kMs);
  CHECK(watch_interval_ns(0, UINT64_MAX) == kMostCostNs * kOwnShare);
}

TEST_CASE("watch: the first at once, then at the interval, until the peer goes") {
  ScriptedHistograms script(10);
  Served served({}, &script.source());
  {
    RudeClient client(served.path());
    REQUIRE(client.ask(watch_request(150, 3)));
    Answer answer;
    REQUIRE(client.next(answer, 1'000 * kMsForTest));
    CHECK(answer.kind == AnswerKind::kHistogram);
    CHECK_FALSE(answer.last);
    CHECK(answer.histogram.rows.size() == 3);
    CHECK(answer.histogram.classes == 10);
    CHECK(answer.collections.young == 12);
    const std::uint32_t first = answer.histogram.sequence;
    for (std::uint32_t i = 1; i <= 4; ++i) {
      REQUIRE(client.next(answer));
      CHECK(answer.histogram.sequence == first + i);
    }
    CHECK(script.least_gap_ns >= 150 * kMsForTest);
    CHECK(served.engine.ledger().total_bytes() == served.resting_bytes + kMaxAnswerBytes);
    CHECK(script.watching == 1);
  }
  CHECK(comes_true([&] { return script.watching == 0; }));
  CHECK(comes_true([&] { return served.engine.ledger().total_bytes() == served.resting_bytes; }));
}

TEST_CASE("watch: several at once, each at its own pace; status counts them") {
  ScriptedHistograms script(2000);
  Served served({}, &script.source());
  RudeClient fast(served.path()), slow(served.path());
  REQUIRE(fast.ask(watch_request(100)));
  REQUIRE(slow.ask(watch_request(60'000)));
  Answer answer;
  REQUIRE(slow.next(answer));
  for (int i = 0; i < 4; ++i) REQUIRE(fast.next(answer));
  CHECK(answer.histogram.rows.size() == kMaxWatchedClasses);
  CHECK_FALSE(slow.next(answer, 50 * kMsForTest));
  RudeClient asker(served.path());
  REQUIRE(asker.ask(Command::kStatus));
  REQUIRE(asker.next(answer));
  CHECK(answer.status.watchers == 2);
  served.server.close();
  CHECK(script.watching == 0);
}

TEST_CASE("watch: a histogram that costs much makes the next one wait") {
  ScriptedHistograms script(10);
  script.cost_ns = 60 * kMsForTest;
  Served served({}, &script.source());
  RudeClient client(served.path());
  REQUIRE(client.ask(watch_request(100)));
  Answer answer;
  REQUIRE(client.next(answer));
  REQUIRE(client.next(answer));
  CHECK(script.least_gap_ns >= 600 * kMsForTest);
}

TEST_CASE("watch: what the engine refuses is told, and nothing is held") {
  ScriptedHistograms script(10);
  Served served({}, &script.source());
  for (const ErrorCode code : {ErrorCode::kUnsupported, ErrorCode::kOutOfBudget}) {
    script.refuse = static_cast<int>(code);
    RudeClient client(served.path());
    REQUIRE(client.ask(watch_request(100)));
    Answer answer;
    REQUIRE(client.next(answer));
    CHECK(answer.refusal.kind == RefusalKind::kRefused);
    CHECK(!answer.refusal.text.empty());
    CHECK(client.ends());
  }
  script.refuse = -1;
  script.gone = true;
  RudeClient client(served.path());
  REQUIRE(client.ask(watch_request(100)));
  Answer answer;
  REQUIRE(client.next(answer));
  CHECK(answer.kind == AnswerKind::kRefused);
  CHECK(client.ends());
  CHECK(comes_true([&] { return script.watching == 0; }));
  CHECK(comes_true([&] { return served.engine.ledger().total_bytes() == served.resting_bytes; }));
}

TEST_CASE("watch: a histogram that does not come keeps nobody busy, and is told when it comes") {
  ScriptedHistograms script(10);
  script.silent = true;
  Served served({}, &script.source());
  RudeClient client(served.path());
  REQUIRE(client.ask(watch_request(100)));
  Answer answer;
  const std::uint64_t cpu = platforms::own_threads_cpu_ns();
  CHECK_FALSE(client.next(answer, 700 * kMsForTest));
  CHECK(platforms::own_threads_cpu_ns() - cpu < 10 * kMsForTest);
  CHECK(script.wishes == 1);
  script.silent = false;
  REQUIRE(script.source().want(script.source().context));
  CHECK(client.next(answer));
}

TEST_CASE("a watcher that does not read is dropped; what is kept for it is bounded") {
  ScriptedHistograms script(2000);
  Served served({}, &script.source());
  RudeClient deaf(served.path());
  REQUIRE(deaf.ask(watch_request(100)));
  std::uint64_t most = 0;
  const bool dropped = comes_true(
      [&] {
        most = std::max(most, served.engine.ledger().total_bytes() - served.resting_bytes);
        return script.wishes > 1 && script.watching == 0;
      },
      4 * kStallTimeoutNs);
  CHECK(dropped);
  CHECK(most > kMaxAnswerBytes);
  CHECK(most <= 2 * kMaxAnswerBytes);
  CHECK(comes_true([&] { return served.engine.ledger().total_bytes() == served.resting_bytes; }));
}

TEST_CASE("many deaf watchers: all together hold no more than the limit, and others are served") {
  ScriptedHistograms script(2000);
  Served served({}, &script.source());
  std::deque<RudeClient> deaf;
  for (int i = 0; i < 12; ++i) {
    deaf.emplace_back(served.path());
    REQUIRE(deaf.back().ask(watch_request(100)));
  }
  std::uint64_t most = 0;
  const std::uint64_t end = platforms::monotonic_ns() + 1'500 * kMsForTest;
  while (platforms::monotonic_ns() < end) {
    most = std::max(most, served.engine.ledger().total_bytes() - served.resting_bytes);
    platforms::sleep_ns(kMsForTest);
  }
  CHECK(most <= kMaxAnswerBytes + kMaxBacklogBytes);
  RudeClient asker(served.path());
  Answer answer;
  REQUIRE(asker.ask(Command::kPing));
  CHECK(asker.next(answer));
}

TEST_CASE("a peer that reads slowly still gets whole messages") {
  ScriptedHistograms script(2000);
  Served served({}, &script.source());
  RudeClient slow(served.path());
  REQUIRE(slow.ask(watch_request(100)));
  platforms::sleep_ns(500 * kMsForTest);  // two answers are waiting, one of them in part with us
  Answer answer;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(slow.next(answer));
    CHECK(answer.histogram.rows.size() == kMaxWatchedClasses);
  }
}

TEST_CASE("a half-closed peer that waits does not keep the loop awake, and is still told") {
  ScriptedHistograms script(10);
  Served served({}, &script.source());
  RudeClient half(served.path());
  REQUIRE(half.ask(watch_request(1'500)));
  platforms::stop_sending_for_test(half.descriptor());
  Answer answer;
  REQUIRE(half.next(answer));
  const std::uint64_t cpu = platforms::own_threads_cpu_ns();
  platforms::sleep_ns(500 * kMsForTest);
  CHECK(platforms::own_threads_cpu_ns() - cpu < 10 * kMsForTest);
  CHECK(half.next(answer));
}

TEST_CASE("a socket at which nobody knocks costs nothing") {
  ScriptedHistograms script(10);
  Served served({}, &script.source());
  const std::uint64_t cpu = platforms::own_threads_cpu_ns();
  platforms::sleep_ns(1'000 * kMsForTest);
  CHECK(platforms::own_threads_cpu_ns() - cpu < kMsForTest);
}
