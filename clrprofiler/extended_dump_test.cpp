#include "clrprofiler/extended_dump.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "clrprofiler/dump_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

using report::RootKind;

// The field of the static variable that holds the object of this class.
std::string_view static_field_above(const ReadReport& read, std::string_view class_name) {
  for (const report::RootPath* path : *read->top_paths()) {
    const report::PathStep* first = path->steps()->Get(0);
    const report::PathStep* last = path->steps()->Get(path->steps()->size() - 1);
    if (read.text(read->objects()->Get(last->object())->class_name()) != class_name) continue;
    if (path->root_kind() != RootKind::StaticField) continue;
    return first->name() != 0 ? read.text(first->name()) : read.text(path->frame_method());
  }
  return "";
}

}  // namespace

TEST_CASE("from the runtime's events to a report: classes, sizes, what holds them") {
  DumpBench bench;
  const ShopHeap shop(bench.runtime);
  const ReadReport read = bench.report();
  REQUIRE(read.has_graph());
  CHECK(read.text(read->capture()->rung()) == "walk");
  const report::ClassRow* orders = read.class_named("shop.Order");
  REQUIRE(orders != nullptr);
  CHECK(orders->instances() == ShopHeap::kOrders + 1);
  CHECK(orders->shallow_bytes() == (ShopHeap::kOrders + 1) * ShopHeap::kOrderBytes);
  CHECK(orders->unheld_instances() == 1);
  CHECK(orders->retained_bytes() ==
        11 * (ShopHeap::kOrderBytes + ShopHeap::kOtherBytes) + ShopHeap::kOtherBytes);
  const report::ClassRow* registry = read.class_named("shop.Registry");
  REQUIRE(registry != nullptr);
  CHECK(registry->instances() == 1);
  CHECK(registry->retained_bytes() ==
        2 * ShopHeap::kOtherBytes + ShopHeap::kArrayBytes +
            ShopHeap::kOrders * (ShopHeap::kOrderBytes + ShopHeap::kOtherBytes));
  CHECK(read.instances("shop.Order[]") == 1);
  // By the dependent handle alone.
  const report::ClassRow* notes = read.class_named("shop.Note");
  REQUIRE(notes != nullptr);
  CHECK(notes->unheld_instances() == 0);
  CHECK(static_field_above(read, "shop.Registry") == "s_current");
  REQUIRE(read->threads()->size() == 1);
  const report::ThreadRow* thread = read->threads()->Get(0);
  REQUIRE(thread->frames()->size() == 1);
  CHECK(read.text(thread->frames()->Get(0)->class_name()) == "shop.Registry");
  CHECK(read.text(thread->frames()->Get(0)->method()) == "Work");
  CHECK(thread->retained_bytes() == ShopHeap::kOrderBytes + ShopHeap::kOtherBytes);
  CHECK(bench.runtime.pipe.misuses() == 0);
  CHECK(bench.runtime.pipe.open_sessions == 0);
  CHECK(bench.runtime.types.open_handles() == 0);
  CHECK(bench.runtime.high_mask == 0);
}

TEST_CASE("a hundred dumps in a row leave the ledger as it was, and no thread behind") {
  DumpBench bench;
  const ShopHeap shop(bench.runtime);
  const std::uint64_t resting = resting_bytes(bench.engine);
  for (int i = 0; i < 100; ++i) {
    const bool extended = i % 4 != 3;
    const DumpProgress end = bench.dump(extended ? DumpKind::kExtended : DumpKind::kSimple);
    REQUIRE(end.stage == DumpStage::kReported);
    CHECK(end.extended == extended);
    CHECK(bench.engine.ledger().total_bytes() == resting);
  }
  CHECK(bench.runtime.pipe.sessions == 75);
  CHECK(bench.runtime.types.open_handles() == 0);
}

TEST_CASE("a heap that memory= has no room for is counted, and the report says why") {
  DumpBench bench({}, 16);
  const ShopHeap shop(bench.runtime);
  constexpr std::uint32_t kMore = 260'000;
  for (std::uint32_t i = 0; i < kMore; ++i) shop.add_order(bench.runtime.heap);
  const std::uint64_t resting = resting_bytes(bench.engine);
  const ReadReport read = bench.report();
  CHECK_FALSE(read.has_graph());
  CHECK(read.has_note("no object graph"));
  CHECK(read.instances("shop.Customer") == ShopHeap::kOrders + 2 + kMore);
  CHECK(bench.engine.ledger().total_bytes() == resting);
}

// Whoever unloads goes on before the capture is over. The thread that waits has all the time in which the graph is made to be woken; it
// may miss that on a busy machine, but not time after time.
TEST_CASE("types may be unloaded again while the graph is made") {
  DumpBench bench({}, 256);
  const ShopHeap shop(bench.runtime);
  for (int i = 0; i < 30'000; ++i) shop.add_order(bench.runtime.heap);
  bool earlier = false;
  for (int round = 0; round < 5 && !earlier; ++round) {
    std::uint64_t passed_ns = 0;
    std::thread unloader;
    bench.runtime.pipe.during_stop = [&] {
      unloader = std::thread([&] {
        bench.adapter.gate().pass_unload();
        passed_ns = platforms::monotonic_ns();
      });
    };
    const std::uint64_t asked_ns = platforms::monotonic_ns();
    const ReadReport read = bench.report();
    unloader.join();
    CHECK(read.has_graph());
    earlier = passed_ns < asked_ns + read->capture()->capture_ns();
  }
  CHECK(earlier);
}

TEST_CASE("while the heap is told whoever loads a collectible module waits, and nobody else") {
  DumpBench bench;
  const ShopHeap shop(bench.runtime);
  const ModuleID plain = bench.runtime.types.add_module("Late", "/srv/Late.dll");
  std::thread loader;
  std::atomic<bool> passed{false};
  bool passed_early = true;
  std::uint64_t waited_ns = 0;
  bench.runtime.pipe.during_stop = [&] {
    const ModuleID plugin = bench.runtime.types.add_module(
        "Plugin", "/srv/Plugin.dll", COR_PRF_MODULE_DISK | COR_PRF_MODULE_COLLECTIBLE);
    loader = std::thread([&, plugin] {
      bench.adapter.module_loaded(plugin);
      passed = true;
    });
    const std::uint64_t began = platforms::monotonic_ns();
    bench.adapter.module_loaded(plain);
    waited_ns = platforms::monotonic_ns() - began;
    platforms::sleep_ns(20'000'000);
    passed_early = passed;
  };
  const ReadReport read = bench.report();
  loader.join();
  CHECK(read.has_graph());
  CHECK_FALSE(passed_early);
  CHECK(waited_ns < ModuleGate::kMostWaitNs / 2);
}

TEST_CASE("before .NET 9 counting is a walk, too") {
  DumpBench bench({}, 64, 12);
  const ShopHeap shop(bench.runtime);
  const ReadReport read = bench.report(DumpKind::kSimple);
  CHECK_FALSE(read.has_graph());
  CHECK(read.instances("shop.Order") == ShopHeap::kOrders + 2);
  CHECK(bench.runtime.pipe.collections == 1);
  CHECK(bench.runtime.suspensions == 0);
}

TEST_CASE("classes without a name, and objects without a class") {
  DumpBench bench;
  const ShopHeap shop(bench.runtime);
  bench.runtime.types.class_at(shop.note).answer = CORPROF_E_DATAINCOMPLETE;
  FakeClrHeap told = bench.runtime.heap.told();
  told.objects.back().type = 0;
  bench.runtime.pipe.during_collection = [&] {
    bench.runtime.pipe.deliver(fake_forced_walk(told));
  };
  const ReadReport read = bench.report();
  REQUIRE(read.has_graph());
  CHECK(read.instances("(class that was being loaded or unloaded)") == 1);
  CHECK(read->capture()->objects_unknown_class() == 1);
  CHECK(read.instances("shop.Note") == 0);
}
