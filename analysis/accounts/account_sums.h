// What a report tells of memory accounts: sums of the rows that a dump took along, by account, by account and principal, and within
// an account by class, method, thread and annotations.
// Shape:  a group's key has the parts that it was made by; the others are none. Lists are cut to limits (account_findings.h), largest
//         by allocated bytes first: accounts and pairs over all, classes, methods and threads account by account, in the order of accounts.
//         sum of accounts + rest_of_accounts == sum of pairs + rest_of_pairs == sum of all rows; what an account has beyond its
//         listed classes, methods or threads is the difference to the account. Variances add up likewise.
// Zone:   worker, child.   Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/account_figures.h"

namespace holdfast::analysis {

struct CalibratedAmount {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

struct AccountSums {
  AccountAmount allocated;
  AccountAmount since_report;
  AccountAmount live;
  CalibratedAmount calibrated;  // live, by what the dump counted (live_calibration.h)
  std::uint64_t samples = 0;
};

struct AccountGroup {
  AccountId account = kUnaccounted;
  AccountId principal = kUnaccounted;  // told in pairs alone
  StringId class_name;
  StringId method;
  StringId thread;
  StringId annotation;
  AccountSums sums;
};

struct AccountList {
  std::span<const AccountGroup> rows;
  std::uint32_t total = 0;  // groups, listed or not
};

struct AccountFindings {
  const AccountFigures* figures = nullptr;  // nullptr: no accounts, or the pass was left out
  bool calibrated = false;         // false: nobody tells what lives, or the dump counted no classes
  std::uint64_t heap_objects = 0;  // that the dump counted
  std::uint64_t heap_bytes = 0;
  std::uint64_t explained_objects = 0;  // of those, given to accounts: sum over all rows
  std::uint64_t explained_bytes = 0;
  AccountList accounts;
  AccountList pairs;
  AccountList classes;
  AccountList methods;
  AccountList threads;
  AccountList annotations;
  AccountSums rest_of_accounts;
  AccountSums rest_of_pairs;
};

inline void add(AccountAmount& sum, const AccountAmount& one) noexcept {
  sum.objects += one.objects;
  sum.bytes += one.bytes;
  sum.objects_variance += one.objects_variance;
  sum.bytes_variance += one.bytes_variance;
}

inline void add(AccountSums& sum, const AccountSums& one) noexcept {
  add(sum.allocated, one.allocated);
  add(sum.since_report, one.since_report);
  add(sum.live, one.live);
  sum.calibrated.objects += one.calibrated.objects;
  sum.calibrated.bytes += one.calibrated.bytes;
  sum.samples += one.samples;
}

}  // namespace holdfast::analysis
