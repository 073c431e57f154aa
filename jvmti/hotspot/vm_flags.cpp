#include "jvmti/hotspot/vm_flags.h"

#include <cstddef>
#include <string_view>

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kMaxFlags = 10'000;
constexpr std::uint64_t kMaxFlagBytes = 512;

struct FlagTable {
  const std::byte* flags = nullptr;
  std::uint64_t count = 0;
  std::uint64_t name = 0, address = 0, stride = 0;

  bool open(const VmTables& tables) noexcept {
    return open_as(tables, "JVMFlag") || open_as(tables, "Flag");  // "Flag" up to JDK 9
  }
  bool open_as(const VmTables& tables, std::string_view type) noexcept {
    const auto first = tables.field(type, "flags");
    const auto number = tables.field(type, "numFlags");
    const auto name_field = tables.field(type, "_name");
    const auto address_field = tables.field(type, "_addr");
    const auto bytes = tables.type_bytes(type);
    if (!first || first->address == nullptr || !number || number->address == nullptr ||
        !name_field || !address_field || !bytes)
      return false;
    flags = read_at<const std::byte*>(first->address);
    count = read_at<std::uint64_t>(number->address);
    name = name_field->offset;
    address = address_field->offset;
    stride = *bytes;
    return flags != nullptr && count > 0 && count < kMaxFlags && stride >= 2 * sizeof(void*) &&
           stride <= kMaxFlagBytes && name < stride && address < stride;
  }
  template <class Visit>
  void for_each(Visit visit) const noexcept {
    const std::byte* flag = flags;
    for (std::uint64_t i = 0; i < count; ++i, flag += stride) {
      const auto* text = read_at<const char*>(flag + name);
      const auto* value = read_at<const std::byte*>(flag + address);
      if (text != nullptr && value != nullptr) visit(std::string_view(text), value);
    }
  }
};

struct CollectorFlag {
  std::string_view flag;
  const char* name;
};
constexpr CollectorFlag kCollectorFlags[] = {
    {"UseG1GC", "G1"},
    {"UseParallelGC", "Parallel"},
    {"UseSerialGC", "Serial"},
    {"UseZGC", "ZGC"},
    {"UseShenandoahGC", "Shenandoah"},
    {"UseEpsilonGC", "Epsilon"},
    {"UseConcMarkSweepGC", "CMS"},
};

void read_flag(std::string_view name, const std::byte* value, VmFlags& out) noexcept {
  const auto is_on = [value] { return read_at<std::uint8_t>(value) != 0; };
  if (name == "MaxHeapSize") out.max_heap_bytes = read_at<std::uint64_t>(value);
  if (name == "ExitOnOutOfMemoryError") out.exit_on_oom = is_on();
  if (name == "CrashOnOutOfMemoryError") out.crash_on_oom = is_on();
  if (name.substr(0, 3) != "Use") return;
  for (const CollectorFlag& collector : kCollectorFlags)
    if (name == collector.flag && is_on()) out.collector = collector.name;
}

}  // namespace

VmFlags read_vm_flags(VmSymbol symbol) noexcept {
  VmFlags out;
  VmTables tables;
  FlagTable flags;
  if (!tables.open(symbol) || !flags.open(tables)) return out;
  flags.for_each(
      [&](std::string_view name, const std::byte* value) { read_flag(name, value, out); });
  out.known = out.max_heap_bytes != 0;  // a flag that every version has
  return out;
}

const std::byte* find_vm_flag(const VmTables& tables, std::string_view name) noexcept {
  const std::byte* found = nullptr;
  FlagTable flags;
  if (!flags.open(tables)) return nullptr;
  flags.for_each([&](std::string_view flag, const std::byte* value) {
    if (flag == name) found = value;
  });
  return found;
}

bool write_vm_flag(VmSymbol symbol, std::string_view name, bool value) noexcept {
  VmTables tables;
  if (!tables.open(symbol)) return false;
  const std::byte* const flag = find_vm_flag(tables, name);
  if (flag == nullptr) return false;
  *const_cast<std::byte*>(flag) = static_cast<std::byte>(value);  // the table shows a variable
  return true;
}

}  // namespace holdfast::jvmti
