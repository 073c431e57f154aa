// Where the generations of a CLR's heap lie, as a collection's events list them.
// Why of the end of a collection: what is listed there is what the next one finds, but for regions that came since, which are young or
//      hold nothing that was ever told.
// Shape:  regions by address, 32 B each, at most kMostRegions: 128 GB of regions of 4 MB. add() in any order, then order().
// Zone:   open(): load. The rest: stopped (inline), one thread; find(): any number of threads between order() and the next add().
// Errors: more regions than there is room for: overrun().
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/result.h"

namespace holdfast::clr {

enum Generation : std::uint8_t { kGen0, kGen1, kGen2, kLargeObjects, kPinnedObjects };

struct HeapRegion {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // of what is reserved
  std::uint64_t used_end = 0;
  std::uint8_t generation = kGen0;
  std::uint8_t swept = 0;  // what lives in it stayed where it was, and was told; for atomic_ref
  std::uint8_t given_back =
      0;  // and taken for another generation since: nothing is left of what lay in it

  bool holds(std::uint64_t address) const noexcept { return start <= address && address < end; }
};
static_assert(sizeof(HeapRegion) == 32);

class HeapRegions {
 public:
  static constexpr std::size_t kMostRegions = std::size_t{1} << 15;

  Result<void> open(Arena& arena) noexcept {
    HF_TRY(all, arena.make<HeapRegion>(kMostRegions));
    all_ = all;
    return {};
  }
  void clear() noexcept {
    count_ = 0;
    overrun_ = false;
  }
  void add(std::uint8_t generation, std::uint64_t start, std::uint64_t used_bytes,
           std::uint64_t reserved_bytes) noexcept {
    const std::uint64_t bytes = std::max(used_bytes, reserved_bytes);
    if (bytes == 0) return;
    if (count_ == all_.size()) {
      overrun_ = true;
      return;
    }
    all_[count_++] = HeapRegion{start, start + bytes, start + used_bytes, generation};
  }
  // By address. Where two overlap, the first ends where the second begins.
  void order() noexcept {
    const auto regions = all();
    std::sort(regions.begin(), regions.end(),
              [](const HeapRegion& a, const HeapRegion& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < count_; ++i)
      regions[i - 1].end = std::min(regions[i - 1].end, regions[i].start);
  }

  std::span<HeapRegion> all() const noexcept { return all_.first(count_); }
  bool overrun() const noexcept { return overrun_; }
  // The region that an address lies in, or the gap: from the end of the region before to the next one.
  struct Place {
    HeapRegion* region = nullptr;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    bool holds(std::uint64_t address) const noexcept { return start <= address && address < end; }
  };
  Place place_of(std::uint64_t address) const noexcept {
    const auto regions = all();
    const auto behind =
        std::upper_bound(regions.begin(), regions.end(), address,
                         [](std::uint64_t at, const HeapRegion& r) { return at < r.start; });
    const std::uint64_t next = behind == regions.end() ? UINT64_MAX : behind->start;
    if (behind == regions.begin()) return {nullptr, 0, next};
    HeapRegion& region = *(behind - 1);
    if (region.holds(address)) return {&region, region.start, region.end};
    return {nullptr, region.end, next};
  }
  // nullptr: in none.
  HeapRegion* find(std::uint64_t address) const noexcept { return place_of(address).region; }

 private:
  std::span<HeapRegion> all_;
  std::size_t count_ = 0;
  bool overrun_ = false;
};

}  // namespace holdfast::clr
