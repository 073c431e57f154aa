#include "jvmti/hotspot/object_ages.h"

namespace holdfast::jvmti {

namespace {

// G1's regions have 1 MB to 512 MB.
constexpr std::uint32_t kLeastRegionShift = 20;
constexpr std::uint32_t kMostRegionShift = 32;
constexpr std::uint64_t kPageBytes = 4096;

}  // namespace

const char* ObjectAges::open(Arena& arena) noexcept {
  if (ages_.why_not[0] != '\0') return ages_.why_not;
  return ages_.young == YoungPlace::kRegions ? open_regions(arena) : open_range();
}

const char* ObjectAges::open_range() noexcept {
  constexpr const char* kElsewhere = "the VM's young generation is not where its tables say";
  if (!pages_.has(ages_.generation_cell)) return kElsewhere;
  const auto generation = load<Address>(ages_.generation_cell);
  if (!pages_.has(generation + ages_.range_start) || !pages_.has(generation + ages_.range_words))
    return kElsewhere;
  young_start_ = load<Address>(generation + ages_.range_start);
  const auto words = load<std::uint64_t>(generation + ages_.range_words);
  const std::uint64_t heap_bytes = heap_.heap_end - heap_.heap_start;
  if (young_start_ < heap_.heap_start || young_start_ >= heap_.heap_end || words == 0 ||
      words > heap_bytes / 8 || words * 8 > heap_.heap_end - young_start_ ||
      (young_start_ | words * 8) % kPageBytes != 0)
    return kElsewhere;
  young_bytes_ = words * 8;
  return "";
}

const char* ObjectAges::open_regions(Arena& arena) noexcept {
  constexpr const char* kElsewhere = "the VM's regions are not where its tables say";
  for (const std::uint32_t field : {ages_.table_base, ages_.table_length, ages_.table_shift})
    if (!pages_.has(ages_.region_table + field)) return kElsewhere;
  const auto table = load<Address>(ages_.region_table + ages_.table_base);
  const auto count = load<std::uint64_t>(ages_.region_table + ages_.table_length);
  region_shift_ = load<std::uint32_t>(ages_.region_table + ages_.table_shift);
  if (region_shift_ < kLeastRegionShift || region_shift_ > kMostRegionShift ||
      count != (heap_.heap_end - heap_.heap_start) >> region_shift_)
    return kElsewhere;
  auto regions = arena.make_filled<Place>(static_cast<std::size_t>(count), Place::kUnknown);
  if (!regions) return "memory= has no room for the types of regions";
  regions_ = *regions;
  auto tops = arena.make_filled<Address>(static_cast<std::size_t>(count), ~Address{0});
  if (!tops) return "memory= has no room for the types of regions";
  tops_ = *tops;
  for (std::size_t i = 0; i < regions_.size(); ++i)
    if (!read_region(table, i)) return kElsewhere;
  return "";
}

// A region that has no memory has no object either, and may be missing.
bool ObjectAges::read_region(Address table, std::size_t i) noexcept {
  const Address cell = table + i * sizeof(Address);
  if (!pages_.has(cell)) return false;
  const auto region = load<Address>(cell);
  if (region == 0) return true;
  if (!pages_.has(region + ages_.region_bottom) || !pages_.has(region + ages_.region_tag))
    return false;
  const Address bottom = heap_.heap_start + (std::uint64_t{i} << region_shift_);
  if (load<Address>(region + ages_.region_bottom) != bottom) return false;
  const auto tag = load<std::uint8_t>(region + ages_.region_tag);
  if (tag != 0) regions_[i] = (tag & ages_.young_mask) != 0 ? Place::kYoung : Place::kOld;
  if (tag == 0)
    tops_[i] = bottom;
  else if (ages_.region_top != 0 && pages_.has(region + ages_.region_top))
    tops_[i] = load<Address>(region + ages_.region_top);
  return true;
}

// The mark word is elsewhere while an object is locked or has a monitor, unless the VM leaves it in place.
AgeCode ObjectAges::young_age(std::uint64_t mark) noexcept {
  const std::uint64_t lock = mark & kLockBits;
  if (lock == kLocked && ages_.locks_displace) return displaced_age(mark + ages_.displaced_mark);
  if (lock == kInflated && ages_.monitors_displace)
    return displaced_age((mark & ~kLockBits) + ages_.monitor_mark);
  return lock == kLockBits ? kUnknownAge : bits_of(mark);
}

AgeCode ObjectAges::displaced_age(Address where) noexcept {
  if (where < kPageBytes || !pages_.has(where)) return kUnknownAge;
  const auto mark = load<std::uint64_t>(where);
  return (mark & kLockBits) == kUnlocked ? bits_of(mark) : kUnknownAge;
}

}  // namespace holdfast::jvmti
