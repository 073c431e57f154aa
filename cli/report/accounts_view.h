// Memory accounts of a report as plain values: who allocated what.
// Shape:  rows with names; what a list is not made by is empty. Estimates with their standard errors, 0 where counted. O(rows).
// Zone:   offline.   Errors: none, the reader has checked the indices.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::report {
struct AccountFacts;
}

namespace holdfast::cli {

class ReportNames;

struct AmountView {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t objects_error = 0;  // standard errors
  std::uint64_t bytes_error = 0;
};

struct AccountView {
  std::string_view account;     // "(unaccounted)": outside all accounts
  std::string_view principal;   // of pairs: whose code called; "(unaccounted)": nobody's
  std::string_view class_name;  // empty in a list by class: there was no room to tell it
  std::string_view method, thread, annotation;
  AmountView allocated, since_report, live;
  std::uint64_t calibrated_objects = 0;  // live, by what the dump counted
  std::uint64_t calibrated_bytes = 0;
  std::uint64_t samples = 0;
};

struct AccountListView {
  std::vector<AccountView> rows;
  std::uint64_t total = 0;  // listed or not
};

struct AccountLossView {
  std::uint64_t rows_full = 0;
  std::uint64_t stacks_cut = 0;
  std::uint64_t live_thinned = 0;
  std::uint64_t samples_dropped = 0;
  std::uint64_t classes_left_alone = 0;
  std::uint64_t methods_left_alone = 0;
  std::uint64_t threads_shared = 0;
  std::uint64_t annotations_other = 0;
};

struct AccountsView {
  bool exact = false;         // allocated amounts are counted
  bool live_counted = false;  // and so is what lives
  bool by_method = false;
  bool by_thread = false;
  bool by_annotations = false;
  bool live_known = false;
  bool calibrated = false;
  std::uint64_t sample_interval_bytes = 0;
  std::uint64_t began_utc_ms = 0;
  std::uint64_t last_report_utc_ms = 0;  // 0: none before
  std::uint64_t heap_objects = 0;        // that the dump counted
  std::uint64_t heap_bytes = 0;
  std::uint64_t explained_objects = 0;
  std::uint64_t explained_bytes = 0;
  std::string_view sample_only;   // which samples were taken; empty: all
  std::uint64_t passed_over = 0;  // that it left out
  AccountLossView losses;
  AccountListView accounts, pairs, classes, methods, threads, annotations;
  AccountView rest_of_accounts, rest_of_pairs;

  const AccountView* find(std::string_view account) const;  // nullptr: not listed
};

inline constexpr std::string_view kUnaccountedAccount = "(unaccounted)";

// As `accounts-mode=` has it.
const char* mode_word(bool exact, bool live_counted);
AccountsView accounts_view(const ReportNames& names, const report::AccountFacts& from);

// Sums: errors add up as squares, as nothing is in two rows.
void add_to(AccountView& sum, const AccountView& row);
// What `whole` has beyond `listed`, rows of a finer list; names are those of `whole`.
AccountView rest_of(const AccountView& whole, const std::vector<const AccountView*>& listed);

// The rows of one account; of pairs those of which it is either.
AccountsView only_account(const AccountsView& all, std::string_view account);

}  // namespace holdfast::cli
