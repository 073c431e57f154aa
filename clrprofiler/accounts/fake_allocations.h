// For tests only: a runtime whose program allocates, behind the profiling interfaces: classes and functions, sessions, handles, stacks.
// Shape:  allocate() is one event of the runtime's, on the calling thread, with the stack that is given; objects are numbers, and collect() decides
//         which of them are gone. As in the real one an object has no class while its event is delivered.
// Zone:   tests, any number of threads.   Errors: misuses() counts what the real runtime would not survive.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clrprofiler/accounts/allocation_session.h"
#include "clrprofiler/heap/fake_heap_events.h"
#include "clrprofiler/names/fake_type_system.h"

namespace holdfast::clr {

inline FakeEvent fake_allocation_sampled(ClassID type, ObjectID object, std::uint64_t bytes,
                                         std::u16string_view name = u"Shop.Cart") {
  EventBytes out;
  out.put(std::uint32_t{0}).put(std::uint16_t{0}).put(std::uint64_t{type});
  for (const char16_t unit : name) out.put(unit);
  out.put(char16_t{0}).put(std::uint64_t{object}).put(bytes).put(std::uint64_t{8});
  return out.event(kAllocationSampled);
}

inline FakeEvent fake_allocation_tick(ClassID type, ObjectID object, std::uint64_t bytes,
                                      std::uint64_t amount) {
  EventBytes out;
  out.put(static_cast<std::uint32_t>(amount)).put(std::uint32_t{0}).put(std::uint16_t{0});
  out.put(amount).put(std::uint64_t{type}).put(u'T').put(char16_t{0}).put(std::uint32_t{0});
  out.put(std::uint64_t{object}).put(bytes);
  return out.event(kAllocationTick);
}

struct FakeAllocations : FakeTypeSystem {
  static constexpr EVENTPIPE_PROVIDER kRuntime = 0x1000;
  static constexpr EVENTPIPE_PROVIDER kStranger = 0x2000;

  std::mutex lock;
  std::map<ObjectHandleID, ObjectID> handles;
  std::set<ObjectID> dead;
  std::atomic<std::uint64_t> next_object{0x10000};
  std::atomic<std::uint64_t> next_handle{0x1000};
  std::atomic<int> sessions{0};
  std::atomic<HRESULT> start_answer{S_OK};
  std::atomic<HRESULT> walk_answer{S_OK};
  std::atomic<int> major{10};
  std::uint64_t keywords = 0;
  UINT32 level = 0;
  static inline thread_local std::vector<FunctionID> stack;

  FakeAllocations() {
    static const ICorProfilerInfo::Table kTable = make_table(*info.table);
    info.table = &kTable;
    get("System.Object");
  }
  static FakeAllocations& of(ICorProfilerInfo* self) {
    return *static_cast<FakeAllocations*>(reinterpret_cast<FakeTypeSystem*>(self));
  }

  FunctionID method(std::string_view type, std::string_view name) {
    return add_function(get(type), name);
  }
  ObjectID allocate(ClassID type, std::uint64_t bytes, std::vector<FunctionID> frames) {
    const ObjectID object = next_object.fetch_add(8);
    stack = std::move(frames);
    deliver(fake_allocation_sampled(type, object, bytes));
    return object;
  }
  static void deliver(const FakeEvent& event, EVENTPIPE_PROVIDER provider = kRuntime,
                      DWORD version = 0) {
    AllocationSession::deliver(provider, event.id, version, event.bytes.data(),
                               static_cast<ULONG>(event.bytes.size()));
  }
  void collect(ObjectID object) {
    const std::lock_guard<std::mutex> guard(lock);
    dead.insert(object);
  }
  std::size_t open_handle_count() {
    const std::lock_guard<std::mutex> guard(lock);
    return handles.size();
  }

  static ICorProfilerInfo::Table make_table(ICorProfilerInfo::Table table) {
    fill_handles(table);
    fill_session(table);
    table.DoStackSnapshot = [](ICorProfilerInfo* self, ThreadID thread,
                               StackSnapshotCallback* callback, ULONG32, void* context, BYTE*,
                               ULONG32) noexcept -> HRESULT {
      if (thread != 0) return E_NOTIMPL;
      if (of(self).walk_answer != S_OK) return of(self).walk_answer;
      for (const FunctionID function : stack)
        if (callback(function, 0x1234, 0, 0, nullptr, context) != S_OK)
          return CORPROF_E_STACKSNAPSHOT_ABORTED;
      return S_OK;
    };
    table.GetRuntimeInformation = [](ICorProfilerInfo* self, USHORT*, COR_PRF_RUNTIME_TYPE* type,
                                     USHORT* version, USHORT*, USHORT*, USHORT*, ULONG, ULONG*,
                                     WCHAR*) noexcept -> HRESULT {
      *type = COR_PRF_CORE_CLR;
      *version = static_cast<USHORT>(of(self).major.load());
      return S_OK;
    };
    return table;
  }

  static void fill_handles(ICorProfilerInfo::Table& table) {
    table.CreateHandle = [](ICorProfilerInfo* self, ObjectID object, COR_PRF_HANDLE_TYPE type,
                            ObjectHandleID* out) noexcept -> HRESULT {
      FakeAllocations& all = of(self);
      if (type != COR_PRF_HANDLE_TYPE_WEAK) return E_INVALIDARG;
      const std::lock_guard<std::mutex> guard(all.lock);
      *out = reinterpret_cast<ObjectHandleID>(all.next_handle.fetch_add(8));
      all.handles[*out] = object;
      return S_OK;
    };
    table.GetObjectIDFromHandle = [](ICorProfilerInfo* self, ObjectHandleID handle,
                                     ObjectID* out) noexcept -> HRESULT {
      FakeAllocations& all = of(self);
      const std::lock_guard<std::mutex> guard(all.lock);
      const auto found = all.handles.find(handle);
      if (found == all.handles.end()) return E_INVALIDARG;
      *out = all.dead.contains(found->second) ? 0 : found->second;
      return S_OK;
    };
    table.DestroyHandle = [](ICorProfilerInfo* self, ObjectHandleID handle) noexcept -> HRESULT {
      const std::lock_guard<std::mutex> guard(of(self).lock);
      return of(self).handles.erase(handle) == 1 ? S_OK : E_INVALIDARG;
    };
  }

  static void fill_session(ICorProfilerInfo::Table& table) {
    table.EventPipeStartSession = [](ICorProfilerInfo* self, UINT32,
                                     COR_PRF_EVENTPIPE_PROVIDER_CONFIG* provider, BOOL,
                                     EVENTPIPE_SESSION* session) noexcept -> HRESULT {
      FakeAllocations& all = of(self);
      if (all.start_answer != S_OK) return all.start_answer;
      all.keywords = provider->keywords;
      all.level = provider->loggingLevel;
      *session = static_cast<EVENTPIPE_SESSION>(++all.sessions);
      return S_OK;
    };
    table.EventPipeStopSession = [](ICorProfilerInfo* self, EVENTPIPE_SESSION) noexcept -> HRESULT {
      --of(self).sessions;
      return S_OK;
    };
    table.EventPipeGetProviderInfo = [](ICorProfilerInfo*, EVENTPIPE_PROVIDER provider, ULONG room,
                                        ULONG* units, WCHAR* name) noexcept -> HRESULT {
      const std::u16string_view found =
          provider == kRuntime ? RuntimeProvider::kName : u"Microsoft-DotNETCore-EventPipe";
      *units = static_cast<ULONG>(found.size() + 1);
      if (room < *units) return E_INVALIDARG;
      std::copy(found.begin(), found.end(), name);
      name[found.size()] = u'\0';
      return S_OK;
    };
  }
};

}  // namespace holdfast::clr
