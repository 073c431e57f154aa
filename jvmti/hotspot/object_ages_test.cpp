#include "jvmti/hotspot/object_ages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kRegions = 4;

// A heap of four regions: what the fake heap makes lies in the first. Marks have nothing but what a test puts there.
struct AgedHeap {
  FakeHeap heap{{.heap_bytes = kRegions * kRegionBytes}};
  AgeLayout ages;
  Address table = 0, generation = 0, cell = 0;
  Address regions[kRegions] = {};

  explicit AgedHeap(YoungPlace place) {
    ages.why_not = "";
    ages.young = place;
    ages.age_shift = 3;
    ages.age_mask = 15;
    ages.locks_displace = ages.monitors_displace = true;
    ages.displaced_mark = 8;
    ages.monitor_mark = 16;
    make_range();
    make_regions();
  }
  void make_range() {
    cell = heap.metadata(8);
    generation = heap.metadata(64);
    ages.generation_cell = cell;
    ages.range_start = 24;
    ages.range_words = 32;
    FakeHeap::put<Address>(cell, generation);
    set_range(heap.heap_start(), kRegionBytes);
  }
  void set_range(Address start, std::uint64_t bytes) {
    FakeHeap::put<Address>(generation + ages.range_start, start);
    FakeHeap::put<std::uint64_t>(generation + ages.range_words, bytes / 8);
  }
  void make_regions() {
    table = heap.metadata(64);
    const Address base = heap.metadata(kRegions * 8);
    ages.region_table = table;
    ages.table_length = 8;
    ages.table_shift = 16;
    ages.region_bottom = 8;
    ages.region_tag = 24;
    ages.young_mask = 2;
    FakeHeap::put<Address>(table, base);
    FakeHeap::put<std::uint64_t>(table + 8, kRegions);
    FakeHeap::put<std::uint32_t>(table + 16, 20);
    for (std::uint64_t i = 0; i < kRegions; ++i) {
      regions[i] = heap.metadata(32);
      FakeHeap::put<Address>(base + i * 8, regions[i]);
      FakeHeap::put<Address>(regions[i] + 8, heap.heap_start() + i * kRegionBytes);
    }
    set_tag(0, 2);
  }
  void set_tag(std::size_t region, std::uint8_t tag) {
    FakeHeap::put<std::uint8_t>(regions[region] + ages.region_tag, tag);
  }
  Address in_region(std::uint64_t i) const { return heap.heap_start() + i * kRegionBytes + 64; }
  static void mark(Address object, std::uint64_t word) {
    FakeHeap::put<std::uint64_t>(object, word);
  }

  FakePicture picture{heap};
  ObjectAges opened() {
    ObjectAges reader(heap.layout, &ages);
    CHECK(std::string_view(reader.open(picture.memory.work_arena())) == "");
    return reader;
  }
  std::string_view refused() {
    ObjectAges reader(heap.layout, &ages);
    return reader.open(picture.memory.work_arena());
  }
};

constexpr std::uint64_t unlocked(std::uint64_t age) { return age << 3 | 1; }

}  // namespace

TEST_CASE("an object's age is its mark word's where the heap is young") {
  AgedHeap aged(YoungPlace::kRange);
  ObjectAges ages = aged.opened();
  const Address object = aged.in_region(0);
  for (std::uint64_t age = 0; age < 16; ++age) {
    AgedHeap::mark(object, unlocked(age));
    CHECK(ages.of(object) == age);
    AgedHeap::mark(object, unlocked(age) | std::uint64_t{0x1234567} << 8);  // hashed
    CHECK(ages.of(object) == age);
  }
  AgedHeap::mark(aged.in_region(1), unlocked(7));
  CHECK(ages.of(aged.in_region(1)) == kTenured);
}

TEST_CASE("a locked or inflated object's mark word is found where it was put") {
  AgedHeap aged(YoungPlace::kRange);
  const Address object = aged.in_region(0);
  const Address lock = aged.heap.metadata(64);
  FakeHeap::put<std::uint64_t>(lock + 8, unlocked(9));
  FakeHeap::put<std::uint64_t>(lock + 16, unlocked(11));
  ObjectAges ages = aged.opened();
  AgedHeap::mark(object, lock);
  CHECK(ages.of(object) == 9);
  AgedHeap::mark(object, lock | 2);
  CHECK(ages.of(object) == 11);
  // What is no mark word, or nowhere, is no age.
  FakeHeap::put<std::uint64_t>(lock + 8, 9 << 3);
  AgedHeap::mark(object, lock);
  CHECK(ages.of(object) == kUnknownAge);
  for (const std::uint64_t nowhere : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{7},
                                      std::uint64_t{1} << 46 | 2, unlocked(3) | 2}) {
    AgedHeap::mark(object, nowhere);
    CHECK(ages.of(object) == kUnknownAge);
  }
  aged.ages.locks_displace = aged.ages.monitors_displace = false;
  ObjectAges in_place = aged.opened();
  for (const std::uint64_t bits : {0, 2}) {
    AgedHeap::mark(object, std::uint64_t{5} << 3 | bits);
    CHECK(in_place.of(object) == 5);
  }
}

TEST_CASE("G1's regions say where the heap is young") {
  AgedHeap aged(YoungPlace::kRegions);
  aged.set_tag(1, 3);   // survivor
  aged.set_tag(2, 12);  // humongous
  for (std::uint64_t i = 0; i < kRegions; ++i) AgedHeap::mark(aged.in_region(i), unlocked(4));
  ObjectAges ages = aged.opened();
  CHECK(ages.of(aged.in_region(0)) == 4);
  CHECK(ages.of(aged.in_region(1)) == 4);
  CHECK(ages.of(aged.in_region(2)) == kTenured);
  CHECK(ages.of(aged.in_region(3)) == kUnknownAge);  // free
  const auto base = load<Address>(aged.table);
  FakeHeap::put<Address>(base + 16, 0);  // no memory
  CHECK(aged.opened().of(aged.in_region(2)) == kUnknownAge);
}

TEST_CASE("G1's regions say where no object can be") {
  AgedHeap aged(YoungPlace::kRegions);
  CHECK(aged.opened().holds_nothing(aged.in_region(3)));  // free
  CHECK_FALSE(aged.opened().holds_nothing(aged.in_region(0)));
  aged.ages.region_top = 16;
  FakeHeap::put<Address>(aged.regions[0] + 16, aged.in_region(0) + 8);
  CHECK_FALSE(aged.opened().holds_nothing(aged.in_region(0)));
  CHECK(aged.opened().holds_nothing(aged.in_region(0) + 8));
  const auto base = load<Address>(aged.table);
  FakeHeap::put<Address>(base + 16, 0);  // no memory: nothing is known of it
  CHECK_FALSE(aged.opened().holds_nothing(aged.in_region(2)));
  AgedHeap ranges(YoungPlace::kRange);
  CHECK_FALSE(ranges.opened().holds_nothing(ranges.in_region(3)));
}

TEST_CASE("tables that lie are found out, and nothing is read behind them") {
  constexpr Address kNowhere = std::uint64_t{1} << 46;
  const auto range = [](auto change) {
    AgedHeap aged(YoungPlace::kRange);
    change(aged);
    return std::string_view(aged.refused()).find("young generation") != std::string_view::npos;
  };
  CHECK(range([](AgedHeap& a) { a.ages.generation_cell = kNowhere; }));
  CHECK(range([](AgedHeap& a) { FakeHeap::put<Address>(a.cell, kNowhere); }));
  CHECK(range([](AgedHeap& a) { FakeHeap::put<Address>(a.cell, 0); }));
  CHECK(range([](AgedHeap& a) { a.ages.range_start += 8; }));
  CHECK(range([](AgedHeap& a) { a.set_range(a.heap.heap_start() - 4096, 8192); }));
  CHECK(range([](AgedHeap& a) { a.set_range(a.heap.heap_end(), 4096); }));
  CHECK(range([](AgedHeap& a) { a.set_range(a.heap.heap_end() - 4096, 8192); }));
  CHECK(range([](AgedHeap& a) { a.set_range(a.heap.heap_start() + 8, 4096); }));
  CHECK(range([](AgedHeap& a) { a.set_range(a.heap.heap_start(), 0); }));

  const auto regions = [](auto change) {
    AgedHeap aged(YoungPlace::kRegions);
    change(aged);
    return std::string_view(aged.refused()).find("regions") != std::string_view::npos;
  };
  CHECK(regions([](AgedHeap& a) { a.ages.region_table = kNowhere; }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<Address>(a.table, kNowhere); }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<std::uint64_t>(a.table + 8, kRegions + 1); }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<std::uint32_t>(a.table + 16, 19); }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<std::uint32_t>(a.table + 16, 64); }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<Address>(load<Address>(a.table) + 8, kNowhere); }));
  CHECK(regions([](AgedHeap& a) { FakeHeap::put<Address>(a.regions[1] + 8, 0); }));
}

TEST_CASE("a picture tells the age of each object, or of each class, and both agree") {
  AgedHeap aged(YoungPlace::kRange);
  // FakePicture reads the classes when it is made, so no class is added here.
  Address previous = 0;
  std::uint64_t made = 0;
  for (std::uint64_t age = 0; age < 16; ++age)
    for (std::uint64_t i = 0; i <= age; ++i, ++made) {
      const Address array = aged.heap.new_array(FakeHeap::kObjects, 1);
      if (previous != 0) aged.heap.link_element(array, 0, previous);
      AgedHeap::mark(array, unlocked(age));
      previous = array;
    }
  Capture counted, graph;
  const auto look = [&](FakePicture& picture, auto take, Capture& out) {
    picture.add_root(previous);
    picture.picture.ages = &aged.ages;
    PictureReader reader(picture.picture, picture.memory);
    REQUIRE(reader.trace(CancelToken{}));
    REQUIRE((reader.*take)(MethodNames{}, out));
  };
  FakePicture second(aged.heap);
  look(aged.picture, &PictureReader::count, counted);
  look(second, &PictureReader::fill, graph);
  CHECK(std::string_view(counted.no_ages) == "");
  CHECK(counted.age_source == AgeSource::kHeader);
  const ClassId arrays = aged.picture.class_id(FakeHeap::kObjects);
  const ClassAges told = counted.class_ages[arrays.value];
  CHECK(told.distinct_ages() == 16);
  CHECK(told.objects[age_range(8)] == made - 36);  // 8 to 15
  CHECK(told.objects[0] == 1);
  REQUIRE(graph.snapshot.ages.size() == graph.snapshot.object_count());
  CHECK(graph.snapshot.age_source == AgeSource::kHeader);
  ClassAges sums;
  for (std::uint32_t v = 0; v < graph.snapshot.object_count(); ++v)
    if (graph.snapshot.class_of[v] == arrays)
      sums.add(graph.snapshot.ages[v], graph.snapshot.shallow_bytes(ObjectId{v}));
  CHECK(std::equal(sums.objects, sums.objects + kAgeRanges, told.objects));
  CHECK(std::equal(sums.bytes, sums.bytes + kAgeRanges, told.bytes));
  CHECK(std::equal(sums.codes, sums.codes + 4, told.codes));
}

TEST_CASE("ages that are not wanted or cannot be told leave everything else as it is") {
  AgedHeap aged(YoungPlace::kRange);
  const Address object = aged.heap.new_instance(FakeHeap::kObject);
  for (const auto& [wanted, graph] :
       {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
    FakePicture picture(aged.heap);
    picture.add_root(object);
    aged.ages.why_not = "these tables are a test's";
    if (wanted) picture.picture.ages = &aged.ages;
    PictureReader reader(picture.picture, picture.memory);
    REQUIRE(reader.trace(CancelToken{}));
    Capture out;
    REQUIRE((graph ? reader.fill(MethodNames{}, out) : reader.count(MethodNames{}, out)));
    CHECK(out.class_ages.empty());
    CHECK(out.snapshot.ages.empty());
    CHECK(out.snapshot.age_source == AgeSource::kNone);
    CHECK(std::string_view(out.no_ages) == (wanted ? "these tables are a test's" : ""));
  }
}
