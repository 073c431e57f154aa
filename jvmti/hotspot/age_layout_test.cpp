#include "jvmti/hotspot/age_layout.h"

#include <doctest/doctest.h>

#include <string_view>

#include "jvmti/hotspot/fake_tables.h"

using namespace holdfast::jvmti;

namespace {

// What ages need of G1, Serial and Parallel, as 17 spells it.
struct AgeTables : FakeTables {
  bool serial = false, parallel = false, monitor_table = false;
  std::int32_t locking = 2;
  const void* young_cell = nullptr;

  AgeTables() {
    structs.pop_back();
    add("G1CollectedHeap", "_hrm", 304);
    add("HeapRegionManager", "_regions", 96);
    add("G1HeapRegionTable", "_base", 16);
    add("G1HeapRegionTable", "_length", 24);
    add("G1HeapRegionTable", "_shift_by", 48);
    add("HeapRegion", "_bottom", 0);
    add("HeapRegion", "_type", 188);
    add("HeapRegionType", "_tag", 4);
    add("GenCollectedHeap", "_young_gen", 96);
    add("Generation", "_reserved", 32);
    add("PSYoungGen", "_reserved", 8);
    add_static("ParallelScavengeHeap", "_young_gen", &young_cell);
    add("BasicLock", "_displaced_header", 8);
    add("ObjectMonitor", "_header", 24);
    structs.push_back({nullptr, nullptr, nullptr, 0, 0, nullptr});
    numbers = {{"markWord::age_shift", 3},       {"markWord::age_mask", 15},
               {"markWord::lock_mask", 3},       {"markWord::locked_value", 0},
               {"markWord::unlocked_value", 1},  {"markWord::monitor_value", 2},
               {"HeapRegionType::YoungMask", 2}, {nullptr, 0}};
    flags.push_back({&serial, "UseSerialGC"});
    flags.push_back({&parallel, "UseParallelGC"});
  }
  void rename(std::string_view type, const char* new_type) {
    for (FakeStructRow& row : structs)
      if (row.type != nullptr && row.type == type) row.type = new_type;
  }
  AgeLayout read() {
    current = this;
    return read_age_layout(&fake_symbol);
  }
};

std::uint64_t address(const void* what) { return reinterpret_cast<std::uintptr_t>(what); }

bool has(std::string_view text, std::string_view part) {
  CAPTURE(text);
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("G1's regions, and mark words that stand elsewhere, as 17 tells them") {
  AgeTables tables;
  const AgeLayout ages = tables.read();
  REQUIRE(std::string_view(ages.why_not).empty());
  CHECK(ages.young == YoungPlace::kRegions);
  CHECK(ages.region_table == address(tables.heap_object) + 304 + 96);
  CHECK(ages.region_tag == 192);
  CHECK(ages.young_mask == 2);
  CHECK(ages.age_shift == 3);
  CHECK(ages.locks_displace);
  CHECK(ages.displaced_mark == 8);
  CHECK(ages.monitors_displace);
  CHECK(ages.monitor_mark == 24);
}

TEST_CASE("later versions have other names, and leave mark words in place") {
  AgeTables tables;
  for (const auto& [old_name, name] : {std::pair("HeapRegion", "G1HeapRegion"),
                                       {"HeapRegionType", "G1HeapRegionType"},
                                       {"HeapRegionManager", "G1HeapRegionManager"}})
    tables.rename(old_name, name);
  tables.numbers[6].name = "G1HeapRegionType::YoungMask";
  tables.row("BasicLock", "_displaced_header").field = "_metadata";
  tables.row("ObjectMonitor", "_header").field = "_metadata";
  AgeLayout ages = tables.read();
  REQUIRE(std::string_view(ages.why_not).empty());
  CHECK_FALSE(ages.locks_displace);  // no flag: there is one way alone
  CHECK(ages.monitor_mark == 24);
  tables.flags.push_back({&tables.locking, "LockingMode"});
  tables.flags.push_back({&tables.monitor_table, "UseObjectMonitorTable"});
  CHECK_FALSE(tables.read().locks_displace);
  tables.locking = 1;
  tables.monitor_table = true;
  ages = tables.read();
  CHECK(ages.locks_displace);
  CHECK(ages.displaced_mark == 8);
  CHECK_FALSE(ages.monitors_displace);
}

TEST_CASE("the young generation of Serial stands in the heap, of Parallel beside it") {
  AgeTables tables;
  tables.g1 = false;
  tables.serial = true;
  AgeLayout ages = tables.read();
  REQUIRE(std::string_view(ages.why_not).empty());
  CHECK(ages.young == YoungPlace::kRange);
  CHECK(ages.generation_cell == address(tables.heap_object) + 96);
  CHECK(ages.range_start == 32);
  CHECK(ages.range_words == 40);
  tables.rename("GenCollectedHeap", "SerialHeap");
  CHECK(tables.read().generation_cell == ages.generation_cell);
  tables.rename("SerialHeap", "GenCollectedHeap");
  tables.row("GenCollectedHeap", "_young_gen").field = "_gens";  // 8
  CHECK(tables.read().generation_cell == ages.generation_cell);
  tables.serial = false;
  tables.parallel = true;
  ages = tables.read();
  REQUIRE(std::string_view(ages.why_not).empty());
  CHECK(ages.generation_cell == address(&tables.young_cell));
  CHECK(ages.range_start == 8);
}

TEST_CASE("whatever is missing, or cannot be so, is the reason why ages are not told") {
  const auto why = [](auto change) {
    AgeTables tables;
    change(tables);
    return std::string_view(tables.read().why_not);
  };
  for (const auto& [type, field] : {std::pair("G1CollectedHeap", "_hrm"),
                                    {"HeapRegionManager", "_regions"},
                                    {"G1HeapRegionTable", "_base"},
                                    {"G1HeapRegionTable", "_length"},
                                    {"G1HeapRegionTable", "_shift_by"},
                                    {"HeapRegion", "_bottom"},
                                    {"HeapRegion", "_type"},
                                    {"HeapRegionType", "_tag"}}) {
    CHECK(has(
        why([type = type, field = field](AgeTables& t) { t.row(type, field).field = "_renamed"; }),
        "its regions"));
    CHECK(has(why([type = type, field = field](AgeTables& t) { t.row(type, field).offset = 4096; }),
              "its regions"));
  }
  CHECK(has(why([](AgeTables& t) { t.row("ObjectMonitor", "_header").field = "_x"; }), "locked"));
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(has(why([i](AgeTables& t) { ++t.numbers[i].value; }),
              i == 0 ? std::string_view("") : "bits of its mark words"));
  CHECK(has(why([](AgeTables& t) { t.numbers[0].value = 1; }), "bits of its mark words"));
  CHECK(has(why([](AgeTables& t) { t.numbers[6].value = 256; }), "its regions"));
  CHECK(has(why([](AgeTables& t) { t.g1 = false, t.z = true; }), "this collector"));
  CHECK(has(why([](AgeTables& t) { t.g1 = false, t.serial = true, t.rename("Generation", "G"); }),
            "young generation"));
  CHECK(has(why([](AgeTables& t) {
              t.g1 = false, t.parallel = true, t.rename("ParallelScavengeHeap", "P");
            }),
            "young generation"));
  CHECK(has(why([](AgeTables& t) { t.structs[0].type = nullptr; }), "was not read"));
}
