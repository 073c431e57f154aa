// Ages of objects by their addresses: a look at a table of age ranges that stands still.
// Shape:  ranges sorted by address, 16 B each, none overlap. age_at(): a binary search, or none where the next address lies in the range of
//         the last one or the one behind. What is in no range has never been looked at by a collection: age 0. A range of birth
//         kBeforeAll was there before anybody listened: kTenured.
//           age = now - birth + 1        collections from the first that saw the object to the last, all of them
// Zone:   any, stopped and child included (inline, no call).   Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "clrprofiler/coreclr/heap_segments.h"
#include "common/ages/object_age.h"

namespace holdfast::clr {

inline constexpr std::uint64_t kAgeUnitBytes = 8;
inline constexpr std::uint32_t kBeforeAll = 0;  // collections are numbered from 1

struct AgeRange {
  std::uint64_t start = 0;
  std::uint32_t units = 0;
  std::uint32_t birth = 0;  // the number of the first collection that found it alive

  std::uint64_t end() const noexcept { return start + units * kAgeUnitBytes; }
};
static_assert(sizeof(AgeRange) == 16);

class AgeView {
 public:
  AgeView() = default;
  // `now`: the number of the last collection.
  AgeView(std::span<const AgeRange> ranges, std::uint32_t now) noexcept
      : ranges_(ranges), now_(now), known_(true) {}

  // No collection tells of what is never collected: it was there before all.
  void set_lasting(std::span<const AddressRange> bounds) noexcept { lasting_ = bounds; }

  bool known() const noexcept { return known_; }
  AgeSource source() const noexcept { return known_ ? AgeSource::kRanges : AgeSource::kNone; }
  std::size_t size() const noexcept { return ranges_.size(); }

  AgeCode age_at(std::uint64_t address) noexcept {
    if (!known_) return kUnknownAge;
    const AgeRange* const range = find(address);
    if (range == nullptr) return lasts(address) ? kTenured : age_code(0);
    return range->birth == kBeforeAll ? kTenured : age_code(now_ - range->birth + 1);
  }

 private:
  const AgeRange* find(std::uint64_t address) noexcept {
    if (!is_hint(address) && !(++hint_ < ranges_.size() && is_hint(address))) search(address);
    if (hint_ == ranges_.size() || ranges_[hint_].start > address) return nullptr;
    return address < ranges_[hint_].end() ? &ranges_[hint_] : nullptr;
  }
  // The hint is the last range that begins at or before the address.
  bool is_hint(std::uint64_t address) const noexcept {
    return hint_ < ranges_.size() && ranges_[hint_].start <= address &&
           (hint_ + 1 == ranges_.size() || address < ranges_[hint_ + 1].start);
  }
  void search(std::uint64_t address) noexcept {
    const auto behind =
        std::upper_bound(ranges_.begin(), ranges_.end(), address,
                         [](std::uint64_t at, const AgeRange& r) { return at < r.start; });
    hint_ = behind == ranges_.begin() ? 0 : static_cast<std::size_t>(behind - ranges_.begin()) - 1;
  }

  bool lasts(std::uint64_t address) const noexcept {
    return std::any_of(lasting_.begin(), lasting_.end(), [address](const AddressRange& bounds) {
      return bounds.start <= address && address < bounds.end;
    });
  }

  std::span<const AgeRange> ranges_;
  std::span<const AddressRange> lasting_;
  std::uint32_t now_ = 0;
  bool known_ = false;
  std::size_t hint_ = 0;
};

}  // namespace holdfast::clr
