// What a thread keeps of its account, in one number that rewritten code stores: whom it works for, and whom that was entered from.
// Shape:  principal << 32 | entered. What a method enters is its account; where methods are told apart, the number of its name is
//         above it: name << kAccountBits | account. 0: outside of all. Neither half is ever negative, so ~state is never 0.
// Zone:   any.   Errors: none.
#pragma once

#include <cstdint>

#include "common/accounts/account_figures.h"
#include "common/accounts/account_patterns.h"

namespace holdfast::jvmti {

using AccountState = std::uint64_t;

inline constexpr std::uint32_t kAccountBits = 14;
inline constexpr std::uint32_t kAccountMask = (1u << kAccountBits) - 1;
inline constexpr std::uint32_t kMostMethodNames = 1u << (31 - kAccountBits);
static_assert(kMaxAccounts <= kAccountMask);

constexpr AccountState account_state(AccountId account, AccountId principal) noexcept {
  return std::uint64_t{principal} << 32u | account;
}

// Of a name that has no number that fits the method is not told.
constexpr std::int32_t entered_by(AccountId account, StringId method) noexcept {
  const std::uint32_t name = method.value < kMostMethodNames ? method.value : 0;
  return static_cast<std::int32_t>(name << kAccountBits | account);
}

constexpr AccountId account_in(AccountState state) noexcept {
  return static_cast<std::uint32_t>(state) & kAccountMask;
}
constexpr AccountId principal_in(AccountState state) noexcept {
  return static_cast<std::uint32_t>(state >> 32u);
}
constexpr StringId method_in(AccountState state) noexcept {
  return StringId{static_cast<std::uint32_t>(state) >> kAccountBits};
}

}  // namespace holdfast::jvmti
