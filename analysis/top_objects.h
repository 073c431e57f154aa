// The objects with the largest retained sizes, largest first; equal ones by id, so that equal heaps give equal reports.
// Shape:  a heap of `limit` objects; O(held log limit).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <span>

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

Result<std::span<const ObjectId>> top_objects(const Dominators& dominators, std::uint32_t limit,
                                              Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
