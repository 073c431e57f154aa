// The HPROF binary format, as far as heaps need it: tags, types, big-endian numbers, the file header.
// Shape:  header: "JAVA PROFILE 1.0.x" NUL, u4 identifier bytes (4 or 8), u8 milliseconds since 1970; then records of
//         u1 tag, u4 microseconds, u4 length, body. Heap dumps are records whose bodies are rows of sub-records.
// Zone:   offline.   Errors: read_hprof_header() throws ImportFailure (kNotOurs, kDamaged with the offset).
// Source: HPROF agent manual (hprof_b_spec.h of OpenJDK 8); JDK's heapDumper.cpp; Android's additions as VisualVM lists them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace holdfast::analysis {

enum class HprofTag : std::uint8_t {
  kUtf8 = 0x01,
  kLoadClass = 0x02,
  kFrame = 0x04,
  kTrace = 0x05,
  kHeapDump = 0x0C,
  kHeapDumpSegment = 0x1C,
  kHeapDumpEnd = 0x2C,
};

enum class HeapTag : std::uint8_t {
  kRootJniGlobal = 0x01,
  kRootJniLocal = 0x02,
  kRootJavaFrame = 0x03,
  kRootNativeStack = 0x04,
  kRootStickyClass = 0x05,
  kRootThreadBlock = 0x06,
  kRootMonitorUsed = 0x07,
  kRootThreadObject = 0x08,
  kClassDump = 0x20,
  kInstanceDump = 0x21,
  kObjectArrayDump = 0x22,
  kPrimitiveArrayDump = 0x23,
  kRootInternedString = 0x89,  // Android's, up to kHeapInfo
  kRootFinalizing = 0x8A,
  kRootDebugger = 0x8B,
  kRootReferenceCleanup = 0x8C,
  kRootVmInternal = 0x8D,
  kRootJniMonitor = 0x8E,
  kUnreachable = 0x90,
  kPrimitiveArrayNoData = 0xC3,
  kHeapInfo = 0xFE,
  kRootUnknown = 0xFF,
};

inline constexpr std::uint8_t kHprofObject =
    2;  // the type of a field or element that is a reference

// Bytes of a field or element of a type; 0: no such type.
constexpr unsigned hprof_type_bytes(std::uint8_t type, unsigned id_bytes) noexcept {
  switch (type) {
    case kHprofObject:
      return id_bytes;
    case 4:
    case 8:
      return 1;  // boolean, byte
    case 5:
    case 9:
      return 2;  // char, short
    case 6:
    case 10:
      return 4;  // float, int
    case 7:
    case 11:
      return 8;  // double, long
    default:
      return 0;
  }
}
// "[I" for 10 and so on: the class of primitive arrays, as LOAD_CLASS names it; "" for no such type.
std::string_view hprof_array_name(std::uint8_t element_type) noexcept;

template <class T>
T load_big_endian(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(value));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(value));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
  return value;
}
static_assert(std::endian::native == std::endian::little, "big-endian machines need no swap above");

inline std::uint64_t load_id(const std::byte* at, unsigned id_bytes) noexcept {
  return id_bytes == 4 ? load_big_endian<std::uint32_t>(at) : load_big_endian<std::uint64_t>(at);
}

struct HprofHeader {
  std::string version;  // "1.0.2"
  unsigned id_bytes = 8;
  std::uint64_t utc_ms = 0;
  std::uint64_t records_offset = 0;
};

bool looks_like_hprof(std::span<const std::byte> first_bytes) noexcept;
HprofHeader read_hprof_header(std::span<const std::byte> file);

}  // namespace holdfast::analysis
