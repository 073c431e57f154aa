// Sees to it, before a collection with heap events, that no collectible load context is half gone, and that none dies in it.
// Why: at the end of such a collection the runtime reads the static variables of every module that is loaded. Those of a collectible context
//      are arrays that die with it, while its modules stay listed until a finalizer has run; between the two the runtime reads freed memory
//      and crashes (seen on .NET 8, 9 and 10; any tool's heap dump does it). So what is dead is collected first, without heap events.
// Shape:  from .NET 9 on: collectible modules wait at the gate; where one is loaded, a collection without events, and then every context is
//         held by a handle. Where one is half gone the gate opens for kUnloadQuietNs, and all begins again, at most for kUnloadPatienceNs:
//         one round, two where something was dead. A context that comes later has no module yet, or whoever loads it stands at the gate
//         with the context in a local variable.
//         Before .NET 9 nothing can be held: no context may have come or gone for kUnloadStillNs, then rounds of a collection and
//         kUnloadQuietNs in which none does; where none is loaded, none may have come or gone for kUnloadQuietNs. What remains there: a
//         context that is dropped after the last of these.
// Zone:   settle(), release(): capture, application running; stopped by collections like any other. While it is settled and not released
//         whoever loads a collectible module waits.
// Errors: settle(): kTooMany (detail: ns): contexts have come and gone for kUnloadPatienceNs; those of ForcedCollection::collect() and
//         of HeldContexts::hold(). Nobody waits then.
// Source: BulkStaticsLogger::LogAllStatics of the runtime, which looks at no LoaderAllocator.
#pragma once

#include "clrprofiler/forced_collection.h"
#include "clrprofiler/held_contexts.h"
#include "clrprofiler/module_gate.h"
#include "clrprofiler/profiler_info.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

inline constexpr std::uint64_t kUnloadQuietNs = 200'000'000;
// Before .NET 9, where no context can be held: none may come or go for so long before anything is collected.
inline constexpr std::uint64_t kUnloadStillNs = 2'000'000'000;
inline constexpr std::uint64_t kUnloadPatienceNs = 3'000'000'000;

bool is_collectible_module(ProfilerInfo& info, ModuleID id) noexcept;
// Any module that the runtime may unload? Also true where it does not say which there are.
bool has_collectible_modules(ProfilerInfo& info) noexcept;

class SettledContexts {
 public:
  SettledContexts(ProfilerInfo& info, ForcedCollection& collection, ModuleGate& gate) noexcept
      : info_(info), collection_(collection), gate_(gate), held_(info) {}
  ~SettledContexts() { release(); }
  SettledContexts(const SettledContexts&) = delete;
  SettledContexts& operator=(const SettledContexts&) = delete;

  // `arena`: what is taken there is needed until release().
  Result<void> settle(Arena& arena) noexcept;
  // Our own handles are no roots of the application's. Before release().
  void take_out_roots(HeapRecording& recording) const noexcept { held_.take_out_roots(recording); }
  void release() noexcept;

  // How many collections it took, and how long the application stood still besides.
  std::uint32_t collections() const noexcept { return collections_; }
  // Of a collection what the call took, which is its stop unless another one went on in the background.
  void tell_stops(Capture& out) const noexcept {
    for (std::uint32_t i = 0; i < collections_; ++i) out.add_stop(longest_collection_ns_);
    out.add_stop(held_.pause_ns());
  }

 private:
  Result<void> settle_held(Arena& arena) noexcept;
  Result<void> settle_still() noexcept;
  Result<void> collect() noexcept;
  Result<bool> hold(Arena& arena) noexcept;

  ProfilerInfo& info_;
  ForcedCollection& collection_;
  ModuleGate& gate_;
  HeldContexts held_;
  std::uint32_t collections_ = 0;
  std::uint64_t longest_collection_ns_ = 0;
};

}  // namespace holdfast::clr
