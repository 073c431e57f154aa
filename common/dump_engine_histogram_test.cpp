#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>

#include "common/dump_engine.h"
#include "common/fake_catalog.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

enum class ChildManner { kCounts, kHangs, kCrashes, kLies, kContradicts };

// A VM with two classes, whose heap can be counted in place and, where `frozen` is set, by a child.
class CountedVm final : public VmAdapter {
 public:
  std::atomic<bool> frozen{false};
  std::atomic<int> in_place{0};
  std::atomic<int> freezes{0};
  std::atomic<bool> hold{false};
  std::atomic<bool> fail{false};
  std::atomic<bool> no_child{false};
  std::atomic<std::uint64_t> used_bytes{std::uint64_t{1} << 20};
  std::atomic<std::uint64_t> pause_ns{1'000'000};
  ChildManner manner = ChildManner::kCounts;
  FakeCatalog names;
  ClassCount counts[3] = {{3, 48}, {2, 400}, {1, 8}};

  CountedVm() {
    const std::uint32_t app = names.loader("app");
    names.add_class("shop.Item", app);
    names.add_class("shop.Session", app);
  }
  VmFacts facts() noexcept override { return {}; }
  std::atomic<std::uint64_t> accounts_stop_ns{0};
  std::uint64_t tell_accounts(AccountBook& book, std::uint64_t, Notes&) noexcept override {
    book.sampled({1, 0, book.name("shop.Cart")}, 100);
    return accounts_stop_ns;
  }
  Result<void> attach_capture_thread() noexcept override { return {}; }
  void detach_capture_thread() noexcept override {}
  Result<HeapFigures> heap_figures() noexcept override {
    return HeapFigures{used_bytes, used_bytes, used_bytes};
  }
  Result<void> capture(const CapturePlan& plan, CaptureMemory&, Capture& out,
                       Notes&) noexcept override {
    ++in_place;
    while (hold) platforms::sleep_ns(100'000);
    if (fail) return make_error(ErrorCode::kVm, 112);
    out.rung = plan.rung;
    out.histogram = counts;
    out.snapshot.catalog = names.catalog();
    out.pause_ns = pause_ns;
    out.heap_before = {used_bytes, used_bytes, used_bytes};
    return {};
  }
  const char* frozen_refusal() noexcept override {
    return frozen ? forbidden_ : "this VM's heap cannot be read as memory";
  }
  void forbid_frozen(const char* why) noexcept override { forbidden_ = why; }
  Result<void> freeze(const CapturePlan& plan, CaptureMemory&, const FrozenWork& work,
                      FrozenChild& out, Notes&) noexcept override {
    CHECK(plan.rung == CaptureRung::kFrozen);
    if (!no_child) CHECK_FALSE(plan.graph);
    work_ = work;
    platforms::ChildPlan child;
    child.name = "hf counted";
    child.stack = work.stack;
    child.stack_bytes = work.stack_bytes;
    child.watchdog_seconds = work.watchdog_seconds;
    child.body = &CountedVm::child;
    child.argument = this;
    const std::int64_t process = no_child ? -11 : platforms::spawn_child(child);
    ++freezes;  // the child has its copy of all this: a test may change it now
    if (process < 0) return make_error(ErrorCode::kRefused, -process);
    work.mailbox->child.store(process, std::memory_order_release);
    out.process = process;
    out.catalog = names.catalog();
    out.pause.pause_ns = pause_ns;
    return {};
  }

 private:
  static int child(void* vm) noexcept {
    auto& self = *static_cast<CountedVm*>(vm);
    while (self.manner == ChildManner::kHangs) platforms::sleep_ns(1'000'000);
    if (self.manner == ChildManner::kCrashes) __builtin_trap();
    Capture capture;
    capture.histogram = self.counts;
    if (self.manner == ChildManner::kContradicts)
      return self.work_.run(self.work_.context, make_error(ErrorCode::kInconsistent), capture,
                            nullptr);
    ClassCount many[9] = {{}, {}, {}, {}, {}, {}, {1, 1}, {1, 1}, {}};  // classes that are none
    if (self.manner == ChildManner::kLies) capture.histogram = many;
    return self.work_.run(self.work_.context, {}, capture, nullptr);
  }
  FrozenWork work_;
  const char* forbidden_ = "";
};

std::atomic<int> analyses{0};
Result<AnalysisOutcome> count_analysis(AnalysisInput&) noexcept {
  ++analyses;
  return AnalysisOutcome{};
}

struct Seen {
  ClassHistogram histogram;
  HistogramRow rows[4];
  WatchedAccount accounts[4];
  std::string refusal;
};

struct Watched {
  CountedVm vm;
  DumpEngine engine;
  std::atomic<int> told{0};
  explicit Watched(const Options& options = {}) {
    analyses = 0;
    REQUIRE(engine.open(options, kMemory, vm, {&count_analysis}).ok());
    PatternError wrong;
    if (options.accounts[0] != '\0') REQUIRE(engine.open_accounts(wrong).ok());
    engine.observe([](void* self) noexcept { ++static_cast<Watched*>(self)->told; }, this);
  }
  ~Watched() { engine.close(platforms::monotonic_ns() + kSecond); }
  void start() { REQUIRE(engine.vm_ready().ok()); }
  Seen look() {
    Seen seen;
    engine.visit_histogram(
        [](void* out, const ClassHistogram& histogram) noexcept {
          auto& to = *static_cast<Seen*>(out);
          to.histogram = histogram;
          to.refusal = histogram.refusal;
          for (std::size_t i = 0; i < histogram.rows.size() && i < 4; ++i)
            to.rows[i] = histogram.rows[i];
          for (std::size_t i = 0; i < histogram.accounts.rows.size() && i < 4; ++i)
            to.accounts[i] = histogram.accounts.rows[i];
        },
        &seen);
    return seen;
  }
  // Asks and waits for an answer, a histogram or a refusal.
  Seen take() {
    const Seen before = look();
    REQUIRE(engine.want_histogram());
    return await_after(before);
  }
  Seen await_after(const Seen& before) {
    const std::uint64_t until = platforms::monotonic_ns() + 20 * kSecond;
    Seen now = look();
    while (now.histogram.sequence == before.histogram.sequence &&
           now.histogram.refused == before.histogram.refused) {
      REQUIRE(platforms::monotonic_ns() < until);
      platforms::sleep_ns(1'000'000);
      now = look();
    }
    return now;
  }
  GateAnswer ask(Trigger trigger = Trigger::kCommand) {
    DumpRequest request;
    request.trigger = trigger;
    request.asked_at_ns = platforms::monotonic_ns();
    return engine.request(request);
  }
};

}  // namespace

TEST_CASE("a histogram in place, with names, totals and no trace of a dump") {
  Watched run;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  const Seen seen = run.take();
  CHECK(seen.histogram.sequence == 1);
  CHECK(seen.histogram.total_instances == 6);
  CHECK(seen.histogram.total_bytes == 456);
  CHECK(seen.histogram.classes == 3);
  CHECK_FALSE(seen.histogram.reachable_only);
  CHECK(seen.histogram.pause_ns == 1'000'000);
  CHECK(seen.histogram.cost_ns >= 1'000'000);
  REQUIRE(seen.histogram.rows.size() == 2);
  CHECK(seen.rows[0].name == std::string("shop.Session"));
  CHECK(seen.rows[0].shallow_bytes == 400);
  CHECK(seen.rows[1].name == std::string("shop.Item"));
  const std::uint64_t until = platforms::monotonic_ns() + 10 * kSecond;
  while (run.told == 0 && platforms::monotonic_ns() < until) platforms::sleep_ns(100'000);
  CHECK(run.told.load() > 0);
  CHECK(run.take().histogram.sequence == 2);
  CHECK(run.engine.gate_counts().accepted == 0);
  CHECK(run.engine.totals().reports == 0);
  DumpProgress none[1];
  CHECK(run.engine.last_dumps(none) == 0);
  CHECK(analyses == 0);
  CHECK_FALSE(seen.histogram.accounts.on);
}

TEST_CASE("a histogram has what each account has at its moment, and leaves nothing of it behind") {
  Options options;
  std::strcpy(options.accounts, "shop.*");
  Watched run(options);
  run.start();
  const std::uint64_t resting = resting_bytes(run.engine);
  REQUIRE(run.engine.begin_watching().ok());
  const Seen first = run.take();
  const WatchedAccounts& accounts = first.histogram.accounts;
  CHECK(accounts.on);
  CHECK_FALSE(accounts.left_out);
  CHECK_FALSE(accounts.exact);
  CHECK(accounts.total == 2);
  REQUIRE(accounts.rows.size() == 2);
  CHECK(first.accounts[0].name == std::string("shop.*"));
  CHECK(first.accounts[0].allocated.bytes > 0);
  // The figures go back a moment after the sample is told.
  const std::uint64_t deadline = platforms::monotonic_ns() + 10'000'000'000;
  while (run.engine.ledger().total_bytes() != resting + KeptHistogram::kHeldBytes &&
         platforms::monotonic_ns() < deadline)
    platforms::sleep_ns(1'000'000);
  CHECK(run.engine.ledger().total_bytes() == resting + KeptHistogram::kHeldBytes);
  run.vm.frozen = true;  // by a child: the sums are made before it
  const Seen second = run.take();
  CHECK(second.histogram.reachable_only);
  CHECK(second.accounts[0].allocated.bytes == 2 * first.accounts[0].allocated.bytes);
  run.vm.accounts_stop_ns = 7'000'000'000;  // counting what lives stopped the application, too
  const Seen third = run.take();
  CHECK(third.histogram.pause_ns >= 7'000'000'000);
  CHECK(third.histogram.cost_ns >= third.histogram.pause_ns);
  run.engine.end_watching();
}

TEST_CASE("memory is held while somebody watches, and only then") {
  Watched run;
  run.start();
  CHECK_FALSE(run.engine.want_histogram());
  const std::uint64_t resting = resting_bytes(run.engine);
  REQUIRE(run.engine.begin_watching().ok());
  REQUIRE(run.engine.begin_watching().ok());
  CHECK(run.engine.ledger().total_bytes() == resting + KeptHistogram::kHeldBytes);
  for (int i = 0; i < 10; ++i) run.take();
  CHECK(run.engine.ledger().total_bytes() == resting + KeptHistogram::kHeldBytes);
  run.engine.end_watching();
  CHECK(run.look().histogram.rows.size() == 2);
  run.engine.end_watching();
  CHECK(run.engine.ledger().total_bytes() == resting);
  CHECK(run.look().histogram.sequence == 0);
  CHECK_FALSE(run.engine.want_histogram());
  run.engine.end_watching();  // one too many
  REQUIRE(run.engine.begin_watching().ok());
  CHECK(run.take().histogram.sequence == 11);
}

TEST_CASE("memory that is not there is refused, and nothing is held") {
  Watched run;
  run.start();
  const std::uint64_t before = resting_bytes(run.engine);
  const std::uint64_t others = run.engine.ledger().left_bytes() - KeptHistogram::kHeldBytes + 1;
  REQUIRE(run.engine.ledger().charge(MemoryCategory::kGraph, others));
  CHECK(run.engine.begin_watching().error().code == ErrorCode::kOutOfBudget);
  run.engine.ledger().refund(MemoryCategory::kGraph, others);
  CHECK(run.engine.ledger().total_bytes() == before);
  if (!platforms::kFaultPointsBuilt) return;
  {
    platforms::FaultScope no_pages(platforms::FaultPoint::kCommit);
    CHECK(run.engine.begin_watching().error().code == ErrorCode::kOutOfMemory);
  }
  {
    platforms::FaultScope no_pages(platforms::FaultPoint::kReserve);
    CHECK(run.engine.begin_watching().error().code == ErrorCode::kOutOfMemory);
  }
  CHECK(run.engine.ledger().total_bytes() == before);
  CHECK(run.engine.begin_watching().ok());
}

TEST_CASE("a wish during a count is carried out, and memory outlives the last watcher's leaving") {
  Watched run;
  run.start();
  const std::uint64_t resting = resting_bytes(run.engine);
  REQUIRE(run.engine.begin_watching().ok());
  run.vm.hold = true;
  REQUIRE(run.engine.want_histogram());
  while (run.vm.in_place == 0) platforms::sleep_ns(100'000);
  run.engine.end_watching();
  CHECK(run.engine.ledger().total_bytes() > resting);
  run.vm.hold = false;
  const std::uint64_t until = platforms::monotonic_ns() + 10 * kSecond;
  while (run.engine.ledger().total_bytes() != resting && platforms::monotonic_ns() < until)
    platforms::sleep_ns(100'000);
  CHECK(run.engine.ledger().total_bytes() == resting);
}

TEST_CASE("a count that fails is told, and the next one may succeed") {
  Watched run;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  run.vm.fail = true;
  const Seen failed = run.take();
  CHECK(failed.histogram.sequence == 0);
  CHECK(failed.histogram.refused == 1);
  CHECK(failed.refusal != "");
  run.vm.fail = false;
  const Seen seen = run.take();
  CHECK(seen.histogram.sequence == 1);
  CHECK(seen.histogram.refused == 1);
  CHECK(seen.refusal == "");
}

TEST_CASE("pause= is obeyed, from the last measurement") {
  Options options;
  options.pause_ns = 50'000'000;
  Watched run(options);
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  run.vm.pause_ns = 60'000'000;  // worse than was predicted: the first one cannot know
  CHECK(run.take().histogram.sequence == 1);
  const Seen refused = run.take();
  CHECK(refused.histogram.sequence == 1);
  CHECK(refused.refusal.find("about 60 ms, pause= allows 50 ms") != std::string::npos);
  CHECK(run.vm.in_place == 1);
  options.pause_ns = 100'000'000;
  run.engine.change_options(options);
  CHECK(run.take().histogram.sequence == 2);
}

TEST_CASE("a dump that waits goes first, and a wish is not lost over it") {
  Watched run;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  run.vm.hold = true;
  REQUIRE(run.ask() == GateAnswer::kAccepted);
  while (run.vm.in_place == 0) platforms::sleep_ns(100'000);
  REQUIRE(run.engine.want_histogram());
  const Seen before = run.look();
  run.vm.hold = false;
  CHECK(run.await_after(before).histogram.sequence == 1);
  CHECK(analyses == 1);
  CHECK(run.engine.totals().reports == 1);
}

TEST_CASE("a child counts, and hands the classes back") {
  Watched run;
  run.vm.frozen = true;
  run.vm.used_bytes = std::uint64_t{8} << 30;  // in place would take longer
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  const Seen seen = run.take();
  CHECK(seen.refusal == "");
  CHECK(seen.histogram.sequence == 1);
  CHECK(seen.histogram.reachable_only);
  CHECK(seen.histogram.total_bytes == 456);
  CHECK(seen.histogram.cost_ns >= seen.histogram.pause_ns);
  REQUIRE(seen.histogram.rows.size() == 2);
  CHECK(seen.rows[0].name == std::string("shop.Session"));
  CHECK(run.vm.in_place == 0);
  CHECK(run.vm.freezes == 1);
}

TEST_CASE("a small heap is counted in place unless garbage is unwanted") {
  Watched run;
  run.vm.frozen = true;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  CHECK(run.take().histogram.reachable_only);
  run.vm.forbid_frozen("tried");
  CHECK_FALSE(run.take().histogram.reachable_only);
}

TEST_CASE("a system without children has the count in place") {
  Watched run;
  run.vm.frozen = true;
  run.vm.no_child = true;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  const Seen seen = run.take();
  CHECK(seen.histogram.sequence == 1);
  CHECK_FALSE(seen.histogram.reachable_only);
}

TEST_CASE("a child that dies, lies or contradicts itself gives no histogram") {
  for (const ChildManner manner :
       {ChildManner::kCrashes, ChildManner::kLies, ChildManner::kContradicts}) {
    CAPTURE(static_cast<int>(manner));
    Watched run;
    run.vm.manner = manner;
    run.start();
    const std::uint64_t resting = resting_bytes(run.engine);
    run.vm.frozen = true;
    REQUIRE(run.engine.begin_watching().ok());
    const Seen seen = run.take();
    CHECK(seen.histogram.sequence == 0);
    CHECK(seen.histogram.refused == 1);
    CHECK(seen.refusal != "");
    // It is not tried again where the VM's tables are in doubt.
    const bool doubtful = manner != ChildManner::kLies;
    CHECK((run.vm.frozen_refusal()[0] != '\0') == doubtful);
    run.vm.manner = ChildManner::kCounts;
    CHECK(run.take().histogram.sequence == 1);
    run.engine.end_watching();
    CHECK(run.engine.ledger().total_bytes() == resting);
  }
}

TEST_CASE("a dump ends the child that counts, and the count is made up for") {
  Watched run;
  run.vm.frozen = true;
  run.vm.manner = ChildManner::kHangs;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  const Seen before = run.look();
  REQUIRE(run.engine.want_histogram());
  while (run.vm.freezes == 0) platforms::sleep_ns(100'000);
  run.vm.manner = ChildManner::kCounts;
  run.vm.no_child = true;  // the dump goes another way
  REQUIRE(run.ask() == GateAnswer::kAccepted);
  const Seen after = run.await_after(before);
  CHECK(after.histogram.sequence == 1);
  CHECK(after.histogram.refused == 0);
  CHECK(analyses == 1);
}

TEST_CASE("an exiting VM does not wait for a child that counts") {
  Watched run;
  run.vm.frozen = true;
  run.vm.manner = ChildManner::kHangs;
  run.start();
  REQUIRE(run.engine.begin_watching().ok());
  REQUIRE(run.engine.want_histogram());
  while (run.vm.freezes == 0) platforms::sleep_ns(100'000);
  const std::uint64_t began = platforms::monotonic_ns();
  run.engine.close(began + 10 * kSecond);
  CHECK(platforms::monotonic_ns() - began < 5 * kSecond);
  CHECK_FALSE(run.engine.want_histogram());
  CHECK_FALSE(run.engine.begin_watching().ok());
}
