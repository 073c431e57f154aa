// What CoreCLR says of its own structures: the data contract descriptor that libcoreclr exports, from .NET 9 on.
// Why a reader of our own: it runs inside the application, where nothing may be allocated or thrown, and needs no more of JSON than to
//      find a member.
// Shape:  the text stays where it is, in the runtime's own read-only data. Each question walks through it, about 10 KB; nothing is kept.
//           types    {"Thread": {"!": 40, "OSId": 296, "LinkNext": [112, "pointer"]}}: sizes and offsets in bytes
//           globals  {"Name": ["0x7", "uint8"], "Other": [[9], "pointer"]}: a number, or an index into the pointers beside the text
// Zone:   capture; after VM init.
// Errors: read(): kUnsupported when there is no such descriptor. Questions: nothing, when what is asked for is not there or not a number.
// Source: dotnet/runtime, docs/design/datacontracts/contract-descriptor.md and data_descriptor.md (compact form).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/result.h"

namespace holdfast::clr {

class ContractDescriptor {
 public:
  ContractDescriptor() = default;
  // Text and pointers that somebody else has found.
  ContractDescriptor(std::string_view text, std::span<const std::uint64_t> pointers) noexcept
      : text_(text), pointers_(pointers) {}

  // `symbol`: the exported DotNetRuntimeContractDescriptor, or nullptr.
  static Result<ContractDescriptor> read(const void* symbol) noexcept;

  std::optional<std::uint64_t> offset(std::string_view type, std::string_view field) const noexcept;
  std::optional<std::uint64_t> size(std::string_view type) const noexcept {
    return offset(type, "!");
  }
  // Of a global that is an address.
  std::optional<std::uint64_t> pointer(std::string_view global) const noexcept;
  std::optional<std::uint64_t> number(std::string_view global) const noexcept;

 private:
  std::string_view text_;
  std::span<const std::uint64_t> pointers_;
};

}  // namespace holdfast::clr
