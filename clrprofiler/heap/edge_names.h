// What the references of an object are called: the runtime tells them in the order of the class's layout, without names.
// Why not always: null references are left out, so only an object that has all of them shows which is which, or one of which
//      the recording says which are set.
// Shape:  one EdgeNames a class; RowNames for one object, then label(k) of its k-th edge. O(1); O(k) where some are null.
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

class RowNames {
 public:
  // `set`: RecordedNode::set.
  RowNames(const EdgeNames& names, std::uint64_t units, std::uint32_t edges,
           std::uint64_t set = 0) noexcept
      : names_(names), leading_(names.collectible ? 1 : 0), set_(set) {
    if (names.kind == EdgeNames::Kind::kElements) unknown_ = SpecialRef::kElement;
    const std::uint64_t own = edges >= leading_ ? edges - leading_ : 0;
    const std::uint64_t all = expected(units);
    known_ = own > 0 && (own == all || fits(set, own, all));
    if (own == all) set_ = 0;
  }

  RefLabel label(std::uint32_t k) const noexcept {
    if (k < leading_) return special(SpecialRef::kClassLoader);
    if (!known_) return special(unknown_);
    const std::uint32_t slot = slot_of(k - leading_);
    if (names_.kind == EdgeNames::Kind::kFields) return names_.fields[slot];
    return RefLabel::element(slot / names_.per_element);
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
  // References of an object in which none is null.
  std::uint64_t expected(std::uint64_t units) const noexcept {
    if (names_.kind == EdgeNames::Kind::kFields) return names_.fields.size();
    if (names_.kind != EdgeNames::Kind::kElements || units < names_.base_units) return 0;
    if (names_.element_units == 0 || names_.per_element == 0) return 0;
    return (units - names_.base_units) / names_.element_units * names_.per_element;
  }

  const EdgeNames& names_;
  std::uint32_t leading_;
  std::uint64_t set_;
  bool known_ = false;
  SpecialRef unknown_ = SpecialRef::kOther;
};

}  // namespace holdfast::clr
