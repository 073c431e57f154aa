// What the runtime, other tools and bad luck can do to an extended dump. Each ends in a report or a clear refusal, and the next dump works.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "clrprofiler/dump_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint32_t kHeldOrders = ShopHeap::kOrders + 1;
constexpr std::uint32_t kAllOrders = ShopHeap::kOrders + 2;

struct ShopBench : DumpBench {
  ShopHeap shop{runtime};
  using DumpBench::DumpBench;

  // Whole, and the ledger at rest.
  void dump_works() {
    const std::uint64_t resting = resting_bytes(engine);
    runtime.pipe.during_start = runtime.pipe.during_stop = {};
    runtime.pipe.during_collection = [this] { runtime.pipe.deliver(walk()); };
    const ReadReport read = report();
    CHECK(read.has_graph());
    CHECK(read.instances("shop.Order") == kHeldOrders);
    CHECK(engine.ledger().total_bytes() == resting);
    CHECK(runtime.pipe.open_sessions == 0);
    CHECK(runtime.suspended == 0);
    CHECK(runtime.types.open_handles() == 0);
  }
  // Everything is counted, and the report says why there is no more.
  void counts_with_note(const std::string& why) {
    const ReadReport read = report();
    CHECK_FALSE(read.has_graph());
    CHECK_MESSAGE(read.has_note(why), read.text(read->notes()->Get(0)));
    CHECK(read.instances("shop.Order") == kAllOrders);
    dump_works();
  }
};

// The walk, changed at its first event of this kind.
FakeEvents with_event(FakeEvents walk, std::uint32_t id,
                      const std::function<void(FakeEvent&)>& change) {
  for (FakeEvent& event : walk) {
    if (event.id != id) continue;
    change(event);
    break;
  }
  return walk;
}

FakeEvents without_event(FakeEvents walk, std::uint32_t id) {
  std::erase_if(walk, [id](const FakeEvent& event) { return event.id == id; });
  return walk;
}

constexpr std::uint32_t kKinds[] = {kBulkNode, kBulkEdge, kBulkRootEdge, kBulkDependentEdge,
                                    kBulkStaticVariable};

}  // namespace

TEST_CASE("a session that is refused") {
  ShopBench bench;
  bench.runtime.pipe.start_answer = E_FAIL;
  const ReadReport read = bench.report();
  CHECK(read.has_note("the runtime refused it (0x80004005)"));
  CHECK(read.instances("shop.Order") == kAllOrders);
  bench.runtime.pipe.start_answer = S_OK;
  bench.dump_works();
}

TEST_CASE("a collection that is refused leaves a thread that may ask for names") {
  ShopBench bench;
  bench.runtime.pipe.force_answer = CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
  const ReadReport read = bench.report();
  CHECK(read.has_note("the runtime refused it (0x80131363)"));
  CHECK(read.instances("shop.Order") == kAllOrders);
  bench.runtime.pipe.force_answer = S_OK;
  bench.dump_works();
}

TEST_CASE("before .NET 9 a refusal is told") {
  ShopBench bench({}, 64, 12);
  bench.runtime.pipe.force_answer = CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
  const DumpProgress refused = bench.dump();
  CHECK(refused.stage == DumpStage::kFailed);
  CHECK(refused.error.code == ErrorCode::kVm);
  CHECK(static_cast<std::uint32_t>(refused.error.detail) == 0x80131363u);
  bench.runtime.pipe.force_answer = S_OK;
  bench.dump_works();
}

TEST_CASE("a collection for which it is too early is asked for again") {
  ShopBench bench;
  bench.runtime.pipe.not_yet = 3;
  CHECK(bench.report().has_graph());
  CHECK(bench.runtime.pipe.not_yet == 0);
}

TEST_CASE("no walk comes") {
  ShopBench bench;
  bench.runtime.pipe.during_collection = {};
  bench.counts_with_note("told nothing of its heap");
}

TEST_CASE("the walk has no end") {
  ShopBench bench;
  bench.runtime.pipe.during_collection = [&] {
    bench.runtime.pipe.deliver(without_event(bench.walk(), kGcEnd));
  };
  bench.counts_with_note("told nothing of its heap");
}

TEST_CASE("other walks come first: of young collections, of the background's, of another tool") {
  ShopBench bench;
  bench.runtime.pipe.during_collection = [&] {
    FakeEventPipe& pipe = bench.runtime.pipe;
    const FakeClrHeap told = bench.runtime.heap.told();
    for (std::uint32_t number = 1; number < 4; ++number) {
      pipe.deliver(fake_gc_start(number, number % 2, 0, 0));
      pipe.deliver(fake_walk(told));
      pipe.deliver(fake_gc_end(number, number % 2));
    }
    pipe.deliver(fake_gc_start(4, kFullGcDepth, 0, 1));  // in the background
    pipe.deliver(fake_forced_walk(told, 5));
    pipe.deliver(fake_forced_walk(told, 6));  // somebody else's, afterwards
    pipe.deliver(fake_gc_end(4));
  };
  const ReadReport read = bench.report();
  CHECK(read.has_graph());
  CHECK(read.instances("shop.Order") == kHeldOrders);
  CHECK(read.has_note("3 further walks of the heap"));
}

TEST_CASE("another tool's walk comes while the session starts: the first one counts") {
  ShopBench bench;
  bench.runtime.pipe.during_start = [&] { bench.runtime.pipe.deliver(bench.walk()); };
  const ReadReport read = bench.report();
  CHECK(read.has_graph());
  CHECK(read.instances("shop.Order") == kHeldOrders);
  bench.dump_works();
}

TEST_CASE("payloads that are cut") {
  ShopBench bench;
  for (const std::uint32_t id : kKinds) {
    CAPTURE(id);
    std::size_t whole = 0;
    for (const FakeEvent& event : bench.walk())
      if (event.id == id) whole = event.bytes.size();
    REQUIRE(whole > 10);
    for (const std::size_t kept :
         {std::size_t{0}, std::size_t{1}, std::size_t{9}, whole / 2, whole - 1}) {
      CAPTURE(kept);
      bench.runtime.pipe.during_collection = [&] {
        bench.runtime.pipe.deliver(
            with_event(bench.walk(), id, [&](FakeEvent& event) { event.bytes.resize(kept); }));
      };
      const ReadReport read = bench.report();
      CHECK_FALSE(read.has_graph());
      CHECK(read->notes()->size() != 0);
    }
  }
  bench.dump_works();
}

TEST_CASE("counts that lie, and layouts of a version that nobody knows") {
  ShopBench bench;
  for (const std::uint32_t id : kKinds) {
    CAPTURE(id);
    const std::size_t count_at = id == kBulkStaticVariable ? 0 : 4;
    for (const std::uint32_t count : {1000u, 0xFFFFFFFFu, 0u}) {
      CAPTURE(count);
      bench.runtime.pipe.during_collection = [&] {
        bench.runtime.pipe.deliver(with_event(bench.walk(), id, [&](FakeEvent& event) {
          std::memcpy(event.bytes.data() + count_at, &count, sizeof count);
        }));
      };
      const ReadReport read = bench.report();
      // Nothing at all of them may be true of roots, dependent handles and static variables.
      if (count != 0) CHECK_FALSE(read.has_graph());
    }
    bench.runtime.pipe.during_collection = [&] {
      for (const FakeEvent& event : bench.walk()) {
        if (event.id == id)
          bench.runtime.pipe.deliver(event, FakeEventPipe::kRuntime, 7);
        else
          bench.runtime.pipe.deliver(event);
      }
    };
    const ReadReport read = bench.report();
    CHECK_FALSE(read.has_graph());
    CHECK(read.has_note("contradict themselves"));
  }
  bench.dump_works();
}

TEST_CASE("events that are missing, and others that come twice") {
  ShopBench bench;
  for (const std::uint32_t id : {kBulkNode, kBulkEdge}) {
    CAPTURE(id);
    bench.runtime.pipe.during_collection = [&] {
      bench.runtime.pipe.deliver(without_event(bench.walk(), id));
    };
    CHECK_FALSE(bench.report().has_graph());
    bench.runtime.pipe.during_collection = [&] {
      for (const FakeEvent& event : bench.walk()) {
        bench.runtime.pipe.deliver(event);
        if (event.id == id) bench.runtime.pipe.deliver(event);
      }
    };
    CHECK_FALSE(bench.report().has_graph());
  }
  bench.dump_works();
}

TEST_CASE(
    "what others say is not heard: other providers, other events, after the end, after the "
    "session") {
  ShopBench bench;
  FakeEventPipe& pipe = bench.runtime.pipe;
  pipe.during_collection = [&] {
    for (const FakeEvent& event : bench.walk()) {
      pipe.deliver(event, FakeEventPipe::kStranger);
      pipe.deliver({200, event.bytes});
      pipe.deliver(event);
    }
    for (const FakeEvent& event : bench.walk())
      if (event.id != kGcStart) pipe.deliver(event);
  };
  pipe.during_stop = [&] { pipe.deliver(bench.walk()); };
  for (int i = 0; i < 3; ++i) {
    const ReadReport read = bench.report();
    CHECK(read.has_graph());
    CHECK(read.instances("shop.Order") == kHeldOrders);
    for (const FakeEvent& event : bench.walk())  // nobody's
      HeapSession::deliver_stopped(FakeEventPipe::kRuntime, event.id, 0, event.bytes.data(),
                                   static_cast<ULONG>(event.bytes.size()));
  }
}

TEST_CASE("server GC: another thread tells, or one after the other does") {
  ShopBench bench;
  bench.runtime.pipe.during_collection = [&] {
    bench.runtime.pipe.deliver_elsewhere(bench.walk());
  };
  CHECK(bench.report().instances("shop.Order") == kHeldOrders);
  bench.runtime.pipe.during_collection = [&] {
    for (const FakeEvent& event : bench.walk()) bench.runtime.pipe.deliver_elsewhere({event});
  };
  const ReadReport read = bench.report();
  CHECK(read.has_graph());
  CHECK(read.instances("shop.Order") == kHeldOrders);
}

TEST_CASE("two threads tell at once, which no runtime does: a report all the same") {
  ShopBench bench;
  bench.runtime.pipe.during_collection = [&] {
    const FakeEvents told = bench.walk();
    std::thread second([&] {
      for (int i = 0; i < 50; ++i) bench.runtime.pipe.deliver(told);
    });
    for (int i = 0; i < 50; ++i) bench.runtime.pipe.deliver(told);
    second.join();
  };
  for (int i = 0; i < 5; ++i) CHECK(bench.dump().stage == DumpStage::kReported);
  bench.dump_works();
}

TEST_CASE(
    "types shall be unloaded while their names are read: whoever unloads waits, and goes on") {
  ShopBench bench;
  std::atomic<bool> passed{false}, asked{false};
  std::thread unloader;
  bench.runtime.pipe.during_stop = [&] {
    unloader = std::thread([&] {
      bench.adapter.gate().pass_unload();
      passed = true;
    });
  };
  bench.runtime.during_names = [&] {
    CHECK_FALSE(passed);
    asked = true;
  };
  const ReadReport read = bench.report();
  unloader.join();
  CHECK(read.has_graph());
  CHECK(asked);
}

TEST_CASE("types were unloaded before their names were read: nobody asks for them") {
  ShopBench bench;
  bench.runtime.pipe.during_stop = [&] { bench.adapter.gate().pass_unload(0); };
  bench.counts_with_note("types were unloaded before their names were known");
}
