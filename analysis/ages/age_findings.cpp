#include "analysis/ages/age_findings.h"

#include <algorithm>

namespace holdfast::analysis {

AgeTotals age_totals(const ClassAges& ages) noexcept {
  AgeTotals totals;
  for (std::size_t range = 0; range < kAgeRanges; ++range) {
    totals.objects += ages.objects[range];
    totals.bytes += ages.bytes[range];
    if (!is_old_range(range)) continue;
    totals.old_objects += ages.objects[range];
    totals.old_bytes += ages.bytes[range];
  }
  return totals;
}

void add(ClassAges& sum, const ClassAges& one) noexcept {
  for (std::size_t range = 0; range < kAgeRanges; ++range) {
    sum.objects[range] += one.objects[range];
    sum.bytes[range] += one.bytes[range];
  }
  for (std::size_t word = 0; word < std::size(sum.codes); ++word)
    sum.codes[word] |= one.codes[word];
}

Result<AgeFindings> find_ages(const Snapshot& snapshot, Arena& arena,
                              const CancelToken& cancel) noexcept {
  constexpr std::uint32_t kLookEvery = 1u << 20;
  const std::uint32_t classes = snapshot.catalog.class_count();
  HF_TRY(rows, arena.make_filled<ClassAges>(std::size_t{classes} + 1, ClassAges{}));
  for (std::uint32_t v = 0; v < snapshot.object_count(); ++v) {
    if (v % kLookEvery == 0) HF_CHECK_OK(cancel.check());
    const ClassId id = snapshot.class_of[v];
    rows[id.valid() ? id.value : classes].add(snapshot.ages[v],
                                              snapshot.shallow_bytes(ObjectId{v}));
  }
  return AgeFindings{snapshot.age_source, rows};
}

}  // namespace holdfast::analysis
