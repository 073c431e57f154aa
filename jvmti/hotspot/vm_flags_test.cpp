#include "jvmti/hotspot/vm_flags.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "jvmti/hotspot/compiler_flags.h"

using namespace holdfast::jvmti;

namespace {

// Tables shaped as HotSpot's are, though not laid out as any version's.
struct Flag {
  int padding;
  void* address;
  const char* name;
};
struct StructRow {
  const char* type;
  const char* field;
  const char* text;
  std::int32_t is_static;
  std::uint64_t offset;
  void* address;
};
struct TypeRow {
  const char* name;
  std::uint64_t size;
};

std::uint64_t max_heap = std::uint64_t{3} << 30;
bool on = true, off = false, concat = true;
const char* intrinsics = "";
std::int64_t recompilations = 400;
Flag flags[] = {{0, &on, "UseG1GC"},
                {0, &off, "UseSerialGC"},
                {0, &max_heap, "MaxHeapSize"},
                {0, &on, "CrashOnOutOfMemoryError"},
                {0, &off, "ExitOnOutOfMemoryError"},
                {0, &concat, "OptimizeStringConcat"},
                {0, &intrinsics, "DisableIntrinsic"},
                {0, &recompilations, "PerMethodRecompilationCutoff"},
                {0, nullptr, "MaxHeapSizeOfNothing"},
                {0, &on, nullptr}};
Flag* flags_pointer = flags;
std::size_t flag_count = std::size(flags);
StructRow struct_rows[] = {{"Other", "flags", "", 1, 0, &on},
                           {"JVMFlag", "flags", "", 1, 0, &flags_pointer},
                           {"JVMFlag", "numFlags", "", 1, 0, &flag_count},
                           {"JVMFlag", "_name", "", 0, offsetof(Flag, name), nullptr},
                           {"JVMFlag", "_addr", "", 0, offsetof(Flag, address), nullptr},
                           {nullptr, nullptr, nullptr, 0, 0, nullptr}};
TypeRow type_rows[] = {{"Other", 8}, {"JVMFlag", sizeof(Flag)}, {nullptr, 0}};

struct Symbols {
  StructRow* structs = struct_rows;
  TypeRow* types = type_rows;
  std::uint64_t type_name = offsetof(StructRow, type), field_name = offsetof(StructRow, field),
                is_static = offsetof(StructRow, is_static), offset = offsetof(StructRow, offset),
                address = offsetof(StructRow, address), stride = sizeof(StructRow);
  std::uint64_t name = offsetof(TypeRow, name), size = offsetof(TypeRow, size),
                type_stride = sizeof(TypeRow);
};
Symbols symbols;
std::string missing;

const void* table_symbol(const char* name) noexcept {
  static const std::map<std::string_view, const void*> kAll = {
      {"gHotSpotVMStructs", &symbols.structs},
      {"gHotSpotVMTypes", &symbols.types},
      {"gHotSpotVMStructEntryTypeNameOffset", &symbols.type_name},
      {"gHotSpotVMStructEntryFieldNameOffset", &symbols.field_name},
      {"gHotSpotVMStructEntryIsStaticOffset", &symbols.is_static},
      {"gHotSpotVMStructEntryOffsetOffset", &symbols.offset},
      {"gHotSpotVMStructEntryAddressOffset", &symbols.address},
      {"gHotSpotVMStructEntryArrayStride", &symbols.stride},
      {"gHotSpotVMTypeEntryTypeNameOffset", &symbols.name},
      {"gHotSpotVMTypeEntrySizeOffset", &symbols.size},
      {"gHotSpotVMTypeEntryArrayStride", &symbols.type_stride},
  };
  if (missing == name) return nullptr;
  const auto found = kAll.find(name);
  return found == kAll.end() ? nullptr : found->second;
}

}  // namespace

TEST_CASE("flags are read through the tables") {
  const VmFlags read = read_vm_flags(&table_symbol);
  CHECK(read.known);
  CHECK(read.max_heap_bytes == max_heap);
  CHECK(std::string_view(read.collector) == "G1");
  CHECK(read.crash_on_oom);
  CHECK_FALSE(read.exit_on_oom);
}

TEST_CASE("compiler shortcuts are turned off, a list of somebody's own stays") {
  const OffShortcuts done = turn_off_shortcuts(&table_symbol, true);
  CHECK(done.string_concatenation);
  CHECK(done.string_bytes);
  CHECK_FALSE(concat);
  CHECK(std::string_view(intrinsics) == "_toBytesStringU");
  intrinsics = "_clone";
  CHECK_FALSE(turn_off_shortcuts(&table_symbol, true).string_bytes);
  CHECK(std::string_view(intrinsics) == "_clone");
  intrinsics = "";
  CHECK(turn_off_shortcuts(&table_symbol, false).string_bytes);
  CHECK(std::string_view(intrinsics).empty());
  missing = "gHotSpotVMTypes";
  CHECK_FALSE(turn_off_shortcuts(&table_symbol, true).string_concatenation);
  missing.clear();
}

TEST_CASE("the limit of recompilations is raised, somebody's own stays") {
  CHECK(raise_recompilation_limit(&table_symbol));
  CHECK(recompilations > 400);
  recompilations = 100;
  CHECK_FALSE(raise_recompilation_limit(&table_symbol));
  CHECK(recompilations == 100);
  missing = "gHotSpotVMTypes";
  CHECK_FALSE(raise_recompilation_limit(&table_symbol));
  missing.clear();
}

TEST_CASE("a VM without the tables, or with strange ones, is unknown") {
  for (const char* name :
       {"gHotSpotVMStructs", "gHotSpotVMTypes", "gHotSpotVMStructEntryArrayStride",
        "gHotSpotVMTypeEntrySizeOffset", "gHotSpotVMStructEntryAddressOffset"}) {
    missing = name;
    CHECK_FALSE(read_vm_flags(&table_symbol).known);
  }
  missing.clear();
  const auto strange = [](auto change) {
    const Symbols saved = symbols;
    change();
    const bool known = read_vm_flags(&table_symbol).known;
    symbols = saved;
    return known;
  };
  CHECK_FALSE(strange([] { symbols.stride = 0; }));
  CHECK_FALSE(strange([] { symbols.stride = 100'000; }));
  CHECK_FALSE(strange([] { symbols.offset = symbols.stride; }));
  CHECK_FALSE(strange([] { symbols.structs = nullptr; }));
  CHECK_FALSE(strange([] { symbols.type_stride = 0; }));
  flag_count = 1'000'000;
  CHECK_FALSE(read_vm_flags(&table_symbol).known);
  flag_count = std::size(flags);
  CHECK(read_vm_flags(&table_symbol).known);
}
