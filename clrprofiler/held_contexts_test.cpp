#include "clrprofiler/held_contexts.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/fake_contexts.h"
#include "clrprofiler/heap/fake_recording.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

RecordedRoot handle_root(std::uint64_t object, std::uint64_t handle,
                         EventRootKind kind = EventRootKind::kHandle) {
  return {object, handle, 0, static_cast<std::uint32_t>(kind)};
}

struct Bench {
  FakeContexts runtime;
  ProfilerInfo info;
  FakeRecording recorded;

  Bench() { REQUIRE(info.open(runtime.unknown()).ok()); }
  Arena& arena() { return recorded.memory().work_arena(); }
};

}  // namespace

TEST_CASE("every context is held while the heap is told, and no longer") {
  Bench bench;
  const ClassID other = bench.runtime.get("shop.Order");
  bench.runtime.add(other);
  const ObjectID first = bench.runtime.add_context();
  const ObjectID marked = bench.runtime.add_context(1);  // a collector's mark
  bench.runtime.add(other);
  {
    HeldContexts contexts(bench.info);
    const auto held = contexts.hold(bench.arena());
    REQUIRE(held.ok());
    CHECK(*held);
    CHECK(contexts.held() == 2);
    CHECK(bench.runtime.held == std::vector<ObjectID>{first, marked});
    CHECK(bench.runtime.handles.size() == 2);
    CHECK(bench.runtime.suspended == 0);
  }
  CHECK(bench.runtime.handles.empty());
}

TEST_CASE("what holds them is no root of the application's") {
  Bench bench;
  bench.runtime.add_context();
  HeldContexts contexts(bench.info);
  REQUIRE(contexts.hold(bench.arena()).ok());
  const auto ours = reinterpret_cast<std::uint64_t>(*bench.runtime.handles.begin());
  HeapRecording& recording = bench.recorded.recording();
  REQUIRE(recording.roots.push(handle_root(0x10, ours + 8)));
  REQUIRE(recording.roots.push(handle_root(0x18, ours)));
  REQUIRE(recording.roots.push(handle_root(0x20, ours, EventRootKind::kStack)));
  contexts.take_out_roots(recording);
  REQUIRE(recording.roots.size() == 2);
  CHECK(recording.roots[0].object == 0x10);
  CHECK(recording.roots[1].object == 0x20);
}

TEST_CASE("where one cannot be held, none is, and the dump hears of it") {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.runtime.add_context();
  bench.runtime.refuse_from = 2;
  HeldContexts contexts(bench.info);
  const auto held = contexts.hold(bench.arena());
  REQUIRE_FALSE(held.ok());
  CHECK(held.error().code == ErrorCode::kVm);
  CHECK(bench.runtime.handles.empty());
  CHECK(bench.runtime.suspended == 0);
}

TEST_CASE(
    "where one is half gone none is held: its LoaderAllocator went, its scout has not been "
    "finalized") {
  Bench bench;
  bench.runtime.add_context();
  bench.runtime.add(bench.runtime.scout);
  HeldContexts contexts(bench.info);
  const auto half_gone = contexts.hold(bench.arena());
  REQUIRE(half_gone.ok());
  CHECK_FALSE(*half_gone);
  CHECK(bench.runtime.handles.empty());
  CHECK(bench.runtime.suspended == 0);
  // One that is just being made has no scout yet, and makes up for nobody.
  bench.runtime.add(bench.runtime.allocator);
  const auto still = contexts.hold(bench.arena());
  REQUIRE(still.ok());
  CHECK_FALSE(*still);
  // The scout is gone, too.
  bench.runtime.heap[2] = {bench.runtime.get("System.Object"), 0};
  const auto held = contexts.hold(bench.arena());
  REQUIRE(held.ok());
  CHECK(*held);
  CHECK(contexts.held() == 2);
}
