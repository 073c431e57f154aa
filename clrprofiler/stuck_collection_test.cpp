// A collection that does not come, or does not end: the dump is given up in time, and the process, the agent and its memory live on.
#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "clrprofiler/dump_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
// The dumps that work have to begin within the same time, on a busy machine, too.
constexpr std::uint64_t kBeginsNs = 600 * kMs;
constexpr std::uint64_t kEndsNs = 2000 * kMs;
constexpr std::uint64_t kFarNs = 60'000 * kMs;

// The runtime stays inside ForceGC until it is let go.
struct StuckBench : DumpBench {
  ShopHeap shop{runtime};
  std::atomic<bool> go{false};

  explicit StuckBench(const CollectionPatience& patience, int newest = 15)
      : DumpBench(patience, 64, newest) {
    runtime.pipe.during_collection = [this] {
      await();
      runtime.pipe.deliver(walk());
    };
  }
  ~StuckBench() {
    go = true;
    adapter.leave_runtime();
  }
  void await() const {
    while (!go) platforms::sleep_ns(kMs);
  }
  std::string refusal(DumpKind kind = DumpKind::kExtended) {
    const DumpProgress end = dump(kind);
    CHECK(end.stage == DumpStage::kFailed);
    CHECK(end.error.code == ErrorCode::kRefused);
    return end.note.text;
  }
};

}  // namespace

TEST_CASE("a collection that does not come is given up; until it has, every dump is refused") {
  for (const int newest : {15, 12}) {
    CAPTURE(newest);
    StuckBench bench({kBeginsNs, kFarNs}, newest);
    const std::uint64_t resting = resting_bytes(bench.engine);
    CHECK(bench.refusal() == "no object graph: the collection did not come within 0 s");
    CHECK(bench.engine.ledger().total_bytes() == resting);
    const char* const waits = "the collection of an earlier dump has not come, or is not over yet";
    CHECK(bench.refusal() == waits);
    CHECK(bench.refusal(DumpKind::kSimple) == waits);
    CHECK(bench.runtime.pipe.collections == 1);
    CHECK(bench.runtime.pipe.open_sessions == 1);
    // It comes after all, and tells everything to nobody: the recorder's memory has been given back.
    bench.go = true;
    bench.adapter.leave_runtime();
    CHECK(bench.runtime.pipe.open_sessions == 0);
    const ReadReport read = bench.report();
    CHECK(read.has_graph());
    CHECK(read.instances("shop.Order") == ShopHeap::kOrders + 1);
    CHECK(bench.engine.ledger().total_bytes() == resting);
  }
}

TEST_CASE("a collection that begins is waited for longer, but not for ever") {
  StuckBench bench({kBeginsNs, kEndsNs});
  bench.runtime.pipe.during_collection = [&] {
    const FakeEvents told = bench.walk();
    for (std::size_t i = 0; i < told.size() / 2; ++i) bench.runtime.pipe.deliver(told[i]);
    bench.await();
    for (std::size_t i = told.size() / 2; i < told.size(); ++i) bench.runtime.pipe.deliver(told[i]);
  };
  CHECK(bench.refusal() == "no object graph: the collection did not end within 2 s");
  bench.go = true;
  bench.adapter.leave_runtime();
  bench.runtime.pipe.during_collection = [&] { bench.runtime.pipe.deliver(bench.walk()); };
  CHECK(bench.report().has_graph());
}

TEST_CASE("a session that does not stop is given up, too") {
  StuckBench bench({kBeginsNs, kEndsNs});
  bench.go = false;
  bench.runtime.pipe.during_collection = [&] { bench.runtime.pipe.deliver(bench.walk()); };
  bench.runtime.pipe.during_stop = [&] { bench.await(); };
  bench.refusal();
  CHECK(bench.refusal(DumpKind::kSimple).find("not over yet") != std::string::npos);
  bench.go = true;
  bench.adapter.leave_runtime();
  CHECK(bench.report(DumpKind::kSimple).instances("shop.Order") == ShopHeap::kOrders + 2);
}

TEST_CASE("a session that does not start asks for no collection any more") {
  StuckBench bench({kBeginsNs, kFarNs});
  bench.runtime.pipe.during_start = [&] { bench.await(); };
  CHECK(bench.refusal() == "no object graph: the collection did not come within 0 s");
  bench.go = true;
  bench.adapter.leave_runtime();
  CHECK(bench.runtime.pipe.collections == 0);
  CHECK(bench.runtime.pipe.open_sessions == 0);
}

TEST_CASE("the runtime goes on refusing for longer than one waits") {
  StuckBench bench({kBeginsNs, kFarNs});
  bench.go = true;
  bench.runtime.pipe.not_yet = 1'000'000;
  const DumpProgress given_up = bench.dump();
  CHECK((given_up.stage == DumpStage::kFailed || !given_up.extended));
  bench.adapter.leave_runtime();
  bench.runtime.pipe.not_yet = 0;
  CHECK(bench.report().has_graph());
}
