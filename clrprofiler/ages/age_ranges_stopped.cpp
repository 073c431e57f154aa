#include "clrprofiler/ages/age_ranges.h"

#include <cstring>
#include <utility>

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kWhole = kGen2;

bool is_apart(std::uint8_t generation) noexcept {
  return generation == kLargeObjects || generation == kPinnedObjects;
}

// What comes into a gap there is told as moved.
bool gaps_stay_empty(std::uint8_t generation) noexcept {
  return generation == kGen1 || generation == kGen2;
}

// Both lie in one region, the second behind the first: does one range take both?
bool join(AgeRange& first, const AgeRange& second, const HeapRegion& region) noexcept {
  if (first.birth != second.birth || first.start < region.start) return false;
  const bool together = first.end() == second.start || gaps_stay_empty(region.generation);
  const std::uint64_t units = (second.end() - first.start) / kAgeUnitBytes;
  if (!together || units > UINT32_MAX) return false;
  first.units = std::max(first.units, static_cast<std::uint32_t>(units));
  return true;
}

// Or the first.
std::size_t last_at_or_before(std::span<const AgeRange> ranges, std::uint64_t address) noexcept {
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), address,
                       [](std::uint64_t at, const AgeRange& r) { return at < r.start; });
  return behind == ranges.begin() ? 0 : static_cast<std::size_t>(behind - ranges.begin()) - 1;
}

}  // namespace

// -- tellers --

HeapRegion* AgeRanges::Teller::region_of(std::uint64_t address) noexcept {
  if (!place_.holds(address)) place_ = ranges_.before_->place_of(address);
  return place_.region;
}

// True: whatever the old table has of its region stays as it is.
bool AgeRanges::Teller::stays(std::uint64_t start) noexcept {
  HeapRegion* const region = region_of(start);
  if (ranges_.background_) return region == nullptr || !is_apart(region->generation);
  if (region == nullptr || region->generation != kGen2 || region->given_back != 0 ||
      ranges_.generation_ != kWhole)
    return false;
  std::atomic_ref<std::uint8_t>(region->swept).store(1, std::memory_order_relaxed);
  return true;
}

void AgeRanges::Teller::survived(std::uint64_t start, std::uint64_t bytes) noexcept {
  if (!stays(start)) moved(start, start, bytes);
}

// All that lives around there is told.
bool AgeRanges::Teller::is_collected(std::uint64_t to) noexcept {
  if (!target_.holds(to)) target_ = ranges_.before_->place_of(to);
  return target_.region == nullptr || ranges_.generation_ == kWhole ||
         target_.region->generation <= ranges_.generation_;
}

void AgeRanges::Teller::moved(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) noexcept {
  if (bytes == 0 || from + bytes < from || to + bytes < to) return;
  const HeapRegion* const region = region_of(from);
  if (region != nullptr && region->given_back != 0) return out_.add(to, bytes, ranges_.number_);
  const auto old = ranges_.table();
  const bool alone = out_.in_need() && is_collected(to);
  const std::uint64_t end = from + bytes;
  if (hint_ >= old.size() || old[hint_].start > from ||
      (hint_ + 1 < old.size() && old[hint_ + 1].start <= from))
    hint_ = last_at_or_before(old, from);
  std::uint64_t at = from;
  for (; hint_ < old.size() && at < end; ++hint_) {
    const AgeRange& range = old[hint_];
    if (range.end() <= at) continue;
    if (range.start >= end) break;
    if (range.start > at) {
      out_.add(to + (at - from), range.start - at, ranges_.number_, alone);
      at = range.start;
    }
    const std::uint64_t until = std::min(end, range.end());
    out_.add(to + (at - from), until - at, range.birth, alone);
    at = until;
    if (until < range.end()) break;
  }
  if (at < end) out_.add(to + (at - from), end - at, ranges_.number_, alone);
}

// -- a collection --

void AgeRanges::begin(std::uint32_t number, std::uint32_t generation) noexcept {
  number_ = number;
  generation_ = generation;
  background_ = false;
  last_listing_ = false;
  told_.begin();
  after_->clear();
}

void AgeRanges::list(std::uint8_t generation, std::uint64_t start, std::uint64_t used_bytes,
                     std::uint64_t reserved_bytes) noexcept {
  after_->add(generation, start, used_bytes, reserved_bytes);
  if (last_listing_) return;
  HeapRegion* const known = before_->find(start);
  if (known == nullptr || known->generation == generation) return;
  known->generation = generation;
  known->given_back = 1;
}

// Whatever is told from now on is told by one in the background.
void AgeRanges::rest() noexcept {
  size_.store(count_, std::memory_order_relaxed);
  background_ = true;
  told_.begin();
}

void AgeRanges::restart() noexcept {
  if (known()) restarts_.fetch_add(1, std::memory_order_relaxed);
  known_.store(false, std::memory_order_relaxed);
  count_ = 0;
  before_->clear();
  rest();
}

void AgeRanges::end() noexcept {
  after_->order();
  if (after_->overrun()) return restart();
  if (known())
    make_table();
  else
    start_anew();
  std::swap(before_, after_);
  rest();
}

// Its own listing comes when the application runs again, so the one of the last collection's end stays.
void AgeRanges::end_background() noexcept {
  if (known()) make_table();
  rest();
}

void AgeRanges::forget_young() noexcept {
  HeapRegions::Place place;
  const auto all = current_.first(count_);
  const auto end = std::remove_if(all.begin(), all.end(), [&](const AgeRange& range) noexcept {
    if (!place.holds(range.start)) place = before_->place_of(range.start);
    return place.region != nullptr && place.region->generation == kGen0;
  });
  count_ = static_cast<std::size_t>(end - all.begin());
  size_.store(count_, std::memory_order_relaxed);
}

bool AgeRanges::collects(const HeapRegion& region) const noexcept {
  if (region.given_back != 0) return true;
  if (background_) return is_apart(region.generation);
  if (generation_ < kWhole) return region.generation <= generation_;
  return region.generation != kGen2 || region.swept == 0;
}

// What is in gen1 and gen2 was there before anybody listened, as far as anybody knows. Of large and pinned objects nobody knows where gaps
// are that new ones come into: they are young until a whole collection tells of them.
void AgeRanges::start_anew() noexcept {
  count_ = 0;
  for (const HeapRegion& region : after_->all()) {
    const std::uint64_t bytes = std::min(region.used_end, region.end) - region.start;
    if (!gaps_stay_empty(region.generation) || bytes == 0) continue;
    if (count_ == current_.size()) {
      forgotten_.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    const auto units =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / kAgeUnitBytes, UINT32_MAX));
    current_[count_++] = AgeRange{region.start, units, kBeforeAll};
  }
  known_.store(true, std::memory_order_relaxed);
}

AgeLosses AgeRanges::losses() const noexcept {
  return {coarsened_.load(std::memory_order_relaxed), forgotten_.load(std::memory_order_relaxed),
          restarts_.load(std::memory_order_relaxed)};
}

// -- the new table --

// From the old ranges that are kept and the told ones, both by address; where they overlap the told one is right. No range lies in two
// regions.
class AgeRanges::Merge {
 public:
  Merge(AgeRanges& ranges, const HeapRegions& regions) noexcept
      : ranges_(ranges),
        listing_(regions),
        old_(ranges.current_.first(ranges.count_)),
        regions_(regions.all()) {}

  void run() noexcept {
    for (const HeapRegion& region : ranges_.before_->all()) {
      put_told_before(region.start);
      pass(region.start);
      if (stays(region)) keep(region.end);
      pass(region.end);
    }
    put_told_before(UINT64_MAX);
  }
  std::size_t count() const noexcept { return count_; }
  std::uint64_t forgotten() const noexcept { return forgotten_; }  // for want of room
  std::uint64_t given_up() const noexcept { return given_up_; }

 private:
  // A collection in the background gives regions back, which may have become young ones since.
  bool stays(const HeapRegion& region) const noexcept {
    if (ranges_.collects(region)) return false;
    const HeapRegion* const now = listing_.find(region.start);
    return now != nullptr && now->generation == region.generation;
  }
  void pass(std::uint64_t until) noexcept {
    while (i_ < old_.size() && old_[i_].start < until) ++i_;
  }
  void put_told_before(std::uint64_t address) noexcept {
    for (const AgeRange* told = ranges_.told_.front(); told != nullptr && told->start < address;
         told = ranges_.told_.front()) {
      put(*told);
      told_end_ = std::max(told_end_, told->end());
      ranges_.told_.next();
    }
  }
  void keep(std::uint64_t until) noexcept {
    while (i_ < old_.size() && old_[i_].start < until) {
      AgeRange& old = old_[i_];
      if (old.start < told_end_) {
        cut_front(old);
        continue;
      }
      const AgeRange* const told = ranges_.told_.front();
      const std::uint64_t told_at = told != nullptr ? told->start : UINT64_MAX;
      if (told_at >= old.end()) {
        keep_run(std::min(until, told_at));
        continue;
      }
      if (told_at > old.start) put(part(old, old.start, told_at));
      put_told_before(told_at + 1);
    }
  }
  void cut_front(AgeRange& old) noexcept {
    if (old.end() <= told_end_)
      ++i_;
    else
      old = part(old, told_end_, old.end());
  }
  static AgeRange part(const AgeRange& of, std::uint64_t start, std::uint64_t end) noexcept {
    return AgeRange{start, static_cast<std::uint32_t>((end - start) / kAgeUnitBytes), of.birth};
  }

  // Old ranges that end before the address, no told one among them; at least one. Whatever of them could be one range is one already.
  void keep_run(std::uint64_t until) noexcept {
    const auto rest = old_.subspan(i_);
    std::size_t count = last_at_or_before(rest, until - 1) + 1;
    if (count > 1 && rest[count - 1].end() > until) --count;
    put(rest[0]);
    const std::size_t room = ranges_.next_.size() - count_;
    if (count - 1 <= room && in_region(rest[count - 1].start)) {
      std::memcpy(ranges_.next_.data() + count_, rest.data() + 1, (count - 1) * sizeof(AgeRange));
      count_ += count - 1;
    } else {
      for (const AgeRange& range : rest.subspan(1, count - 1)) put(range);
    }
    i_ += count;
  }

  bool in_region(std::uint64_t address) const noexcept {
    return region_ < regions_.size() && regions_[region_].holds(address);
  }
  void put(AgeRange range) noexcept {
    while (range.units != 0) {
      while (region_ < regions_.size() && regions_[region_].end <= range.start) ++region_;
      if (!in_region(range.start)) return;
      const std::uint64_t end = std::min(range.end(), regions_[region_].end);
      put_in_region(part(range, range.start, end));
      range = part(range, end, range.end());
    }
  }
  void put_in_region(AgeRange range) noexcept {
    const bool loose = (range.birth & ToldRanges::kLoose) != 0;
    range.birth &= ~ToldRanges::kLoose;
    if (loose && !gaps_stay_empty(regions_[region_].generation)) {
      ++given_up_;
      return;
    }
    if (joins(range)) return;
    if (count_ == ranges_.next_.size())
      ++forgotten_;
    else
      ranges_.next_[count_++] = range;
  }
  bool joins(const AgeRange& range) noexcept {
    return count_ != 0 && join(ranges_.next_[count_ - 1], range, regions_[region_]);
  }

  AgeRanges& ranges_;
  const HeapRegions& listing_;
  std::span<AgeRange> old_;
  std::span<const HeapRegion> regions_;
  std::size_t i_ = 0;       // of the old ranges
  std::size_t region_ = 0;  // of the one that the last range lay in
  std::size_t count_ = 0;
  std::uint64_t told_end_ = 0;
  std::uint64_t forgotten_ = 0;
  std::uint64_t given_up_ = 0;
};

void AgeRanges::make_table() noexcept {
  told_.order();
  forgotten_.fetch_add(told_.take_lost(), std::memory_order_relaxed);
  const HeapRegions& regions = background_ ? *before_ : *after_;
  Merge merge(*this, regions);
  merge.run();
  forgotten_.fetch_add(merge.given_up(), std::memory_order_relaxed);
  count_ = merge.forgotten() == 0 ? merge.count() : merge_coarser(regions);
  std::swap(current_, next_);
}

std::size_t AgeRanges::merge_coarser(const HeapRegions& regions) noexcept {
  coarsen();
  coarsened_.fetch_add(1, std::memory_order_relaxed);
  told_.rewind();
  Merge merge(*this, regions);
  merge.run();
  forgotten_.fetch_add(merge.forgotten(), std::memory_order_relaxed);
  return merge.count();
}

void AgeRanges::coarsen() noexcept {
  const auto coarser = [this](AgeRange& range) noexcept {
    const std::uint32_t birth = range.birth & ~ToldRanges::kLoose;
    if (birth == kBeforeAll) return;
    const std::uint64_t age = number_ - birth + 1;
    range.birth = static_cast<std::uint32_t>(number_ - range_begin(age_range(age)) + 1) |
                  (range.birth & ToldRanges::kLoose);
  };
  told_.for_each(coarser);
  std::size_t count = 0;
  for (AgeRange range : table()) {
    coarser(range);
    const HeapRegion* const region = before_->find(range.start);
    if (count == 0 || region == nullptr || !join(current_[count - 1], range, *region))
      current_[count++] = range;
  }
  count_ = count;
}

AgeView AgeRanges::copy_to(std::span<AgeRange> room, std::uint32_t now) const noexcept {
  if (!known() || count_ > room.size()) return {};
  std::copy(table().begin(), table().end(), room.begin());
  return AgeView(room.first(count_), now);
}

}  // namespace holdfast::clr
