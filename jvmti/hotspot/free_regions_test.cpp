#include "jvmti/hotspot/free_regions.h"

#include <doctest/doctest.h>

#include "jvmti/hotspot/fake_picture.h"
#include "platforms/mappings.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << 20;
constexpr std::size_t kRegions = 48;

struct RegionHeap {
  FakeHeap heap{{.heap_bytes = kRegions * kRegionBytes}};
  FakePicture fake{heap};
  AgeLayout layout;
  Address region[kRegions] = {};

  RegionHeap() {
    layout.why_not = "";
    layout.young = YoungPlace::kRegions;
    layout.region_table = heap.metadata(64);
    layout.table_length = 8;
    layout.table_shift = 16;
    layout.region_bottom = 8;
    layout.region_top = 16;
    layout.region_tag = 24;
    const Address base = heap.metadata(kRegions * 8);
    FakeHeap::put<Address>(layout.region_table, base);
    FakeHeap::put<std::uint64_t>(layout.region_table + 8, kRegions);
    FakeHeap::put<std::uint32_t>(layout.region_table + 16, 20);
    for (std::size_t i = 0; i < kRegions; ++i) {
      region[i] = heap.metadata(32);
      FakeHeap::put<Address>(base + i * 8, region[i]);
      FakeHeap::put<Address>(region[i] + 8, start_of(i));
      FakeHeap::put<std::uint64_t>(start_of(i) + kRegionBytes / 2, kMark);
      set(i, true);
    }
  }
  Address start_of(std::size_t i) const { return heap.heap_start() + i * kRegionBytes; }
  void set(std::size_t i, bool free) {
    FakeHeap::put<Address>(region[i] + 16, start_of(i) + (free ? 0 : 64));
    FakeHeap::put<std::uint8_t>(region[i] + 24, free ? 0 : 4);
  }
  // A word in its middle. A child's own memory may come to lie where a region was left out.
  static constexpr std::uint64_t kMark = 0x484f4c4446415354;
  bool has_mark(std::size_t i) const {
    const Address at = start_of(i) + kRegionBytes / 2;
    return platforms::is_readable(at) && load<std::uint64_t>(at) == kMark;
  }
  // How many regions a child has.
  std::size_t regions_of_child() const {
    const int there = platforms::run_in_child([this] {
      int count = 0;
      for (std::size_t i = 0; i < kRegions; ++i) count += has_mark(i) ? 1 : 0;
      return count;
    });
    return static_cast<std::size_t>(there);
  }
};

}  // namespace

TEST_CASE("free regions: a child does without long stretches of them, and the next child has all") {
  RegionHeap of;
  for (std::size_t i = 0; i < kRegions; ++i) of.set(i, i >= 16 && i < 36);
  of.set(4, true);  // alone: not worth a call
  FreeRegions regions;
  REQUIRE(regions.prove(of.layout, of.heap.layout, of.fake.memory.work_arena()));
  regions.leave_out();
  const std::size_t left = static_cast<std::size_t>(regions.bytes_left_out() / kRegionBytes);
  CHECK(left >= 18);  // the ends are multiples of 2 MB
  CHECK(left <= 20);
  CHECK(of.regions_of_child() == kRegions - left);
  regions.take_back();
  CHECK(of.regions_of_child() == kRegions);
}

TEST_CASE("free regions: what has an object, or is not proved, stays") {
  RegionHeap of;
  for (std::size_t i = 0; i < kRegions; i += 4) of.set(i, false);
  FreeRegions regions;
  REQUIRE(regions.prove(of.layout, of.heap.layout, of.fake.memory.work_arena()));
  regions.leave_out();
  CHECK(regions.bytes_left_out() == 0);
  regions.take_back();

  for (std::size_t i = 0; i < kRegions; ++i) of.set(i, true);
  FakeHeap::put<Address>(of.region[20] + 8, of.start_of(21));
  CHECK_FALSE(FreeRegions().prove(of.layout, of.heap.layout, of.fake.memory.work_arena()));
  FakeHeap::put<Address>(of.region[20] + 8, of.start_of(20));
  FakeHeap::put<std::uint64_t>(of.layout.region_table + 8, kRegions + 1);
  CHECK_FALSE(FreeRegions().prove(of.layout, of.heap.layout, of.fake.memory.work_arena()));
}

TEST_CASE("free regions: without regions, or a table that can be read, nothing is left out") {
  RegionHeap of;
  AgeLayout other = of.layout;
  other.young = YoungPlace::kRange;
  CHECK_FALSE(FreeRegions().prove(other, of.heap.layout, of.fake.memory.work_arena()));
  other = of.layout;
  other.region_table = 4096;
  CHECK_FALSE(FreeRegions().prove(other, of.heap.layout, of.fake.memory.work_arena()));
  other = of.layout;
  other.region_top = 0;
  CHECK_FALSE(FreeRegions().prove(other, of.heap.layout, of.fake.memory.work_arena()));
}
