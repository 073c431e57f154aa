// The memory accounts of a process over the samples of a watch: what of each lives now, and what it allocated since the sample before.
// Shape:  the rows of the last sample, at most kMaxWatchedAccounts, in the agent's order: the largest first. An account that the sample
//         before did not list, and every account after accounting began anew, has nothing to compare with.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/compare/account_changes.h"
#include "common/class_histogram.h"

namespace holdfast::cli {

struct AccountWatchRow {
  std::string account;
  bool known_before = false;
  AmountView live_before, allocated_before, live, allocated;

  AccountChange change() const;
};

class AccountWatch {
 public:
  void add(const ClassHistogram& histogram);

  const WatchedAccounts& facts() const { return facts_; }  // without rows
  const std::vector<AccountWatchRow>& rows() const { return rows_; }
  std::int64_t elapsed_ms() const { return elapsed_ms_; }  // since the sample before; 0: the first

 private:
  const AccountWatchRow* before(const std::string& account) const;

  WatchedAccounts facts_;
  std::vector<AccountWatchRow> rows_;
  std::uint64_t taken_utc_ms_ = 0;
  std::int64_t elapsed_ms_ = 0;
};

}  // namespace holdfast::cli
