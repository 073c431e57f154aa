// Waits, before a collection with heap events, until no collectible load context is half gone.
// Why: at the end of such a collection the runtime reads the static variables of every module that is loaded. Those of a collectible context
//      are arrays that die with it, while its modules stay listed until a finalizer has run; between the two the runtime reads freed memory
//      and crashes (seen on .NET 8, 9 and 10; any tool's heap dump does it). So what is dead is collected first, without heap events.
// Shape:  nothing where no collectible module is loaded. Else rounds of a collection and kUnloadQuietNs in which no module comes or goes, at most
//         for kUnloadPatienceNs: usually one round, two where something was dead. Before .NET 9, where no context can be held
//         (held_contexts.h), one look is not enough: none is loaded, and kUnloadQuietNs later none is and none has gone. Unloads have to pass meanwhile: before the gate is closed.
//         What remains: a context that is dropped and collected between the last round, or the last look, and the dump: some milliseconds,
//         and from .NET 9 on none.
// Zone:   capture, application running; stopped by collections like any other.
// Errors: kTooMany (detail: ns): contexts have come and gone for kUnloadPatienceNs; those of ForcedCollection::collect().
// Source: BulkStaticsLogger::LogAllStatics of the runtime, which looks at no LoaderAllocator.
#pragma once

#include "clrprofiler/forced_collection.h"
#include "clrprofiler/profiler_info.h"
#include "clrprofiler/unload_gate.h"

namespace holdfast::clr {

inline constexpr std::uint64_t kUnloadQuietNs = 200'000'000;
// Before .NET 9, where no context can be held: none may come or go for so long before anything is collected.
inline constexpr std::uint64_t kUnloadStillNs = 2'000'000'000;
inline constexpr std::uint64_t kUnloadPatienceNs = 3'000'000'000;

// Any module that the runtime may unload? Also true where it does not say which there are.
bool has_collectible_modules(ProfilerInfo& info) noexcept;

// Answers how many collections it took.
Result<std::uint32_t> settle_contexts(ProfilerInfo& info, ForcedCollection& collection,
                                      const UnloadGate& gate) noexcept;

}  // namespace holdfast::clr
