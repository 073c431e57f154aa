#include "jvmti/hotspot/vm_flags.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "platforms/module.h"

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kMaxTableRows = 20'000;
constexpr std::size_t kMaxFlags = 10'000;
constexpr std::uint64_t kMaxRowBytes = 512;

template <class T>
T read(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

// A symbol that holds a number or a pointer.
template <class T>
bool read_symbol(VmSymbol symbol, const char* name, T& out) noexcept {
  const void* address = symbol(name);
  if (address == nullptr) return false;
  std::memcpy(&out, address, sizeof out);
  return true;
}

struct StructTable {
  const std::byte* rows = nullptr;
  std::uint64_t type_name = 0, field_name = 0, is_static = 0, offset = 0, address = 0, stride = 0;

  bool open(VmSymbol symbol) noexcept {
    return read_symbol(symbol, "gHotSpotVMStructs", rows) && rows != nullptr &&
           read_symbol(symbol, "gHotSpotVMStructEntryTypeNameOffset", type_name) &&
           read_symbol(symbol, "gHotSpotVMStructEntryFieldNameOffset", field_name) &&
           read_symbol(symbol, "gHotSpotVMStructEntryIsStaticOffset", is_static) &&
           read_symbol(symbol, "gHotSpotVMStructEntryOffsetOffset", offset) &&
           read_symbol(symbol, "gHotSpotVMStructEntryAddressOffset", address) &&
           read_symbol(symbol, "gHotSpotVMStructEntryArrayStride", stride) && looks_right();
  }
  bool looks_right() const noexcept {
    return stride >= 2 * sizeof(void*) && stride <= kMaxRowBytes && type_name < stride &&
           field_name < stride && is_static < stride && offset < stride && address < stride;
  }
};

struct FlagLayout {
  const std::byte* flags = nullptr;
  std::uint64_t count = 0;
  std::uint64_t name = kMaxRowBytes, address = kMaxRowBytes, stride = 0;
  bool complete() const noexcept {
    return flags != nullptr && count > 0 && count < kMaxFlags && name < stride && address < stride;
  }
};

bool is_flag_type(std::string_view type) noexcept { return type == "JVMFlag" || type == "Flag"; }

void read_struct_row(const StructTable& table, const std::byte* row, std::string_view field,
                     FlagLayout& out) noexcept {
  const bool is_static = read<std::int32_t>(row + table.is_static) != 0;
  if (is_static) {
    const auto* where = read<const std::byte*>(row + table.address);
    if (where == nullptr) return;
    if (field == "flags") out.flags = read<const std::byte*>(where);
    if (field == "numFlags") out.count = read<std::uint64_t>(where);
    return;
  }
  if (field == "_name") out.name = read<std::uint64_t>(row + table.offset);
  if (field == "_addr") out.address = read<std::uint64_t>(row + table.offset);
}

void find_flag_fields(const StructTable& table, FlagLayout& out) noexcept {
  const std::byte* row = table.rows;
  for (std::size_t i = 0; i < kMaxTableRows; ++i, row += table.stride) {
    const auto* type = read<const char*>(row + table.type_name);
    const auto* field = read<const char*>(row + table.field_name);
    if (type == nullptr) return;  // the row that ends the table
    if (field != nullptr && is_flag_type(type)) read_struct_row(table, row, field, out);
  }
}

bool find_flag_size(VmSymbol symbol, FlagLayout& out) noexcept {
  const std::byte* row = nullptr;
  std::uint64_t name = 0, size = 0, stride = 0;
  if (!read_symbol(symbol, "gHotSpotVMTypes", row) || row == nullptr ||
      !read_symbol(symbol, "gHotSpotVMTypeEntryTypeNameOffset", name) ||
      !read_symbol(symbol, "gHotSpotVMTypeEntrySizeOffset", size) ||
      !read_symbol(symbol, "gHotSpotVMTypeEntryArrayStride", stride))
    return false;
  if (stride < sizeof(void*) || stride > kMaxRowBytes || name >= stride || size >= stride)
    return false;
  for (std::size_t i = 0; i < kMaxTableRows; ++i, row += stride) {
    const auto* type = read<const char*>(row + name);
    if (type == nullptr) break;
    if (is_flag_type(type)) out.stride = read<std::uint64_t>(row + size);
  }
  return out.stride >= 2 * sizeof(void*) && out.stride <= kMaxRowBytes;
}

struct CollectorFlag {
  std::string_view flag;
  const char* name;
};
constexpr CollectorFlag kCollectors[] = {
    {"UseG1GC", "G1"},
    {"UseParallelGC", "Parallel"},
    {"UseSerialGC", "Serial"},
    {"UseZGC", "ZGC"},
    {"UseShenandoahGC", "Shenandoah"},
    {"UseEpsilonGC", "Epsilon"},
    {"UseConcMarkSweepGC", "CMS"},
};

void read_flag(std::string_view name, const std::byte* value, VmFlags& out) noexcept {
  const auto is_on = [value] { return read<std::uint8_t>(value) != 0; };
  if (name == "MaxHeapSize") out.max_heap_bytes = read<std::uint64_t>(value);
  if (name == "ExitOnOutOfMemoryError") out.exit_on_oom = is_on();
  if (name == "CrashOnOutOfMemoryError") out.crash_on_oom = is_on();
  if (name.substr(0, 3) != "Use") return;
  for (const CollectorFlag& collector : kCollectors)
    if (name == collector.flag && is_on()) out.collector = collector.name;
}

}  // namespace

const void* libjvm_symbol(const char* name) noexcept {
  return platforms::loaded_symbol("libjvm.so", name);
}

VmFlags read_vm_flags(VmSymbol symbol) noexcept {
  VmFlags out;
  StructTable table;
  FlagLayout layout;
  if (!table.open(symbol)) return out;
  find_flag_fields(table, layout);
  if (!find_flag_size(symbol, layout) || !layout.complete()) return out;
  const std::byte* flag = layout.flags;
  for (std::uint64_t i = 0; i < layout.count; ++i, flag += layout.stride) {
    const auto* name = read<const char*>(flag + layout.name);
    const auto* value = read<const std::byte*>(flag + layout.address);
    if (name != nullptr && value != nullptr) read_flag(name, value, out);
  }
  out.known = out.max_heap_bytes != 0;  // a flag that every version has
  return out;
}

}  // namespace holdfast::jvmti
