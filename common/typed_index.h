// Indices of different things are different types, so that a class id cannot index objects.
// Shape:  32 bits, kNone = 0xFFFFFFFF.   Zone: any.   Errors: none.
#pragma once

#include <compare>
#include <cstdint>

namespace holdfast {

template <class Tag>
struct TypedIndex {
  static constexpr std::uint32_t kNoneValue = 0xFFFFFFFFu;
  std::uint32_t value = kNoneValue;
  constexpr TypedIndex() noexcept = default;
  constexpr explicit TypedIndex(std::uint32_t v) noexcept : value(v) {}
  constexpr bool valid() const noexcept { return value != kNoneValue; }
  friend constexpr auto operator<=>(TypedIndex, TypedIndex) noexcept = default;
};

using ObjectId = TypedIndex<struct ObjectTag>;
using ClassId = TypedIndex<struct ClassTag>;
using LoaderId = TypedIndex<struct LoaderTag>;
using ThreadId = TypedIndex<struct ThreadTag>;
using MethodId = TypedIndex<struct MethodTag>;
using StringId = TypedIndex<struct StringTag>;

}  // namespace holdfast
