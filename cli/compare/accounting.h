// Which accounting the accounts of a report are of, and what two of them have to do with each other.
// Why: an agent that is loaded anew counts anew, perhaps other accounts in another mode; amounts of two accountings subtracted mean nothing.
// Shape:  plain values that outlive the report; names sorted. O(accounts log accounts).   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

struct Accounting {
  bool told = false;  // the report has accounts
  bool exact = false;
  bool live_counted = false;
  bool live_known = false;
  std::uint64_t began_utc_ms = 0;
  std::uint64_t sample_interval_bytes = 0;
  bool whole = false;              // all accounts are listed
  std::vector<std::string> names;  // that are
};

Accounting accounting_of(const ReportView& view);

// Of one process: what the later one allocated includes what the earlier one did.
bool one_accounting(const Accounting& a, const Accounting& b);
// What the two do not share: "begun at other times; sampled, then exact; 2 accounts are only in one". Empty: nothing, or nothing
// that anybody could compare.
std::string accounting_difference(const Accounting& before, const Accounting& after);

}  // namespace holdfast::cli
