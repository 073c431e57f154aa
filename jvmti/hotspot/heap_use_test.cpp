#include "jvmti/hotspot/heap_use.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct StructRow {
  const char* type;
  const char* field;
  std::int32_t is_static;
  std::uint64_t offset;
  const void* address;
};
struct TypeRow {
  const char* name;
  std::uint64_t size;
};
struct Space {
  std::uint64_t other = 0, bottom = 0, top = 0;
};
struct Flag {
  const char* name;
  void* value;
};

constexpr std::uint64_t kMax = 10'000;

// One heap of each kind, in tables as the VM exports them; one at a time.
struct FakeVmHeap {
  std::uint64_t total[2] = {0, 4000};
  Space eden{0, 1000, 1100}, from{0, 2000, 2010}, to{0, 3000, 3000}, old{0, 4000, 4500};
  const Space* young[3] = {&eden, &from, &to};
  const Space* tenured[1] = {&old};
  const void* generations[3] = {total, young, tenured};
  const void* heap = total;
  const void* young_static = young;
  const void* old_static = tenured;
  std::uint8_t on = 1;
  Flag flags[2] = {{"UseG1GC", &on}, {nullptr, nullptr}};
  const void* flag_list = flags;
  std::size_t flag_count = 1;
  std::vector<StructRow> rows;

  FakeVmHeap(const FakeVmHeap&) = delete;
  FakeVmHeap& operator=(const FakeVmHeap&) = delete;
  explicit FakeVmHeap(const char* flag) {
    flags[0].name = flag;
    rows = {{"Universe", "_collectedHeap", 1, 0, &heap},
            {"JVMFlag", "flags", 1, 0, &flag_list},
            {"JVMFlag", "numFlags", 1, 0, &flag_count},
            {"JVMFlag", "_name", 0, offsetof(Flag, name), nullptr},
            {"JVMFlag", "_addr", 0, offsetof(Flag, value), nullptr}};
  }
  void field(const char* type, const char* name, std::uint64_t offset) {
    rows.push_back({type, name, 0, offset, nullptr});
  }
  void lose(const std::string& name) {
    std::erase_if(rows, [&](const StructRow& row) { return name == row.field; });
  }
};

void add_g1(FakeVmHeap& vm) { vm.field("G1CollectedHeap", "_summary_bytes_used", 8); }
void add_serial(FakeVmHeap& vm) {
  vm.heap = vm.generations;
  vm.field("SerialHeap", "_young_gen", 8);
  vm.field("SerialHeap", "_old_gen", 16);
  vm.field("DefNewGeneration", "_eden_space", 0);
  vm.field("DefNewGeneration", "_from_space", 8);
  vm.field("DefNewGeneration", "_to_space", 16);
  vm.field("TenuredGeneration", "_the_space", 0);
  vm.field("Space", "_bottom", offsetof(Space, bottom));
  vm.field("ContiguousSpace", "_top", offsetof(Space, top));
}
void add_parallel(FakeVmHeap& vm) {
  vm.rows.push_back({"ParallelScavengeHeap", "_young_gen", 1, 0, &vm.young_static});
  vm.rows.push_back({"ParallelScavengeHeap", "_old_gen", 1, 0, &vm.old_static});
  vm.field("PSYoungGen", "_eden_space", 0);
  vm.field("PSYoungGen", "_from_space", 8);
  vm.field("PSYoungGen", "_to_space", 16);
  vm.field("PSOldGen", "_object_space", 0);
  vm.field("MutableSpace", "_bottom", offsetof(Space, bottom));
  vm.field("MutableSpace", "_top", offsetof(Space, top));
}

std::vector<StructRow> shown;
const StructRow* structs = nullptr;
TypeRow type_rows[] = {{"JVMFlag", sizeof(Flag)}, {nullptr, 0}};
const TypeRow* types = type_rows;
const std::uint64_t kStructColumns[] = {offsetof(StructRow, type),      offsetof(StructRow, field),
                                        offsetof(StructRow, is_static), offsetof(StructRow, offset),
                                        offsetof(StructRow, address),   sizeof(StructRow)};
const std::uint64_t kTypeColumns[] = {offsetof(TypeRow, name), offsetof(TypeRow, size),
                                      sizeof(TypeRow)};

const void* symbol(const char* name) noexcept {
  static const std::map<std::string_view, const void*> kAll = {
      {"gHotSpotVMStructs", &structs},
      {"gHotSpotVMTypes", &types},
      {"gHotSpotVMStructEntryTypeNameOffset", &kStructColumns[0]},
      {"gHotSpotVMStructEntryFieldNameOffset", &kStructColumns[1]},
      {"gHotSpotVMStructEntryIsStaticOffset", &kStructColumns[2]},
      {"gHotSpotVMStructEntryOffsetOffset", &kStructColumns[3]},
      {"gHotSpotVMStructEntryAddressOffset", &kStructColumns[4]},
      {"gHotSpotVMStructEntryArrayStride", &kStructColumns[5]},
      {"gHotSpotVMTypeEntryTypeNameOffset", &kTypeColumns[0]},
      {"gHotSpotVMTypeEntrySizeOffset", &kTypeColumns[1]},
      {"gHotSpotVMTypeEntryArrayStride", &kTypeColumns[2]},
  };
  const auto found = kAll.find(name);
  return found == kAll.end() ? nullptr : found->second;
}

bool open(HeapUse& use, const FakeVmHeap& vm) {
  shown = vm.rows;
  shown.push_back({nullptr, nullptr, 0, 0, nullptr});
  structs = shown.data();
  return use.open(&symbol, kMax);
}

}  // namespace

TEST_CASE("G1 tells one word, which is read anew each time") {
  FakeVmHeap vm("UseG1GC");
  add_g1(vm);
  HeapUse use;
  REQUIRE(open(use, vm));
  CHECK(use.used_bytes() == 4000);
  vm.total[1] = 5000;
  CHECK(use.used_bytes() == 5000);
  vm.total[1] = kMax + 1;  // cannot be
  CHECK(use.used_bytes() == kUnknownCount);
}

TEST_CASE("Serial and Parallel tell where four spaces begin and are filled to") {
  for (const bool serial : {true, false}) {
    CAPTURE(serial);
    FakeVmHeap vm(serial ? "UseSerialGC" : "UseParallelGC");
    if (serial)
      add_serial(vm);
    else
      add_parallel(vm);
    HeapUse use;
    REQUIRE(open(use, vm));
    CHECK(use.used_bytes() == 610);
    vm.eden.top = 1900;
    vm.old.top = 4501;
    CHECK(use.used_bytes() == 1411);
    vm.eden.top = 999;
    CHECK(use.used_bytes() == kUnknownCount);
  }
}

TEST_CASE("what the tables do not tell is not guessed") {
  HeapUse use;
  CHECK_FALSE(use.open([](const char*) noexcept -> const void* { return nullptr; }, kMax));
  CHECK(use.used_bytes() == kUnknownCount);
  for (const char* lost : {"_collectedHeap", "_young_gen", "_old_gen", "_eden_space", "_from_space",
                           "_to_space", "_the_space", "_bottom", "_top", "flags"}) {
    CAPTURE(lost);
    FakeVmHeap vm("UseSerialGC");
    add_serial(vm);
    vm.lose(lost);
    CHECK_FALSE(open(use, vm));
    CHECK(use.used_bytes() == kUnknownCount);
  }
  FakeVmHeap other("UseZGC");
  add_serial(other);
  CHECK_FALSE(open(use, other));
  FakeVmHeap off("UseSerialGC");
  add_serial(off);
  off.on = 0;
  CHECK_FALSE(open(use, off));
}
