// One collection of the whole heap, during which the runtime calls us for each object, GC root and dependent handle: .NET Framework and
// .NET Core 3, which have no sessions of events.
// Why the flag is set for one collection only: while COR_PRF_MONITOR_GC is set, every collection, a young one too, walks the whole heap.
// Shape:  run() once: the flag, ForceGC, the flag off. Calls come on one thread, that of the forced collection or the collector's, from the begin of a
//         collection to its end; of a collection that nobody asked for the first object is refused, which ends its walk.
//         A collection that began while a walk was wanted may outlast ForceGC: run() waits for its end (active_ is null again) before
//         the walk goes.
// Zone:   run(): capture. *_stopped(): stopped.
// Errors: kVm with the HRESULT: 0x80131376 where concurrent collection is on; kRefused when no walk of ours came; kDeadline
//         when the collection did not come or did not end in time.
// Source: ICorProfilerCallback::ObjectReferences (a failure ends the walk of that collection), ICorProfilerCallback2::RootReferences2,
//         ICorProfilerCallback5::ConditionalWeakTableElementReferences.
#pragma once

#include <atomic>

#include "clrprofiler/forced_collection.h"
#include "clrprofiler/heap/heap_recorder_stopped.h"
#include "clrprofiler/profiler_info.h"
#include "clrprofiler/roots/static_list.h"
#include "common/options.h"

namespace holdfast::clr {

// What ICorProfilerCallback2::RootReferences2 brings.
struct ToldRoots {
  ULONG count = 0;
  const ObjectID* objects = nullptr;
  const COR_PRF_GC_ROOT_KIND* kinds = nullptr;
  const COR_PRF_GC_ROOT_FLAGS* flags = nullptr;
  const UINT_PTR* ids = nullptr;
};

class ObjectWalk {
 public:
  // `statics` are read at the end of our collection. `options`: whose triggers are listened to meanwhile.
  ObjectWalk(ProfilerInfo& info, ForcedCollection& collection, HeapRecorder& recorder,
             StaticList& statics, const Options& options) noexcept
      : info_(info),
        collection_(collection),
        recorder_(recorder),
        statics_(statics),
        options_(options) {}
  ObjectWalk(const ObjectWalk&) = delete;
  ObjectWalk& operator=(const ObjectWalk&) = delete;

  Result<void> run() noexcept;
  // From when threads were asked to stop for our collection to its end, the walk included.
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }

  // What the runtime calls; nothing happens while no walk is wanted.
  static void note_stop(std::uint64_t now_ns) noexcept { stop_began_ns_.store(now_ns); }
  static void begin_stopped(int generations, const BOOL* collected,
                            COR_PRF_GC_REASON reason) noexcept;
  // False: nothing more is wanted of this collection's objects.
  static bool object_stopped(ObjectID object, ClassID type, ULONG count,
                             const ObjectID* references) noexcept;
  static void roots_stopped(const ToldRoots& roots) noexcept;
  static void dependents_stopped(ULONG count, const ObjectID* keys,
                                 const ObjectID* values) noexcept;
  static void end_stopped() noexcept;

 private:
  static constexpr int kMostCollections = 8;
  static constexpr std::uint64_t kLookNs = 200'000;
  static constexpr std::uint64_t kPatienceNs = 60'000'000'000;

  Result<void> collect() noexcept;
  static void await_end() noexcept;
  std::uint64_t size_of_stopped(ObjectID object) noexcept;
  void begin_collection_stopped(bool whole, bool induced) noexcept;
  void end_collection_stopped() noexcept;

  static std::atomic<std::uint64_t> stop_began_ns_;
  static std::atomic<ObjectWalk*> wanted_;
  static std::atomic<ObjectWalk*>
      active_;  // of the collection that runs; stored before wanted_ is read the second time

  ProfilerInfo& info_;
  ForcedCollection& collection_;
  HeapRecorder& recorder_;
  StaticList& statics_;
  const Options& options_;
  std::uint32_t collections_ = 0;  // begun; their numbers
  std::uint32_t depth_ = 0;        // of the one that runs
  std::uint64_t began_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
  // The recorder's own word, told at the end of a collection: another one may be begun while somebody asks.
  std::atomic<bool> done_{false};
};

}  // namespace holdfast::clr
