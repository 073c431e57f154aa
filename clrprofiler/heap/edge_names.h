// What the references of an object are called: the runtime tells them in the order of the class's layout, without names.
// Why not always: null references are left out, so only an object that has all of them shows which is which, or one of which
//      the recording says which are set.
// Shape:  one EdgeNames a class; RowNames for one object, then label(k) of its k-th edge. O(1); O(k) where some are null.
//         Who reads objects in memory knows which slot is null, and asks for slot_label() alone.
//         fields:    fields[k] names the k-th reference of the layout, when there are as many edges as fields.
//         elements:  (units - base_units) / element_units elements of per_element references each, by index, when none is missing.
//         An object of a collectible class has one more edge in front, to its LoaderAllocator.
// Zone:   capture.   Errors: none; what cannot be told is special(kElement) in an array, else special(kOther).
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "clrprofiler/heap/reference_map_stopped.h"
#include "common/snapshot/kinds.h"

namespace holdfast::clr {

struct EdgeNames {
  enum class Kind : std::uint8_t { kUnknown, kFields, kElements };
  Kind kind = Kind::kUnknown;
  bool collectible = false;
  std::uint32_t per_element = 1;
  std::uint32_t base_units = 0;     // of an array without elements
  std::uint32_t element_units = 1;  // of one element
  std::span<const RefLabel> fields;
};

// References that an object of so many units has room for, without the one to its load context.
constexpr std::uint64_t reference_slots(const EdgeNames& names, std::uint64_t units) noexcept {
  if (names.kind == EdgeNames::Kind::kFields) return names.fields.size();
  if (names.kind != EdgeNames::Kind::kElements || units < names.base_units) return 0;
  if (names.element_units == 0 || names.per_element == 0) return 0;
  return (units - names.base_units) / names.element_units * names.per_element;
}

// What a slot is called where no name fits.
constexpr RefLabel unknown_slot(const EdgeNames& names) noexcept {
  return special(names.kind == EdgeNames::Kind::kElements ? SpecialRef::kElement
                                                          : SpecialRef::kOther);
}

// Of one of the reference_slots().
inline RefLabel slot_label(const EdgeNames& names, std::uint32_t slot) noexcept {
  if (names.kind == EdgeNames::Kind::kFields) return names.fields[slot];
  return RefLabel::element(slot / names.per_element);
}

class RowNames {
 public:
  // `set`: RecordedNode::set.
  RowNames(const EdgeNames& names, std::uint64_t units, std::uint32_t edges,
           std::uint64_t set = 0) noexcept
      : names_(names), leading_(names.collectible ? 1 : 0), set_(set) {
    const std::uint64_t own = edges >= leading_ ? edges - leading_ : 0;
    const std::uint64_t all = reference_slots(names, units);
    known_ = own > 0 && (own == all || fits(set, own, all));
    if (own == all) set_ = 0;
  }

  RefLabel label(std::uint32_t k) const noexcept {
    if (k < leading_) return special(SpecialRef::kClassLoader);
    return known_ ? slot_label(names_, slot_of(k - leading_)) : unknown_slot(names_);
  }

 private:
  static bool fits(std::uint64_t set, std::uint64_t own, std::uint64_t all) noexcept {
    const bool inside = all >= 64 || set >> all == 0;
    return count_set(set) == own && inside;
  }
  // The place of the k-th reference that is set.
  std::uint32_t slot_of(std::uint32_t k) const noexcept {
    if (set_ == 0) return k;
    std::uint64_t left = set_;
    for (; k > 0; --k) left &= left - 1;
    return static_cast<std::uint32_t>(std::countr_zero(left));
  }

  const EdgeNames& names_;
  std::uint32_t leading_;
  std::uint64_t set_;
  bool known_ = false;
};

}  // namespace holdfast::clr
