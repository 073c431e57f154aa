// The runtime's side of the profiling API, and how much of it this runtime has.
// Why probed: the version of the runtime does not say it (Core 2.1 to 3.1 call themselves 4.0); the newest interface it answers does.
// Shape:  ICorProfilerInfo to ICorProfilerInfo15, one object; version() is the newest. A call of a later interface is past the end
//         of the runtime's table, so it is only made behind has().
// Zone:   open(): load. The calls: each has its own rule (which thread, when), see docs/design/dotnet.md.
// Errors: open(): kVm with the HRESULT when there is not even the second one.
#pragma once

#include "clrprofiler/com.h"

namespace holdfast::clr {

// What the agent asks for; each is the version of ICorProfilerInfo that brought it.
enum class Needs : int {
  kModuleLists = 3,     // EnumModules, GetModuleInfo2, detach: nothing goes without
  kObjectSizes64 = 4,   // GetObjectSize2, EnumThreads
  kEventMask2 = 5,      // the high event mask
  kCollections = 10,    // the begin and end of collections, without their objects
  kSuspension = 10,     // SuspendRuntime, EnumerateObjectReferences
  kEventPipe = 12,      // sessions in process
  kObjectHandles = 13,  // CreateHandle: weak ones tell whether an object lives
  kFrozenObjects = 14,  // EnumerateNonGCObjects
  kHeapObjects = 15,    // EnumerateGCHeapObjects, and suspension from any thread
};

class ProfilerInfo {
 public:
  Result<void> open(IUnknown& runtime) noexcept;
  bool has(Needs needed) const noexcept { return version_ >= static_cast<int>(needed); }
  // .NET Framework and .NET Core 3: no events, a call for each object instead, and only while concurrent collection is off.
  bool tells_heap_by_calls() const noexcept { return !has(Needs::kEventPipe); }
  int version() const noexcept { return version_; }
  ICorProfilerInfo* operator->() const noexcept { return info_; }
  ICorProfilerInfo& operator*() const noexcept { return *info_; }
  explicit operator bool() const noexcept { return info_ != nullptr; }

 private:
  // The runtime's own, which counts no references: gone as soon as it has let go of us, so it is never given back.
  ICorProfilerInfo* info_ = nullptr;
  int version_ = 0;
};

}  // namespace holdfast::clr
