#include "common/triggers/growth.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>

#include "common/await_for_test.h"
#include "common/fake_catalog.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;

// A VM whose class shop.Session has so many more bytes each time it is counted.
class LeakyVm final : public VmAdapter {
 public:
  std::atomic<std::uint64_t> grows_by{1u << 20};
  std::atomic<std::uint64_t> full{kUnknownCount};
  std::atomic<int> counted{0};
  std::atomic<bool> refuse{false};
  FakeCatalog names;
  ClassCount counts[3] = {{100, 20u << 20}, {100, 4u << 20}, {0, 0}};

  LeakyVm() {
    const std::uint32_t app = names.loader("app");
    names.add_class("byte[]", app);
    names.add_class("shop.Session", app);
  }
  VmFacts facts() noexcept override { return {}; }
  Result<void> attach_capture_thread() noexcept override { return {}; }
  void detach_capture_thread() noexcept override {}
  CollectionFigures collections() noexcept override {
    CollectionFigures figures;
    figures.full = full;
    return figures;
  }
  Result<HeapFigures> heap_figures() noexcept override {
    return HeapFigures{32u << 20, 64u << 20, 64u << 20};
  }
  Result<void> capture(const CapturePlan& plan, CaptureMemory&, Capture& out,
                       Notes&) noexcept override {
    ++counted;
    if (refuse) return make_error(ErrorCode::kVm, 112);
    counts[1].shallow_bytes += grows_by;
    out.rung = plan.rung;
    out.histogram = counts;
    out.snapshot.catalog = names.catalog();
    out.pause_ns = 1000;
    out.heap_before = HeapFigures{32u << 20, 64u << 20, 64u << 20};
    return {};
  }
};

struct Seen {
  std::atomic<int> dumps{0};
  std::atomic<int> fail{0};  // so many dumps come to nothing
  std::atomic<int> failed{0};
  DumpRequest request;
  std::string note;
};
Seen* seen = nullptr;

Result<AnalysisOutcome> remember(AnalysisInput& input) noexcept {
  if (seen->failed < seen->fail) {
    ++seen->failed;
    return make_error(ErrorCode::kIo, 28);
  }
  seen->request = input.record.request;
  if (!input.record.notes.all().empty()) seen->note = input.record.notes.all().front().text;
  ++seen->dumps;
  return AnalysisOutcome{};
}

struct Watched {
  LeakyVm vm;
  Seen mine;
  DumpEngine engine;
  Growth growth;
  explicit Watched(std::uint64_t cooldown_ns = 0) {
    seen = &mine;
    Options options;
    options.cooldown_ns = cooldown_ns;
    REQUIRE(engine.open(options, std::uint64_t{64} << 20, vm, {&remember}).ok());
    REQUIRE(growth.open(engine).ok());
    REQUIRE(engine.vm_ready().ok());
  }
  ~Watched() {
    growth.close();
    engine.close(platforms::monotonic_ns() + kSecond);
  }
  std::string state() const {
    char text[Growth::kMaxStateText];
    return {text, growth.describe(text)};
  }
  bool await_state(std::string_view part) {
    return await([&] { return state().find(part) != std::string::npos; });
  }
};

}  // namespace

TEST_CASE("a class that grows gets one extended dump, which names it") {
  Watched run;
  CHECK(run.state() == "off");
  run.growth.arm(true, 5 * kMs);
  REQUIRE(await([&] { return run.mine.dumps.load() == 1; }));
  CHECK(run.mine.request.trigger == Trigger::kGrowth);
  CHECK(run.mine.request.kind == DumpKind::kExtended);
  CHECK(run.mine.note.starts_with("1 class grows: shop.Session +"));
  CHECK(run.mine.note.find("(p<0.001), in ") != std::string::npos);
  CHECK(run.growth.fired() == 1);
  CHECK(run.await_state("1 class grows: shop.Session +"));
  const int counted = run.vm.counted;
  REQUIRE(await([&] { return run.vm.counted > counted + 4; }));
  CHECK(run.mine.dumps.load() == 1);
}

TEST_CASE("a heap that rests gets none") {
  Watched run;
  run.vm.grows_by = 0;
  run.growth.arm(true, 2 * kMs);
  CHECK(run.await_state("no class grows: "));
  REQUIRE(await([&] { return run.vm.counted > 60; }));
  CHECK(run.mine.dumps.load() == 0);
  CHECK(run.engine.gate_counts().accepted == 0);
}

TEST_CASE("within the cooldown it is refused, and asked for again") {
  Watched run(3600 * kSecond);
  DumpRequest first;
  first.trigger = Trigger::kStart;
  REQUIRE(run.engine.request(first) == GateAnswer::kAccepted);
  REQUIRE(run.engine.wait_idle(platforms::monotonic_ns() + 5 * kSecond));
  run.growth.arm(true, 5 * kMs);
  REQUIRE(await([&] { return run.engine.gate_counts().refused_cooldown >= 2; }));
  CHECK(run.growth.fired() == 0);
  CHECK(run.mine.dumps.load() == 1);
}

TEST_CASE("a dump that came to nothing is asked for again, and then the class is told") {
  Watched run;
  run.mine.fail = 2;
  run.growth.arm(true, 5 * kMs);
  REQUIRE(await([&] { return run.mine.dumps.load() == 1; }));
  CHECK(run.mine.failed.load() == 2);
  CHECK(run.growth.fired() == 3);
  const int counted = run.vm.counted;
  REQUIRE(await([&] { return run.vm.counted > counted + 4; }));
  CHECK(run.mine.dumps.load() == 1);
}

TEST_CASE("memory is held while it is armed, and only then") {
  Watched run;
  const std::uint64_t resting = resting_bytes(run.engine);
  for (int i = 0; i < 3; ++i) {
    run.growth.arm(true, 5 * kMs);
    REQUIRE(await([&] {
      return run.engine.ledger().total_bytes() >=
             resting + Growth::kHeldBytes + KeptHistogram::kHeldBytes;
    }));
    CHECK(run.await_state("collects samples: "));
    run.growth.arm(false);
    CHECK(run.await_state("off"));
    CHECK(await([&] { return run.engine.ledger().total_bytes() == resting; }));
  }
  if (!platforms::kFaultPointsBuilt) return;
  platforms::FaultScope no_pages(platforms::FaultPoint::kCommit);
  run.growth.arm(true);
  CHECK(run.await_state("off: memory= has no room"));
  CHECK(run.engine.ledger().total_bytes() == resting);
}

TEST_CASE("no room for the histograms gives the series back as well") {
  Watched run;
  const std::uint64_t resting = resting_bytes(run.engine);
  const std::uint64_t others = run.engine.ledger().left_bytes() - KeptHistogram::kHeldBytes;
  REQUIRE(run.engine.ledger().charge(MemoryCategory::kGraph, others));
  run.growth.arm(true);
  CHECK(run.await_state("off: memory= has no room"));
  run.engine.ledger().refund(MemoryCategory::kGraph, others);
  CHECK(run.engine.ledger().total_bytes() == resting);
}

TEST_CASE("why there is no histogram is told") {
  Watched run;
  run.vm.refuse = true;
  run.growth.arm(true, 5 * kMs);
  CHECK(run.await_state("no histogram: "));
}

TEST_CASE("with garbage in the figures only what a full collection left counts") {
  Watched run;
  run.vm.full = 7;
  run.growth.arm(true, 5 * kMs);
  REQUIRE(await([&] { return run.vm.counted > 40; }));
  CHECK(run.state() == "waits for a full collection: 0 of 16 samples");
  CHECK(run.mine.dumps.load() == 0);
  for (int collection = 0; collection < 40 && run.mine.dumps == 0; ++collection) {
    ++run.vm.full;
    const int counted = run.vm.counted;
    REQUIRE(await([&] { return run.vm.counted > counted + 1; }));
  }
  CHECK(run.mine.dumps.load() == 1);
}

TEST_CASE("samples of one kind only, and none too early") {
  Watched run;
  run.growth.arm(true, 3600 * kSecond);
  REQUIRE(run.await_state("collects samples: 0"));
  // From here on the loop has nothing to do, and this thread feeds the search.
  std::uint64_t at_ms = platforms::utc_ms();
  HistogramRow row;
  row.identity = 1;
  row.shallow_bytes = 1000;
  std::uint32_t sequence = 0;
  const auto feed = [&](bool reachable, std::uint64_t later_ms) {
    ClassHistogram histogram;
    histogram.sequence = ++sequence;
    histogram.taken_utc_ms = at_ms += later_ms;
    histogram.reachable_only = reachable;
    histogram.rows = {&row, 1};
    run.growth.on_histogram(histogram, {});
    return run.growth.samples_for_test();
  };
  constexpr std::uint64_t kHourMs = 3'600'000;
  CHECK(feed(false, kHourMs) == 1);
  CHECK(feed(false, 1000) == 1);    // somebody else's watch
  CHECK(feed(true, kHourMs) == 1);  // a better kind: begun anew
  CHECK(feed(true, kHourMs) == 2);
  CHECK(feed(false, kHourMs) == 2);  // somebody else's
  CHECK(feed(true, kHourMs) == 3);
  CHECK(feed(false, kHourMs) == 3);
  CHECK(feed(false, kHourMs) == 3);
  CHECK(feed(false, kHourMs) == 1);  // there will be no other
}
