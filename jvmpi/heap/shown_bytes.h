// What of an object dump's event may be read.
// Why: data_len is not to be relied on across VMs, and a record tells its own length; where the two disagree one of them lies, and nobody
//      knows which. Then nothing is read where it stands.
// Shape:  without `copy`: as far as the event says. With it: as far as it reaches and memory is mapped, copied there (3 us).
// Zone:   capture, GC off.   Errors: nothing to read: an empty span.
#pragma once

#include <cstddef>
#include <span>

#include "jvmpi/abi/jvmpi.h"
#include "platforms/own_memory.h"

namespace holdfast::jvmpi {

// Of a class's record, then. Constants and static fields of any class that was seen take a fourth of it.
inline constexpr std::size_t kClassRecordBytes = std::size_t{256} << 10;

inline std::span<const std::byte> shown_bytes(const JVMPI_Event& event,
                                              std::span<std::byte> copy) noexcept {
  const char* const data = event.u.object_dump.data;
  const jint told = event.u.object_dump.data_len;
  if (data == nullptr) return {};
  if (!copy.empty()) return copy.first(platforms::read_own_memory(data, copy.data(), copy.size()));
  return {reinterpret_cast<const std::byte*>(data), static_cast<std::size_t>(told > 0 ? told : 0)};
}

}  // namespace holdfast::jvmpi
