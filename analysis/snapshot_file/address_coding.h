// How the addresses of an imported dump's objects become a column, and back.
// Why the size: dumps mostly list objects as they lie in memory, so each begins where the one before ends, and nearly every number
//      is zero; where they do not, the difference is as short as any.
// Shape:  an address is expected to be the one before + that object's shallow size, rounded up to kAlignment; the difference,
//         modulo 2^64, zigzag, as a wide number. Expectations run on over the borders of blocks.
// Zone:   as columns.h.   Errors: as columns.h.
#pragma once

#include "analysis/snapshot_file/columns.h"

namespace holdfast::analysis {

inline constexpr std::size_t kAddressesPerBlock = rows_per_block(1, kMaxWideNumberBytes);

struct AddressPosition {
  static constexpr std::uint64_t kAlignment = 8;  // of objects, on every VM that we know
  std::uint64_t expected = 0;
};

constexpr std::uint64_t wide_zigzag(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (0u - (difference >> 63));
}
constexpr std::uint64_t wide_unzigzag(std::uint64_t code) noexcept {
  return (code >> 1) ^ (0u - (code & 1));
}

template <class Columns>
void code_address(Columns& columns, AddressPosition& position, std::uint64_t& address,
                  std::uint64_t shallow_bytes) noexcept {
  std::uint64_t code = wide_zigzag(address - position.expected);
  columns.wide(0, code);
  if constexpr (Columns::kReading) address = position.expected + wide_unzigzag(code);
  const std::uint64_t size = (shallow_bytes + AddressPosition::kAlignment - 1) /
                             AddressPosition::kAlignment * AddressPosition::kAlignment;
  position.expected = address + size;
}

}  // namespace holdfast::analysis
