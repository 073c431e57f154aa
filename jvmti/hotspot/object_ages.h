// The age of an object in the frozen heap: its mark word's bits where the heap is young, tenured elsewhere.
// Why the place is asked first: bits of an object that was promoted stay as they were, and a collection of the whole heap clears them.
// Shape:  open(): once for each picture, one byte a region (G1). of(): O(1), the object's header and for a locked one another word.
// Zone:   child.
// Errors: open() answers why ages are not told, "" when they are. of(): kUnknownAge where the mark word is elsewhere and does not look
//         like one.
// Source: HotSpot, oops/markWord.hpp, gc/g1/heapRegionType.hpp; figures in
//         docs/decisions/039-object-ages-hotspot.md.
#pragma once

#include <span>

#include "common/ages/object_age.h"
#include "common/arena.h"
#include "jvmti/hotspot/age_layout.h"
#include "jvmti/hotspot/heap_view.h"
#include "jvmti/hotspot/readable_pages.h"

namespace holdfast::jvmti {

class ObjectAges {
 public:
  // `ages` may be nullptr as long as nothing is asked.
  ObjectAges(const HeapLayout& heap, const AgeLayout* ages) noexcept
      : heap_(heap), ages_(ages != nullptr ? *ages : AgeLayout{}) {}

  const char* open(Arena& arena) noexcept;
  // After open(): a collection has emptied the region, or has not filled it as far as here. What it left behind still looks like objects.
  bool holds_nothing(Address object) const noexcept {
    return !tops_.empty() && object >= tops_[(object - heap_.heap_start) >> region_shift_];
  }
  // After open(): visit(start, end of what is filled) for each region that holds something.
  // Nothing where regions or what they are filled to are not known.
  template <class Visit>
  void for_each_filled_region(Visit visit) const noexcept {
    for (std::size_t i = 0; i < tops_.size(); ++i) {
      const Address start = heap_.heap_start + (std::uint64_t{i} << region_shift_);
      if (tops_[i] > start && tops_[i] <= start + region_bytes()) visit(start, tops_[i]);
    }
  }
  std::uint64_t region_bytes() const noexcept { return std::uint64_t{1} << region_shift_; }
  AgeCode of(Address object) noexcept {
    switch (place_of(object)) {
      case Place::kYoung:
        return young_age(load<std::uint64_t>(object + heap_.mark));
      case Place::kOld:
        return kTenured;
      default:
        return kUnknownAge;
    }
  }

 private:
  enum class Place : std::uint8_t { kUnknown, kYoung, kOld };
  static constexpr std::uint64_t kLockBits = 3, kLocked = 0, kUnlocked = 1, kInflated = 2;

  Place place_of(Address object) const noexcept {
    if (ages_.young == YoungPlace::kRegions)
      return regions_[(object - heap_.heap_start) >> region_shift_];
    return object - young_start_ < young_bytes_ ? Place::kYoung : Place::kOld;
  }
  AgeCode young_age(std::uint64_t mark) noexcept;
  AgeCode displaced_age(Address where) noexcept;
  AgeCode bits_of(std::uint64_t mark) const noexcept {
    return static_cast<AgeCode>((mark >> ages_.age_shift) & ages_.age_mask);
  }
  const char* open_range() noexcept;
  const char* open_regions(Arena& arena) noexcept;
  bool read_region(Address table, std::size_t i) noexcept;

  const HeapLayout& heap_;
  const AgeLayout ages_;
  ReadablePages pages_;
  Address young_start_ = 0;
  std::uint64_t young_bytes_ = 0;
  std::span<Place> regions_;
  std::span<Address> tops_;  // of each region: no object begins there or behind; empty: not known
  std::uint32_t region_shift_ = 0;
};

}  // namespace holdfast::jvmti
