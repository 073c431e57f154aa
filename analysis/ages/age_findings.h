// How old the objects of each class are, summed up from the snapshot's codes; and what is called old.
// Why over all objects: a class whose old objects pile up is told by them, held or not, as its histogram is.
// Shape:  O(objects), reads memory forward; 352 B a class stay. A capture without a graph has summed them itself.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

// Old: survived so many collections, or tenured. What a request needs is gone by then.
inline constexpr std::uint64_t kOldCollections = 8;

constexpr bool is_old_range(std::size_t range) noexcept {
  return range == kTenuredRange || range_begin(range) >= kOldCollections;
}

struct AgeTotals {
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t old_objects = 0, old_bytes = 0;
};
AgeTotals age_totals(const ClassAges& ages) noexcept;
void add(ClassAges& sum, const ClassAges& one) noexcept;

// Of a snapshot that has ages.
Result<AgeFindings> find_ages(const Snapshot& snapshot, Arena& arena,
                              const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
