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

// Of a word that stands at a multiple of 8, as every pointer of the runtime's does.
inline std::optional<std::uint64_t> read_word(Address at) noexcept {
  if (at % sizeof(std::uint64_t) != 0 || !platforms::is_readable(at)) return std::nullopt;
  return load<std::uint64_t>(at);
}

inline std::optional<std::int32_t> read_number(Address at) noexcept {
  if (at % sizeof(std::int32_t) != 0 || !platforms::is_readable(at & ~Address{7}))
    return std::nullopt;
  return load<std::int32_t>(at);
}

}  // namespace holdfast::clr
