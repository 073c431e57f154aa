#include "clrprofiler/held_contexts.h"

#include <doctest/doctest.h>

#include <deque>
#include <set>
#include <vector>

#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/names/fake_type_system.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// A heap of objects that are a method table each, and a table of handles.
struct Contexts : FakeTypeSystem {
  std::deque<std::uint64_t> heap;  // the first words
  std::set<ObjectHandleID> handles;
  std::vector<ObjectID> held;  // in the order in which handles were made
  int suspended = 0;
  int refuse_from = 1'000;  // handles
  ClassID allocator = get("System.Reflection.LoaderAllocator");

  Contexts() {
    static const ICorProfilerInfo::Table kTable = make_table(*info.table);
    info.table = &kTable;
    get("System.Object");
  }
  static Contexts& of(ICorProfilerInfo* self) {
    return *static_cast<Contexts*>(reinterpret_cast<FakeTypeSystem*>(self));
  }
  ObjectID add(ClassID type) {
    heap.push_back(type);
    return reinterpret_cast<ObjectID>(&heap.back());
  }

  static ICorProfilerInfo::Table make_table(ICorProfilerInfo::Table table) {
    table.SuspendRuntime = [](ICorProfilerInfo* self) noexcept -> HRESULT {
      ++of(self).suspended;
      return S_OK;
    };
    table.ResumeRuntime = [](ICorProfilerInfo* self) noexcept -> HRESULT {
      --of(self).suspended;
      return S_OK;
    };
    table.GetClassFromToken = [](ICorProfilerInfo* self, ModuleID, mdTypeDef token,
                                 ClassID* out) noexcept -> HRESULT {
      const bool known = of(self).class_at(of(self).allocator).token == token;
      *out = of(self).allocator;
      return known ? S_OK : E_INVALIDARG;
    };
    table.EnumerateGCHeapObjects = [](ICorProfilerInfo* self, ObjectCallback callback,
                                      void* context) noexcept -> HRESULT {
      if (of(self).suspended != 1) return CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
      for (std::uint64_t& object : of(self).heap)
        if (callback(reinterpret_cast<ObjectID>(&object), context) == 0) break;
      return S_OK;
    };
    table.CreateHandle = [](ICorProfilerInfo* self, ObjectID object, COR_PRF_HANDLE_TYPE,
                            ObjectHandleID* out) noexcept -> HRESULT {
      Contexts& all = of(self);
      if (static_cast<int>(all.held.size()) >= all.refuse_from) return E_OUTOFMEMORY;
      all.held.push_back(object);
      *out = reinterpret_cast<ObjectHandleID>(0x1000 + 8 * all.held.size());
      all.handles.insert(*out);
      return S_OK;
    };
    table.DestroyHandle = [](ICorProfilerInfo* self, ObjectHandleID handle) noexcept -> HRESULT {
      return of(self).handles.erase(handle) == 1 ? S_OK : E_INVALIDARG;
    };
    return table;
  }
};

RecordedRoot handle_root(std::uint64_t object, std::uint64_t handle,
                         EventRootKind kind = EventRootKind::kHandle) {
  return {object, handle, 0, static_cast<std::uint32_t>(kind)};
}

struct Bench {
  Contexts runtime;
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
  const ObjectID first = bench.runtime.add(bench.runtime.allocator);
  const ObjectID marked = bench.runtime.add(bench.runtime.allocator | 1);  // a collector's mark
  bench.runtime.add(other);
  {
    HeldContexts contexts(bench.info);
    REQUIRE(contexts.hold(bench.arena()).ok());
    CHECK(contexts.held() == 2);
    CHECK(bench.runtime.held == std::vector<ObjectID>{first, marked});
    CHECK(bench.runtime.handles.size() == 2);
    CHECK(bench.runtime.suspended == 0);
  }
  CHECK(bench.runtime.handles.empty());
}

TEST_CASE("what holds them is no root of the application's") {
  Bench bench;
  bench.runtime.add(bench.runtime.allocator);
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
  for (int i = 0; i < 3; ++i) bench.runtime.add(bench.runtime.allocator);
  bench.runtime.refuse_from = 2;
  HeldContexts contexts(bench.info);
  const auto held = contexts.hold(bench.arena());
  REQUIRE_FALSE(held.ok());
  CHECK(held.error().code == ErrorCode::kVm);
  CHECK(bench.runtime.handles.empty());
  CHECK(bench.runtime.suspended == 0);
}

TEST_CASE("before .NET 9 there is nothing to hold them with") {
  Bench bench;
  bench.runtime.add(bench.runtime.allocator);
  bench.runtime.version = 14;
  ProfilerInfo older;
  REQUIRE(older.open(bench.runtime.unknown()).ok());
  HeldContexts contexts(older);
  CHECK(contexts.hold(bench.arena()).ok());
  CHECK(contexts.held() == 0);
}
