#include "clrprofiler/coreclr/contract_descriptor.h"

#include <cstring>

#include "clrprofiler/coreclr/json_member.h"
#include "platforms/mappings.h"

namespace holdfast::clr {

namespace {

// As the runtime lays it down, for 64 bits.
struct ExportedDescriptor {
  char magic[8];
  std::uint32_t flags;
  std::uint32_t text_bytes;
  const char* text;
  std::uint32_t pointer_count;
  std::uint32_t padding;
  const std::uint64_t* pointers;
};
static_assert(sizeof(ExportedDescriptor) == 40);
constexpr char kMagic[8] = {'D', 'N', 'C', 'C', 'D', 'A', 'C', '\0'};
// Of .NET 10: 10.5 KB and 24.
constexpr std::uint32_t kMostTextBytes = 1u << 20;
constexpr std::uint32_t kMostPointers = 1u << 16;
constexpr std::uint64_t kLeastPageBytes = 4096;

bool is_readable(const void* start, std::uint64_t bytes) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(start) & ~std::uintptr_t{7};
  const std::uint64_t end = reinterpret_cast<std::uintptr_t>(start) + bytes;
  for (std::uint64_t at = from; at < end; at = (at | (kLeastPageBytes - 1)) + 1)
    if (!platforms::is_readable(at & ~std::uint64_t{7})) return false;
  return true;
}

}  // namespace

Result<ContractDescriptor> ContractDescriptor::read(const void* symbol) noexcept {
  const Error absent = make_error(ErrorCode::kUnsupported);
  if (symbol == nullptr || !is_readable(symbol, sizeof(ExportedDescriptor))) return absent;
  ExportedDescriptor exported;
  std::memcpy(&exported, symbol, sizeof exported);
  if (std::memcmp(exported.magic, kMagic, sizeof kMagic) != 0 ||
      exported.text_bytes > kMostTextBytes || exported.pointer_count > kMostPointers)
    return absent;
  if (!is_readable(exported.text, exported.text_bytes) ||
      !is_readable(exported.pointers, exported.pointer_count * sizeof(std::uint64_t)))
    return absent;
  return ContractDescriptor({exported.text, exported.text_bytes},
                            {exported.pointers, exported.pointer_count});
}

// {"Field": 16} or {"Field": [16, "type"]}.
std::optional<std::uint64_t> ContractDescriptor::offset(std::string_view type,
                                                        std::string_view field) const noexcept {
  const std::string_view told = json_member(json_member(json_member(text_, "types"), type), field);
  return json_number(told.starts_with('[') ? json_first(told) : told);
}

// [[9], "pointer"].
std::optional<std::uint64_t> ContractDescriptor::pointer(std::string_view global) const noexcept {
  const std::string_view told = json_first(json_member(json_member(text_, "globals"), global));
  const auto index = json_number(json_first(told));
  if (!index || *index >= pointers_.size()) return std::nullopt;
  return pointers_[*index];
}

// ["0x7", "uint8"] or "0x7".
std::optional<std::uint64_t> ContractDescriptor::number(std::string_view global) const noexcept {
  const std::string_view told = json_member(json_member(text_, "globals"), global);
  return json_number(told.starts_with('[') ? json_first(told) : told);
}

}  // namespace holdfast::clr
