// Who else holds a suspect: paths from other GC roots, or over other fields, that join the
// suspect's own path behind the field that a developer would clear. "4,000 items, held by static
// field A.items, and by B.copies as well."
// Why:    a shortest path is one of many. Clearing its field frees nothing as long as another way
//         leads there.
// How:    the last field of the application's own on the path (a static field, or of an object
//         whose class is not the platform's) is what one would clear. One sweep over all references
//         finds who else refers to what lies behind it; a walk up the parents that reachability
//         left gives each a path. Two ways are one where root and last field are the same.
// Shape:  at most kMaxOtherPaths for each suspect, the shortest first; each ends where it joins the
//         suspect's path. Ways that pass what lies behind the field, that come from below it, or
//         whose root lasts shorter than the path's, are none; nor is the array in which a CLR keeps
//         static fields. Scratch n / 8 B and 16 KB a suspect.
//         O(m), sequential, when there are suspects.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/suspects.h"

namespace holdfast::analysis {

// Sets SuspectResult::others; of at most kMaxWithOthers suspects.
Result<void> find_other_paths(const SuspectInput& input, std::span<SuspectResult> suspects,
                              Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
