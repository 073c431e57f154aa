// Ages of objects added up by class, for dumps that only count.
// Shape:  352 B a class; rows as the class table numbers them (0: of no class), then as a histogram has them (the last: of no class).
// Zone:   make(), tell(): capture, child. add(): any, stopped included.
// Errors: make(), tell(): the arena's.
#pragma once

#include <span>

#include "clrprofiler/ages/age_view.h"
#include "common/ages/class_ages.h"
#include "common/arena.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

class ClassAgeSums {
 public:
  Result<void> make(std::size_t classes, Arena& arena) noexcept {
    HF_TRY(rows, arena.make_zeroed<ClassAges>(classes));
    rows_ = rows;
    return {};
  }
  void look_with(const AgeView& ages) noexcept { ages_ = ages; }
  bool wanted() const noexcept { return !rows_.empty(); }
  void add(std::size_t row, std::uint64_t address, std::uint64_t bytes) noexcept {
    rows_[row].add(ages_.age_at(address), bytes);
  }
  // Of the first `classes` rows. Nothing where no age is known.
  Result<void> tell(std::size_t classes, Arena& arena, Capture& out) const noexcept {
    if (!wanted() || !ages_.known() || classes == 0) return {};
    HF_TRY(told, arena.make<ClassAges>(classes));
    for (std::size_t i = 1; i < classes; ++i) told[i - 1] = rows_[i];
    told[classes - 1] = rows_[0];
    out.class_ages = told;
    out.age_source = ages_.source();
    return {};
  }

 private:
  std::span<ClassAges> rows_;
  AgeView ages_;
};

}  // namespace holdfast::clr
