// Where the references of an object lie, as its class's method table says it for the collector.
// Why: the runtime tells an object's references without their fields and leaves null ones out; which of the fields are null only the
//      object itself shows, and only while the application stands still.
// Shape:  below the method table, in words: the number of series n; then for i = 0, 1 ... n - 1 a pair {length less the object's size,
//         offset of the first}, downwards. Inside a series one reference stands beside the next. n < 0 (arrays of structs) is no map
//         of this kind. Offsets come in the order in which the runtime tells the references.
// Zone:   stopped, capture (inline).
// Errors: offsets beyond the object end the list, and so does a map that cannot be: the caller compares with what the runtime told.
// Source: the collector's descriptor as measured on .NET 8, 9 and 10; each object proves it again by its number of references.
#pragma once

#include <cstdint>
#include <cstring>

namespace holdfast::clr {

class ReferenceMap {
 public:
  static constexpr std::int64_t kMostSeries = 64;

  explicit ReferenceMap(std::uint64_t method_table) noexcept : table_(method_table) {}

  static bool has_references(std::uint64_t method_table) noexcept {
    return (load<std::uint32_t>(method_table) & kContainsReferences) != 0;
  }
  // Arrays and strings: objects of a class differ in size.
  static bool has_components(std::uint64_t method_table) noexcept {
    return (load<std::uint32_t>(method_table) & kHasComponents) != 0;
  }

  // Of an object without components, the header word included.
  static std::uint32_t base_bytes(std::uint64_t method_table) noexcept {
    return load<std::uint32_t>(method_table + sizeof(std::uint32_t));
  }

  // visit(offset) for each reference of an object of so many bytes, until it answers false. False when there is no such map.
  template <class Visit>
  bool for_each(std::uint64_t object_bytes, Visit visit) const noexcept {
    const auto series = load<std::int64_t>(table_ - kWord);
    if (series <= 0 || series > kMostSeries) return false;
    for (std::int64_t i = 0; i < series; ++i) {
      const std::uint64_t pair = table_ - kWord - 2 * kWord * static_cast<std::uint64_t>(i + 1);
      const auto length = static_cast<std::int64_t>(object_bytes) + load<std::int64_t>(pair);
      const auto first = load<std::uint64_t>(pair + kWord);
      if (length < 0 || first < kWord || first > object_bytes ||
          static_cast<std::uint64_t>(length) > object_bytes - first)
        return false;
      for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(length); at += kWord)
        if (!visit(first + at)) return true;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  static constexpr std::uint32_t kContainsReferences = 0x01000000u;
  static constexpr std::uint32_t kHasComponents = 0x80000000u;

  template <class T>
  static T load(std::uint64_t address) noexcept {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)),
                sizeof value);
    return value;
  }

  std::uint64_t table_;
};

// Spelled out: without an instruction set beyond the first x86-64 std::popcount is a call.
constexpr std::uint32_t count_set(std::uint64_t x) noexcept {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return static_cast<std::uint32_t>(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >>
                                    56);
}

// Which of an object's references are not null: bit k is the k-th of the map. Answers how many references the map has, 0 where
// there is no map or where there are more than 64.
inline std::uint32_t references_set(std::uint64_t object, std::uint64_t method_table,
                                    std::uint64_t object_bytes, std::uint64_t& set) noexcept {
  constexpr std::uint32_t kMostBits = 64;
  std::uint32_t count = 0;
  set = 0;
  const bool mapped =
      ReferenceMap(method_table).for_each(object_bytes, [&](std::uint64_t offset) noexcept {
        std::uint64_t target = 0;
        std::memcpy(&target,
                    reinterpret_cast<const void*>(static_cast<std::uintptr_t>(object + offset)),
                    sizeof target);
        if (count < kMostBits && target != 0) set |= std::uint64_t{1} << count;
        return ++count <= kMostBits;
      });
  return mapped && count <= kMostBits ? count : 0;
}

}  // namespace holdfast::clr
