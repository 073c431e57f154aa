// What a report tells of memory accounts, from the rows that the dump took along.
// Shape:  all accounts of the patterns, also those that allocated nothing, up to kMostAccounts; the largest pairs; of each listed account the
//         largest classes, and methods, threads and annotations where rows tell them. How many of each account follows from how many accounts
//         have anything: lists stay bounded, and a few accounts are told in full. What stays: 144 B a listed row, 148 B an account, 16 B a row;
//         scratch 28 B a row or, before, 60 B a class name + 4 B a row. O(rows log rows).
// Zone:   worker, child.   Errors: kOutOfBudget, kCancelled.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 4 (what is told of an account).
#pragma once

#include "analysis/accounts/account_sums.h"
#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

inline constexpr std::uint32_t kMostAccounts = 1000;
inline constexpr std::uint32_t kMostAccountPairs = 500;
inline constexpr std::uint32_t kMostAccountClasses = 2000;  // of all accounts; so methods, threads
inline constexpr std::uint32_t kMostAccountMethods = 1000;
inline constexpr std::uint32_t kMostAccountThreads = 1000;
inline constexpr std::uint32_t kMostAccountAnnotations = 1000;
// Of one account, however few there are: beyond these nobody reads.
inline constexpr std::uint32_t kMostClassesOfAccount = 200;
inline constexpr std::uint32_t kMostMethodsOfAccount = 200;
inline constexpr std::uint32_t kMostThreadsOfAccount = 100;
inline constexpr std::uint32_t kMostAnnotationsOfAccount = 200;

// `counted`: what the dump counted, [class count + 1]; empty: the pass was left out, and nothing is calibrated.
Result<AccountFindings> find_accounts(const AccountFigures& figures, const Catalog& catalog,
                                      std::span<const ClassFigures> counted, Arena& arena,
                                      const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
