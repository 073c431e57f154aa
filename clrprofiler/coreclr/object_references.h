// The references that an object holds, where they lie.
// Shape:  below the class, in words: n; for n > 0 series i = 0 .. n - 1, downwards, {length less the object's size, offset of the first};
//         for n < 0, arrays of structs, the offset of the first element and then, downwards, -n pairs {references, bytes to skip} of 32 bits
//         that each element repeats. The reference to its load context that every object of a collectible class has is in no slot.
// Zone:   child (inline).
// Errors: false: the description does not fit the object, so it is none.
// Source: CGCDesc of the runtime (gcdesc.h), measured on 8, 9 and 10.
#pragma once

#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

namespace references {

inline constexpr std::uint64_t kWord = sizeof(std::uint64_t);
inline constexpr std::int64_t kMostSeries = 1 << 16;

template <class Visit>
bool for_each_series(Address object, Address type, std::uint64_t bytes, std::int64_t series,
                     Visit visit) noexcept {
  for (std::int64_t i = 0; i < series; ++i) {
    const Address pair = type - kWord - 2 * kWord * static_cast<std::uint64_t>(i + 1);
    const std::uint64_t length = bytes + load<std::uint64_t>(pair);  // of two's complement
    const auto first = load<std::uint64_t>(pair + kWord);
    if (first > bytes || length > bytes - first) return false;
    for (std::uint64_t at = 0; at < length; at += kWord) visit(object + first + at);
  }
  return true;
}

// The object's header word lies before it: its last component ends one word before its bytes do.
template <class Visit>
bool for_each_element(Address object, Address type, std::uint64_t bytes, std::int64_t pairs,
                      Visit visit) noexcept {
  const auto first = load<std::uint64_t>(type - 2 * kWord);
  const Address end = object + bytes - kWord;
  Address at = object + first;
  while (at < end)
    for (std::int64_t i = 0; i < pairs; ++i) {
      const Address pair = type - 3 * kWord - kWord * static_cast<std::uint64_t>(i);
      const auto references = load<std::uint32_t>(pair);
      const auto skip = load<std::uint32_t>(pair + sizeof(std::uint32_t));
      if (at + references * kWord > end || references == 0) return false;
      for (std::uint32_t k = 0; k < references; ++k, at += kWord) visit(at);
      at += skip;
    }
  return true;
}

}  // namespace references

// visit(address of the slot), null references too.
template <class Visit>
bool for_each_slot(Address object, Address type, std::uint64_t bytes, Visit visit) noexcept {
  constexpr std::uint32_t kContainsReferences = 0x01000000u;
  if ((load<std::uint32_t>(type) & kContainsReferences) == 0) return true;
  const auto series = load<std::int64_t>(type - references::kWord);
  if (series == 0 || series > references::kMostSeries || -series > references::kMostSeries)
    return false;
  return series > 0 ? references::for_each_series(object, type, bytes, series, visit)
                    : references::for_each_element(object, type, bytes, -series, visit);
}

}  // namespace holdfast::clr
