// A heap for tests, object by object: regions, generations, and collections that tell what they keep and move, as the runtime does.
// Shape:  several heaps, each with its regions of kRegionBytes; gen0 is allocated at the end of a region and in its gaps, promotions go to
//         fresh regions or into gaps of older ones. A collection sweeps or compacts; some objects are pinned. Each object keeps its own
//         count of collections from the first that saw it.
// Zone:   offline (tests).   Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "clrprofiler/ages/age_ranges.h"

namespace holdfast::clr {

class SimulatedHeap {
 public:
  static constexpr std::uint64_t kRegionBytes = 1 << 14;
  static constexpr std::uint64_t kFirst = 0x7f0000000000;

  struct Object {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t first_seen = 0;  // 0: by none yet
    bool before_all = false;
  };
  struct Region {
    std::uint64_t start = 0;
    std::uint8_t generation = kGen0;
    std::uint32_t heap = 0;
    std::vector<Object> objects = {};  // by address
    bool listed = false;               // at the end of a collection
  };

  SimulatedHeap(std::uint32_t seed, std::uint32_t heaps) : random_(seed), heaps_(heaps) {}

  void allocate(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bytes = 24 + 8 * below(12);
      const auto large = below(40);
      const auto generation = large == 0 ? kLargeObjects : large == 1 ? kPinnedObjects : kGen0;
      place(Object{0, large == 0 ? bytes + 904 : bytes}, generation,
            static_cast<std::uint32_t>(below(heaps_)), below(2) == 0);
    }
  }
  // Tells what it does.
  void collect(AgeRanges& ages, std::uint32_t generation, bool compacting) {
    ++number_;
    ages.begin(number_, generation);
    list(ages);
    kill(generation);
    see(generation);
    if (compacting)
      compact(ages, generation);
    else
      sweep(ages, generation);
    drop_empty();
    ages.begin_last_listing();
    list(ages);
    ages.end();
  }
  // In the background: the application allocates where young objects have died; then all that lives is told.
  void collect_in_background(AgeRanges& ages) {
    ages.forget_young();
    kill_one(kGen0);
    for (Region& region : regions_)
      if (region.generation == kGen0)
        for (Object& object : region.objects) {
          object.first_seen = 0;
          object.before_all = false;
        }
    allocate(below(300));
    kill_one(kGen2);
    kill_one(kLargeObjects);
    kill_one(kPinnedObjects);
    for (Region& region : regions_)
      if (region.generation >= kLargeObjects && region.listed)
        for (Object& object : region.objects)
          if (object.first_seen == 0) object.first_seen = number_;
    for (const Region& region : regions_) {
      AgeRanges::Teller teller(ages);
      tell_plugs(region,
                 [&](std::uint64_t start, std::uint64_t bytes) { teller.survived(start, bytes); });
    }
    drop_empty();
    ages.end_background();
  }
  void note_before_all() {
    for (Region& region : regions_)
      for (Object& object : region.objects) {
        object.before_all = region.generation == kGen1 || region.generation == kGen2;
        object.first_seen = 0;
      }
  }
  std::uint32_t number() const { return number_; }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Region& region : regions_)
      for (const Object& object : region.objects) visit(object, region.generation);
  }
  AgeCode age_of(const Object& object) const {
    if (object.before_all) return kTenured;
    return object.first_seen == 0 ? AgeCode{0} : age_code(number_ - object.first_seen + 1);
  }

 private:
  Region& fresh(std::uint8_t generation, std::uint32_t heap) {
    // Freed places are taken again.
    std::uint64_t start = kFirst;
    if (!free_.empty()) {
      const std::size_t which = below(free_.size());
      start = free_[which];
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      start += kRegionBytes * made_++;
    }
    regions_.push_back(Region{start, generation, heap});
    return regions_.back();
  }
  // In the first gap or at the end; 0: there is no room.
  static std::uint64_t put(Region& region, Object object, bool gaps) {
    auto& all = region.objects;
    auto next = gaps ? all.begin() : all.end();
    std::uint64_t at = gaps || all.empty() ? region.start : end_of(all.back());
    for (; next != all.end() && next->address < at + object.bytes; ++next) at = end_of(*next);
    if (at + object.bytes > region.start + kRegionBytes) return 0;
    object.address = at;
    all.insert(next, object);
    return at;
  }
  static std::uint64_t end_of(const Object& object) { return object.address + object.bytes; }
  std::uint64_t place(Object object, std::uint8_t generation, std::uint32_t heap, bool gaps) {
    for (std::size_t i = regions_.size(); i-- > 0;) {
      Region& region = regions_[i];
      if (region.generation != generation || region.heap != heap) continue;
      if (const std::uint64_t at = put(region, object, gaps); at != 0) return at;
    }
    return put(fresh(generation, heap), object, gaps);
  }

  void kill_one(std::uint8_t generation) {
    const std::uint64_t one_in = 2 + below(4);
    for (Region& region : regions_)
      if (region.generation == generation)
        std::erase_if(region.objects, [&](const Object&) { return below(one_in) == 0; });
  }
  void kill(std::uint32_t generation) {
    for (std::uint8_t g = 0; g <= kPinnedObjects; ++g)
      if (g <= generation || generation == kGen2) kill_one(g);
  }
  bool collected(const Region& region, std::uint32_t generation) const {
    return region.generation <= generation || generation == kGen2;
  }
  void see(std::uint32_t generation) {
    for (Region& region : regions_)
      if (collected(region, generation))
        for (Object& object : region.objects)
          if (object.first_seen == 0) object.first_seen = number_;
  }

  template <class Tell>
  static void tell_plugs(const Region& region, Tell tell) {
    std::uint64_t start = 0, end = 0;
    for (const Object& object : region.objects) {
      if (object.address != end) {
        if (end != start) tell(start, end - start);
        start = object.address;
      }
      end = object.address + object.bytes;
    }
    if (end != start) tell(start, end - start);
  }
  // Regions are promoted as a whole; now and then a young one stays young.
  void sweep(AgeRanges& ages, std::uint32_t generation) {
    for (Region& region : regions_) {
      if (!collected(region, generation)) continue;
      AgeRanges::Teller teller(ages);
      tell_plugs(region,
                 [&](std::uint64_t start, std::uint64_t bytes) { teller.survived(start, bytes); });
      const bool stays = region.generation >= kGen2 || below(5) == 0;
      if (!stays) ++region.generation;
    }
  }
  // Object by object, to where there is room in the next generation; pinned ones stay where they are, and make their region a young one.
  void compact(AgeRanges& ages, std::uint32_t generation) {
    std::vector<Region> from;
    std::vector<Region> kept;
    for (Region& region : regions_)
      (collected(region, generation) && region.generation <= kGen2 ? from : kept)
          .push_back(std::move(region));
    regions_ = std::move(kept);
    for (Region& region : regions_) {
      if (!collected(region, generation)) continue;
      AgeRanges::Teller teller(ages);
      tell_plugs(region,
                 [&](std::uint64_t start, std::uint64_t bytes) { teller.survived(start, bytes); });
    }
    for (Region& region : from) move_out(ages, region);
  }
  void move_out(AgeRanges& ages, Region& region) {
    AgeRanges::Teller teller(ages);
    Region rest{region.start, static_cast<std::uint8_t>(region.generation == kGen2 ? kGen2 : kGen0),
                region.heap};
    const bool gaps = below(2) == 0;
    for (Object& object : region.objects) {
      if (below(50) == 0) {
        teller.moved(object.address, object.address, object.bytes);
        rest.objects.push_back(object);
        continue;
      }
      const std::uint64_t from = object.address;
      const auto to = std::min<std::uint8_t>(kGen2, region.generation + 1);
      teller.moved(from, place(object, to, region.heap, gaps), object.bytes);
    }
    if (rest.objects.empty())
      freed_now_.push_back(region.start);
    else
      regions_.push_back(rest);
  }
  void drop_empty() {
    std::erase_if(regions_, [this](const Region& region) {
      if (region.objects.empty()) freed_now_.push_back(region.start);
      return region.objects.empty();
    });
    free_.insert(free_.end(), freed_now_.begin(), freed_now_.end());
    freed_now_.clear();
  }
  void list(AgeRanges& ages) {
    for (int generation = kPinnedObjects; generation >= 0; --generation)
      for (Region& region : regions_) {
        if (region.generation != generation) continue;
        ages.list(static_cast<std::uint8_t>(generation), region.start,
                  end_of(region.objects.back()) - region.start, kRegionBytes);
        region.listed = true;
      }
  }

  std::mt19937_64 random_;
  std::uint32_t heaps_;
  std::uint32_t number_ = 0;
  std::uint64_t made_ = 0;
  std::vector<Region> regions_;
  std::vector<std::uint64_t> free_;
  std::vector<std::uint64_t> freed_now_;
};

}  // namespace holdfast::clr
