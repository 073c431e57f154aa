#include "jvmti/hotspot/perf_counters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct StructRow {
  const char* type;
  const char* field;
  std::int32_t is_static;
  std::uint64_t offset;
  void* address;
};
struct TypeRow {
  const char* name;
  std::uint64_t size;
};

// The VM's performance memory, made to order; one at a time.
struct FakeCounters {
  std::vector<std::byte> memory;
  std::map<std::string, std::size_t> places;  // of the values
  std::byte* start = nullptr;
  std::byte* end = nullptr;
  std::uint32_t count = 0;

  FakeCounters() {
    memory.resize(32);
    put<std::uint32_t>(0, 0xC0C0'FECA);
    memory[5] = std::byte{2};
    put<std::uint32_t>(24, 32);
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(&memory[at], &value, sizeof value);
  }
  void entry(const std::string& name, char type, std::uint32_t vector, const void* value,
             std::size_t bytes) {
    const std::size_t at = memory.size();
    const std::size_t data = (20 + name.size() + 1 + 7) / 8 * 8;
    const std::size_t length = (data + bytes + 7) / 8 * 8;
    memory.resize(at + length);
    put(at, static_cast<std::uint32_t>(length));
    put<std::uint32_t>(at + 4, 20);
    put(at + 8, vector);
    memory[at + 12] = static_cast<std::byte>(type);
    put(at + 16, static_cast<std::uint32_t>(data));
    std::memcpy(&memory[at + 20], name.c_str(), name.size() + 1);
    std::memcpy(&memory[at + data], value, bytes);
    places[name] = at + data;
    put<std::uint32_t>(28, ++count);
  }
  FakeCounters& number(const std::string& name, std::uint64_t value) {
    entry(name, 'J', 0, &value, sizeof value);
    return *this;
  }
  FakeCounters& text(const std::string& name, const std::string& value) {
    entry(name, 'B', static_cast<std::uint32_t>(value.size() + 1), value.c_str(), value.size() + 1);
    return *this;
  }
  FakeCounters& collector(int index, const std::string& name, std::uint64_t invocations) {
    const std::string stem = "sun.gc.collector." + std::to_string(index);
    return number(stem + ".invocations", invocations)
        .number(stem + ".time", 1000)
        .text(stem + ".name", name);
  }
  FakeCounters& heap(std::uint64_t eden, std::uint64_t old) {
    return number("sun.os.hrt.frequency", 1'000'000)
        .number("sun.gc.generation.0.space.0.used", eden)
        .number("sun.gc.generation.0.space.1.capacity", 50)
        .number("sun.gc.generation.0.space.1.used", 0)
        .number("sun.gc.generation.1.space.0.used", old);
  }
  void set(const std::string& name, std::uint64_t value) { put(places.at(name), value); }
};

FakeCounters* shown = nullptr;

StructRow struct_rows[3];
StructRow* structs = struct_rows;
TypeRow type_rows[] = {{"PerfMemory", 8}, {nullptr, 0}};
TypeRow* types = type_rows;
std::uint64_t struct_columns[] = {offsetof(StructRow, type),      offsetof(StructRow, field),
                                  offsetof(StructRow, is_static), offsetof(StructRow, offset),
                                  offsetof(StructRow, address),   sizeof(StructRow)};
std::uint64_t type_columns[] = {offsetof(TypeRow, name), offsetof(TypeRow, size), sizeof(TypeRow)};

const void* symbol(const char* name) noexcept {
  static const std::map<std::string_view, const void*> kAll = {
      {"gHotSpotVMStructs", &structs},
      {"gHotSpotVMTypes", &types},
      {"gHotSpotVMStructEntryTypeNameOffset", &struct_columns[0]},
      {"gHotSpotVMStructEntryFieldNameOffset", &struct_columns[1]},
      {"gHotSpotVMStructEntryIsStaticOffset", &struct_columns[2]},
      {"gHotSpotVMStructEntryOffsetOffset", &struct_columns[3]},
      {"gHotSpotVMStructEntryAddressOffset", &struct_columns[4]},
      {"gHotSpotVMStructEntryArrayStride", &struct_columns[5]},
      {"gHotSpotVMTypeEntryTypeNameOffset", &type_columns[0]},
      {"gHotSpotVMTypeEntrySizeOffset", &type_columns[1]},
      {"gHotSpotVMTypeEntryArrayStride", &type_columns[2]},
  };
  const auto found = kAll.find(name);
  return found == kAll.end() ? nullptr : found->second;
}

bool open(PerfCounters& counters, FakeCounters& fake) {
  shown = &fake;
  fake.start = fake.memory.data();
  fake.end = fake.start + fake.memory.size();
  struct_rows[0] = {"PerfMemory", "_start", 1, 0, &fake.start};
  struct_rows[1] = {"PerfMemory", "_end", 1, 0, &fake.end};
  struct_rows[2] = {nullptr, nullptr, 0, 0, nullptr};
  return counters.open(&symbol, 1000);
}

}  // namespace

TEST_CASE("the counters of G1: young, full, markings, time, used, and the most there can be") {
  FakeCounters fake;
  fake.number("sun.gc.cause.something", 9)
      .heap(100, 300)
      .collector(0, "G1 young collection pauses", 7)
      .collector(1, "G1 full collection pauses", 2)
      .collector(2, "G1 concurrent cycle pauses", 5);
  PerfCounters counters;
  REQUIRE(open(counters, fake));
  CollectionFigures now = counters.figures();
  CHECK(now.young == 7);
  CHECK(now.full == 2);
  CHECK(now.cycles == 2);  // two pauses each, the third has only begun
  CHECK(now.pause_ns == 3'000'000);
  CHECK(now.used_after_bytes == 400);
  CHECK(now.max_bytes == 950);
  fake.set("sun.gc.collector.1.invocations", 3);
  fake.set("sun.gc.generation.1.space.0.used", 500);
  now = counters.figures();
  CHECK(now.full == 3);
  CHECK(now.used_after_bytes == 600);
}

TEST_CASE("the last pause is that of whichever collector ended last, and unknown while one works") {
  FakeCounters fake;
  fake.heap(100, 300)
      .collector(0, "Copy", 7)
      .collector(1, "MSC", 2)
      .number("sun.gc.collector.0.lastEntryTime", 5000)
      .number("sun.gc.collector.0.lastExitTime", 5200)
      .number("sun.gc.collector.1.lastEntryTime", 4000)
      .number("sun.gc.collector.1.lastExitTime", 4900);
  PerfCounters counters;
  REQUIRE(open(counters, fake));
  CHECK(counters.figures().last_pause_ns == 200'000);
  fake.set("sun.gc.collector.1.lastEntryTime", 6000);
  CHECK(counters.figures().last_pause_ns == kUnknownCount);
  fake.set("sun.gc.collector.1.lastExitTime", 6001);
  CHECK(counters.figures().last_pause_ns == 1'000);
}

TEST_CASE(
    "pauses are known as soon as the VM tells its clock, which comes after all other counters") {
  FakeCounters fake;
  fake.number("sun.gc.generation.1.space.0.used", 700)
      .collector(0, "Copy", 7)
      .collector(1, "MSC", 2)
      .number("sun.os.hrt.frequency", 0);
  PerfCounters counters;
  REQUIRE(open(counters, fake));
  CHECK(counters.figures().young == 7);
  CHECK(counters.figures().pause_ns == kUnknownCount);
  fake.set("sun.os.hrt.frequency", 1'000'000);
  CHECK(counters.figures().pause_ns == 2'000'000);
}

TEST_CASE("without times of begin and end there is no last pause") {
  FakeCounters fake;
  fake.heap(100, 300).collector(0, "Copy", 7).collector(1, "MSC", 2);
  PerfCounters counters;
  REQUIRE(open(counters, fake));
  CHECK(counters.figures().last_pause_ns == kUnknownCount);
}

TEST_CASE("what each collector's counters mean") {
  struct Case {
    std::vector<std::pair<int, const char*>> collectors;
    std::uint64_t young, full, cycles;
  };
  constexpr std::uint64_t kNone = kUnknownCount;
  const Case cases[] = {
      {{{0, "Copy"}, {1, "MSC"}}, 10, 11, kNone},
      {{{0, "PSScavenge"}, {1, "PSParallelCompact"}}, 10, 11, kNone},
      {{{0, "G1 incremental collections"}, {1, "G1 stop-the-world full collections"}},
       10,
       11,
       kNone},
      {{{0, "PCopy"}, {1, "CMS"}}, 10, kNone, 5},
      {{{0, "PCopy"}, {1, "CMS"}, {2, "CMS stop-the-world phases"}}, 10, 11, 6},
      {{{0, "Shenandoah partial"}, {1, "Shenandoah full"}}, 11, kNone, kNone},
      {{{2, "Z concurrent cycle pauses"}}, 12, kNone, kNone},
      {{{0, "ZGC minor collection pauses"}, {2, "ZGC major collection pauses"}}, 10, kNone, kNone},
  };
  for (const Case& each : cases) {
    CAPTURE(each.collectors.back().second);
    FakeCounters fake;
    fake.heap(1, 1);
    for (const auto& [index, name] : each.collectors)
      fake.collector(index, name, 10 + static_cast<std::uint64_t>(index));
    PerfCounters counters;
    REQUIRE(open(counters, fake));
    const CollectionFigures now = counters.figures();
    CHECK(now.young == each.young);
    CHECK(now.full == each.full);
    CHECK(now.cycles == each.cycles);
  }
}

TEST_CASE("collectors that run beside the application: whose pauses are of the whole heap") {
  const auto with = [](auto&& fill, bool allocation) {
    FakeCounters fake;
    fake.number("sun.os.hrt.frequency", 1'000'000).number("sun.gc.generation.1.space.0.used", 700);
    if (allocation) fake.number("sun.gc.tlab.alloc", 5).number("sun.gc.tlab.fills", 2);
    fill(fake);
    PerfCounters counters;
    REQUIRE(open(counters, fake));
    return counters.figures();
  };
  const auto shenandoah = [](FakeCounters& f) {
    f.collector(0, "Shenandoah partial", 0).collector(1, "Shenandoah full", 9);
  };
  const auto zgc = [](FakeCounters& f) { f.collector(2, "Z concurrent cycle pauses", 9); };
  const auto generations = [](FakeCounters& f) {
    f.collector(0, "ZGC minor collection pauses", 9).collector(2, "ZGC major collection pauses", 5);
  };
  CHECK(with(shenandoah, true).one_generation);
  CHECK(with(shenandoah, true).allocated_bytes == kUnknownCount);  // told in the middle
  CHECK(with(zgc, true).one_generation);
  CHECK(with(zgc, true).allocated_bytes == 40);
  CHECK_FALSE(with(generations, true).one_generation);
  CHECK(with(generations, true).whole_pauses == 5);
  CHECK(with(generations, true).allocated_bytes == 40);
  // -XX:-UseTLAB: nothing is known of what ZGC leaves.
  CHECK_FALSE(with(zgc, false).one_generation);
  CHECK(with(generations, false).whole_pauses == kUnknownCount);
  CHECK(with(generations, false).young == 9);
}

TEST_CASE("what was allocated has a new stamp when any of its counters moves") {
  FakeCounters fake;
  fake.heap(1, 1)
      .number("sun.gc.tlab.alloc", 5)
      .number("sun.gc.tlab.fills", 2)
      .collector(2, "Z concurrent cycle pauses", 9);
  PerfCounters counters;
  REQUIRE(open(counters, fake));
  const std::uint64_t first = counters.figures().allocation_stamp;
  CHECK(counters.figures().allocation_stamp == first);
  fake.set("sun.gc.tlab.fills", 3);
  CHECK(counters.figures().allocation_stamp != first);
  CHECK(counters.figures().allocated_bytes == 40);
}

TEST_CASE("a VM without counters, or with strange ones, is not known") {
  PerfCounters counters;
  CHECK_FALSE(counters.open([](const char*) noexcept -> const void* { return nullptr; }, 1000));
  CHECK(counters.figures().young == kUnknownCount);
  const auto refused = [&](auto&& spoil) {
    FakeCounters fake;
    fake.heap(1, 1).collector(0, "Copy", 1).collector(1, "MSC", 1);
    spoil(fake);
    const bool refused_it = !open(counters, fake);
    return refused_it && counters.figures().used_after_bytes == kUnknownCount;
  };
  CHECK_FALSE(refused([](FakeCounters&) {}));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(0, 1); }));
  CHECK(refused([](FakeCounters& f) { f.memory[5] = std::byte{3}; }));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(24, 16); }));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(24, 1u << 30); }));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(28, 5000); }));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(28, 0); }));
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(32, 0); }));  // an entry of 0 bytes
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(32, 1u << 30); }));  // beyond the end
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(32 + 4, 1u << 30); }));  // its name
  CHECK(refused([](FakeCounters& f) { f.put<std::uint32_t>(32 + 16, 4096); }));     // its value
}

TEST_CASE("entries cut off anywhere are never read beyond the end") {
  for (std::size_t cut = 0; cut < 600; cut += 3) {
    FakeCounters fake;
    fake.heap(1, 1).collector(0, "Copy", 1).collector(1, "MSC", 1);
    fake.memory.resize(fake.memory.size() - std::min(cut, fake.memory.size()));
    fake.memory.shrink_to_fit();
    PerfCounters counters;
    (void)open(counters, fake);
    (void)counters.figures();
  }
}
