// The tables that HotSpot exports for its serviceability agent: structures, types and constants by name.
// Why our own reader: they are data symbols of the running VM, so nothing is linked, started or asked for; a VM without them is
//      simply not known.
// Shape:  gHotSpotVMStructs, gHotSpotVMTypes, gHotSpotVMIntConstants, gHotSpotVMLongConstants; rows of a stride that the VM
//         names itself, ended by a row without a name. A look-up is a linear search: at load only.
// Zone:   load (event), capture.
// Errors: open() answers false on any VM whose tables are missing or look strange; a look-up answers an empty optional.
// Source: HotSpot, runtime/vmStructs.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace holdfast::jvmti {

// The address of an exported symbol of the VM, nullptr when there is none. A parameter, so that tests bring their own tables.
using VmSymbol = const void* (*)(const char* name) noexcept;

const void* libjvm_symbol(const char* name) noexcept;

template <class T>
T read_at(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

class VmTables {
 public:
  struct Field {
    const std::byte* address = nullptr;  // of a static field
    std::uint64_t offset = 0;            // of any other
    std::string_view type;  // as the VM spells it: "OopHandle"; empty where it does not tell
  };

  // False where there are no structure and type tables. Constants may be missing (they are asked for one by one).
  bool open(VmSymbol symbol) noexcept;
  std::optional<Field> field(std::string_view type, std::string_view name) const noexcept;
  std::optional<std::uint64_t> type_bytes(std::string_view type) const noexcept;
  std::optional<std::int64_t> constant(std::string_view name) const noexcept;

 private:
  struct Rows {
    const std::byte* first = nullptr;
    std::uint64_t stride = 0;
  };
  static bool open_rows(VmSymbol symbol, const char* table, const char* stride, Rows& out) noexcept;

  Rows structs_;
  std::uint64_t struct_type_ = 0, struct_field_ = 0, struct_text_ = 0, struct_is_static_ = 0,
                struct_offset_ = 0, struct_address_ = 0;
  bool struct_text_known_ = false;
  Rows types_;
  std::uint64_t type_name_ = 0, type_bytes_ = 0;
  Rows ints_;
  std::uint64_t int_name_ = 0, int_value_ = 0;
  Rows longs_;
  std::uint64_t long_name_ = 0, long_value_ = 0;
};

}  // namespace holdfast::jvmti
