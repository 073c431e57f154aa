// How allocations are accounted, and what their figures are told apart by: the words of `accounts-mode=` and `accounts-by=`.
// Shape:  plain values.   Zone: any.   Errors: none.
#pragma once

#include <cstdint>

namespace holdfast {

// kExact counts what is allocated and samples what lives; kExactLive counts both.
enum class AccountMode : std::uint8_t { kOff, kSampled, kExact, kExactLive };

constexpr bool counts_allocations(AccountMode mode) noexcept {
  return mode == AccountMode::kExact || mode == AccountMode::kExactLive;
}

// Bits of `accounts-by=`: what rows are told apart by beside account, principal and class.
enum AccountDimension : std::uint32_t {
  kByMethod = 1u << 0,  // the method of the account nearest to the top of the stack
  kByThread = 1u << 1,  // by name
  // What a thread says of itself (annotations/annotation_texts.h), in the order of its kinds.
  kByUser = 1u << 2,
  kByApplication = 1u << 3,
  kByRequest = 1u << 4,
  kBySession = 1u << 5,
};
inline constexpr std::uint32_t kFirstAnnotationBit = 2;
inline constexpr std::uint32_t kByAnnotations = kByUser | kByApplication | kByRequest | kBySession;

}  // namespace holdfast
