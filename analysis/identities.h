// Which of the objects that a report names are known from earlier dumps, and numbers for the others (track=on).
// Shape:  the largest objects and what holds suspects, each once; O(named * known). The adapter is told how a root leads to each new one:
//         it looks for them in the running program afterwards.
// Zone:   worker, child.   Errors: kOutOfBudget.
#pragma once

#include "analysis/results.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast::analysis {

Result<Identities> find_identities(const Tracking& tracking,
                                   std::span<const RootPathResult> top_paths,
                                   std::span<const SuspectResult> suspects, Arena& arena) noexcept;

}  // namespace holdfast::analysis
