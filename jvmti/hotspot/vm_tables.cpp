#include "jvmti/hotspot/vm_tables.h"

#include "platforms/module.h"

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kMaxTableRows = 20'000;
constexpr std::uint64_t kMaxRowBytes = 512;

// A symbol that holds a number or a pointer.
template <class T>
bool read_symbol(VmSymbol symbol, const char* name, T& out) noexcept {
  const void* address = symbol(name);
  if (address == nullptr) return false;
  std::memcpy(&out, address, sizeof out);
  return true;
}

// The place of a column in its row.
bool read_column(VmSymbol symbol, const char* name, std::uint64_t stride,
                 std::uint64_t& out) noexcept {
  return read_symbol(symbol, name, out) && out < stride;
}

bool is_named(const std::byte* row, std::uint64_t column, std::string_view name) noexcept {
  const auto* text = read_at<const char*>(row + column);
  return text != nullptr && name == text;
}

bool ends_table(const std::byte* row, std::uint64_t column) noexcept {
  return read_at<const char*>(row + column) == nullptr;
}

}  // namespace

const void* libjvm_symbol(const char* name) noexcept {
  return platforms::loaded_symbol("libjvm.so", name);
}

bool VmTables::open_rows(VmSymbol symbol, const char* table, const char* stride,
                         Rows& out) noexcept {
  return read_symbol(symbol, table, out.first) && out.first != nullptr &&
         read_symbol(symbol, stride, out.stride) && out.stride >= 2 * sizeof(void*) &&
         out.stride <= kMaxRowBytes;
}

bool VmTables::open(VmSymbol symbol) noexcept {
  const auto column = [symbol](const char* name, const Rows& rows, std::uint64_t& out) {
    return read_column(symbol, name, rows.stride, out);
  };
  if (!open_rows(symbol, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", structs_) ||
      !column("gHotSpotVMStructEntryTypeNameOffset", structs_, struct_type_) ||
      !column("gHotSpotVMStructEntryFieldNameOffset", structs_, struct_field_) ||
      !column("gHotSpotVMStructEntryIsStaticOffset", structs_, struct_is_static_) ||
      !column("gHotSpotVMStructEntryOffsetOffset", structs_, struct_offset_) ||
      !column("gHotSpotVMStructEntryAddressOffset", structs_, struct_address_))
    return false;
  struct_text_known_ = column("gHotSpotVMStructEntryTypeStringOffset", structs_, struct_text_);
  if (!open_rows(symbol, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", types_) ||
      !column("gHotSpotVMTypeEntryTypeNameOffset", types_, type_name_) ||
      !column("gHotSpotVMTypeEntrySizeOffset", types_, type_bytes_))
    return false;
  if (!open_rows(symbol, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryArrayStride",
                 ints_) ||
      !column("gHotSpotVMIntConstantEntryNameOffset", ints_, int_name_) ||
      !column("gHotSpotVMIntConstantEntryValueOffset", ints_, int_value_))
    ints_ = {};
  if (!open_rows(symbol, "gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntryArrayStride",
                 longs_) ||
      !column("gHotSpotVMLongConstantEntryNameOffset", longs_, long_name_) ||
      !column("gHotSpotVMLongConstantEntryValueOffset", longs_, long_value_))
    longs_ = {};
  return true;
}

std::optional<VmTables::Field> VmTables::field(std::string_view type,
                                               std::string_view name) const noexcept {
  const std::byte* row = structs_.first;
  for (std::size_t i = 0; row != nullptr && i < kMaxTableRows; ++i, row += structs_.stride) {
    if (ends_table(row, struct_type_)) break;
    if (!is_named(row, struct_type_, type) || !is_named(row, struct_field_, name)) continue;
    Field found;
    const char* text = struct_text_known_ ? read_at<const char*>(row + struct_text_) : nullptr;
    if (text != nullptr) found.type = text;
    if (read_at<std::int32_t>(row + struct_is_static_) == 0) {
      found.offset = read_at<std::uint64_t>(row + struct_offset_);
      return found;
    }
    found.address = read_at<const std::byte*>(row + struct_address_);
    if (found.address != nullptr) return found;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> VmTables::type_bytes(std::string_view type) const noexcept {
  const std::byte* row = types_.first;
  for (std::size_t i = 0; row != nullptr && i < kMaxTableRows; ++i, row += types_.stride) {
    if (ends_table(row, type_name_)) break;
    if (is_named(row, type_name_, type)) return read_at<std::uint64_t>(row + type_bytes_);
  }
  return std::nullopt;
}

std::optional<std::int64_t> VmTables::constant(std::string_view name) const noexcept {
  const std::byte* row = ints_.first;
  for (std::size_t i = 0; row != nullptr && i < kMaxTableRows; ++i, row += ints_.stride) {
    if (ends_table(row, int_name_)) break;
    if (is_named(row, int_name_, name)) return read_at<std::int32_t>(row + int_value_);
  }
  row = longs_.first;
  for (std::size_t i = 0; row != nullptr && i < kMaxTableRows; ++i, row += longs_.stride) {
    if (ends_table(row, long_name_)) break;
    if (is_named(row, long_name_, name)) return read_at<std::int64_t>(row + long_value_);
  }
  return std::nullopt;
}

}  // namespace holdfast::jvmti
