// Reads of the runtime's own memory.
// Why two ways: while the agent finds its way, an address may be wrong, and the application lives; in a child that has proved itself a
//      wild read ends nothing but the child.
// Zone:   load(): child, stopped (inline). read_word(), read_number(): capture; one or two system calls each.
// Errors: read_*(): nothing where the memory is not there.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "platforms/mappings.h"

namespace holdfast::clr {

using Address = std::uint64_t;

template <class T>
T load(Address at) noexcept {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(at)), sizeof value);
  return value;
}

// Wherever it stands: some of the runtime's structures are packed.
template <class T>
std::optional<T> read_checked(Address at) noexcept {
  constexpr Address kWord = sizeof(std::uint64_t);
  const Address first = at / kWord * kWord, last = (at + sizeof(T) - 1) / kWord * kWord;
  if (last < first || !platforms::is_readable(first)) return std::nullopt;
  if (last != first && !platforms::is_readable(last)) return std::nullopt;
  return load<T>(at);
}
inline std::optional<std::uint64_t> read_word(Address at) noexcept {
  return read_checked<std::uint64_t>(at);
}
inline std::optional<std::int32_t> read_number(Address at) noexcept {
  return read_checked<std::int32_t>(at);
}

}  // namespace holdfast::clr
