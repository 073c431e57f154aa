// Rows of accounts, summed by a key and cut to the largest.
// Shape:  order[rows] sorted by key, runs of equal keys over it, ranked by allocated bytes; sums are made of the listed runs alone.
//         Equal sizes are ranked by key. Scratch 24 B a row. O(rows log rows).
// Zone:   worker, child.   Errors: kOutOfBudget.
#pragma once

#include "analysis/accounts/account_sums.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast::analysis {

enum class AccountKey : std::uint8_t { kPair, kClass, kMethod, kThread, kAnnotation };

// What a list may hold: of each account (in the order of `ranks`: the position of an account, kNoRank for one that is not listed), and in all.
struct AccountListLimits {
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFFu;
  std::uint32_t rows = 0;
  std::uint32_t of_an_account = 0;
  std::span<const std::uint32_t> ranks;  // [accounts]; empty: all accounts together
};

// The account that a row belongs to: one that does not exist is "(unaccounted)", so that nothing is lost.
inline AccountId known_account(const AccountFigures& figures, AccountId account) noexcept {
  return account < figures.accounts.size() ? account : kUnaccounted;
}

AccountSums sums_of(const AccountFigures& figures, std::span<const CalibratedAmount> calibrated,
                    std::uint32_t row) noexcept;

Result<AccountList> group_accounts(const AccountFigures& figures,
                                   std::span<const CalibratedAmount> calibrated, AccountKey key,
                                   const AccountListLimits& limits, Arena& arena) noexcept;

}  // namespace holdfast::analysis
