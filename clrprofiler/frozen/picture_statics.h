// Whose static field a slot is: of all that the picture shows, by address.
// Why from memory: the API tells no slot of a generic type, of a class that has not been initialised, or of code that was compiled ahead.
// Shape:  those of the loaded types and instantiations of modules that are never unloaded, of every class that the heap has objects of, and of their base classes. 24 B a field.
// Zone:   child.   Errors: collect(): kOutOfBudget.
#pragma once

#include <algorithm>

#include "clrprofiler/coreclr/class_statics.h"
#include "clrprofiler/roots/number_set.h"

namespace holdfast::clr {

struct FieldSlot {
  Address slot = 0;
  Address owner = 0;  // a class
  std::uint32_t token = 0;
  friend bool operator==(const FieldSlot&, const FieldSlot&) = default;
};

class PictureStatics {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  Result<void> collect(const RuntimeLayout& layout, std::span<const Address> modules,
                       const KnownClasses& met, Arena& arena) noexcept;

  const FieldSlot& operator[](std::uint32_t i) const noexcept { return fields_[i]; }
  std::uint32_t find(Address slot) const noexcept { return find_in(fields_, slot); }
  bool any_within(Address start, Address end) const noexcept {
    const std::size_t at = first_from(fields_, start);
    return at < fields_.size() && fields_[at].slot < end;
  }
  // Of which each thread has a value of its own; their slot is place_in_thread().
  std::span<const FieldSlot> of_threads() const noexcept { return of_threads_; }
  std::uint32_t find_of_thread(std::uint64_t place, std::uint64_t offset) const noexcept {
    return find_in(of_threads_, place_in_thread(place, offset));
  }

 private:
  static Address place_in_thread(std::uint64_t place, std::uint64_t offset) noexcept {
    return place << 32 | offset;
  }
  static std::uint32_t find_in(std::span<const FieldSlot> fields, Address slot) noexcept {
    const std::size_t at = first_from(fields, slot);
    return at < fields.size() && fields[at].slot == slot ? static_cast<std::uint32_t>(at) : kNone;
  }
  static std::size_t first_from(std::span<const FieldSlot> fields, Address slot) noexcept {
    const auto at = std::lower_bound(fields.begin(), fields.end(), slot,
                                     [](const FieldSlot& one, Address a) { return one.slot < a; });
    return static_cast<std::size_t>(at - fields.begin());
  }

  std::span<FieldSlot> fields_;      // by slot
  std::span<FieldSlot> of_threads_;  // by slot
};

}  // namespace holdfast::clr
