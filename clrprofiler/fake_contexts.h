// For tests only: a runtime with load contexts, their LoaderAllocators and scouts, handles and collections, and nothing else.
// Shape:  a fake_type_system, and a heap of objects that are a method table and a reference each.
// Zone:   tests.   Errors: calls out of order answer as the runtime does.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <set>
#include <vector>

#include "clrprofiler/names/fake_type_system.h"

namespace holdfast::clr {

struct FakeContexts : FakeTypeSystem {
  std::deque<std::array<std::uint64_t, 2>> heap;
  std::set<ObjectHandleID> handles;
  std::vector<ObjectID> held;  // in the order in which handles were made
  int suspended = 0;
  int collections = 0;
  std::function<void()> at_collection = [] {};
  int refuse_from = 1'000;  // handles
  ClassID allocator = get("System.Reflection.LoaderAllocator");
  ClassID scout = get("System.Reflection.LoaderAllocatorScout");

  FakeContexts() {
    static const ICorProfilerInfo::Table kTable = make_table(*info.table);
    info.table = &kTable;
    get("System.Object");
    lay_out(allocator, 24, {{8, 1}});
  }
  static FakeContexts& of(ICorProfilerInfo* self) {
    return *static_cast<FakeContexts*>(reinterpret_cast<FakeTypeSystem*>(self));
  }
  ObjectID add(ClassID type, ObjectID target = 0) {
    heap.push_back({type, target});
    return reinterpret_cast<ObjectID>(&heap.back());
  }
  // Returns its LoaderAllocator.
  ObjectID add_context(std::uint64_t mark_bits = 0) {
    return add(allocator | mark_bits, add(scout));
  }

  static ICorProfilerInfo::Table make_table(ICorProfilerInfo::Table table) {
    table.ForceGC = [](ICorProfilerInfo* self) noexcept -> HRESULT {
      ++of(self).collections;
      of(self).at_collection();
      return S_OK;
    };
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
      for (const ClassID known : {of(self).allocator, of(self).scout})
        if (of(self).class_at(known).token == token) return *out = known, S_OK;
      return E_INVALIDARG;
    };
    table.EnumerateGCHeapObjects = [](ICorProfilerInfo* self, ObjectCallback callback,
                                      void* context) noexcept -> HRESULT {
      if (of(self).suspended != 1) return CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
      for (auto& object : of(self).heap)
        if (callback(reinterpret_cast<ObjectID>(&object), context) == 0) break;
      return S_OK;
    };
    table.CreateHandle = [](ICorProfilerInfo* self, ObjectID object, COR_PRF_HANDLE_TYPE,
                            ObjectHandleID* out) noexcept -> HRESULT {
      FakeContexts& all = of(self);
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

}  // namespace holdfast::clr
