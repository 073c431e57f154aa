#include "cli/report/accounts_view.h"

#include <algorithm>
#include <cmath>

#include "cli/report/report_view_names.h"

namespace holdfast::cli {
namespace {

using Rows = flatbuffers::Vector<flatbuffers::Offset<report::AccountRow>>;

AccountView account_view(const ReportNames& names, const report::AccountRow& from) {
  AccountView view;
  view.account = names.text(from.account());
  view.principal = names.text(from.principal());
  view.class_name = names.text(from.class_name());
  view.method = names.text(from.method());
  view.thread = names.text(from.thread());
  view.annotation = names.text(from.annotation());
  view.allocated = {from.allocated_objects(), from.allocated_bytes(),
                    from.allocated_objects_error(), from.allocated_bytes_error()};
  view.since_report = {from.since_report_objects(), from.since_report_bytes(),
                       from.since_report_objects_error(), from.since_report_bytes_error()};
  view.live = {from.live_objects(), from.live_bytes(), from.live_objects_error(),
               from.live_bytes_error()};
  view.calibrated_objects = from.calibrated_objects();
  view.calibrated_bytes = from.calibrated_bytes();
  view.samples = from.samples();
  return view;
}

AccountListView list_view(const ReportNames& names, const Rows& rows, std::uint64_t total) {
  AccountListView view;
  for (const auto* row : rows) view.rows.push_back(account_view(names, *row));
  view.total = std::max<std::uint64_t>(total, view.rows.size());
  return view;
}

std::uint64_t root_of_squares(std::uint64_t a, std::uint64_t b, int sign) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  const double square = x * x + sign * y * y;
  constexpr double kMost = 1.8e19;
  return square <= 0 ? 0 : static_cast<std::uint64_t>(std::min(std::sqrt(square) + 0.5, kMost));
}

void add_to(AmountView& sum, const AmountView& one) {
  sum.objects += one.objects;
  sum.bytes += one.bytes;
  sum.objects_error = root_of_squares(sum.objects_error, one.objects_error, 1);
  sum.bytes_error = root_of_squares(sum.bytes_error, one.bytes_error, 1);
}

void take_away(std::uint64_t& from, std::uint64_t one) { from -= std::min(from, one); }

void take_away(AmountView& from, const AmountView& one) {
  take_away(from.objects, one.objects);
  take_away(from.bytes, one.bytes);
  from.objects_error = root_of_squares(from.objects_error, one.objects_error, -1);
  from.bytes_error = root_of_squares(from.bytes_error, one.bytes_error, -1);
}

}  // namespace

const AccountView* AccountsView::find(std::string_view account) const {
  const auto at = std::ranges::find(accounts.rows, account, &AccountView::account);
  return at == accounts.rows.end() ? nullptr : &*at;
}

const char* mode_word(bool exact, bool live_counted) {
  if (live_counted) return "exact-live";
  return exact ? "exact" : "sampled";
}

AccountsView accounts_view(const ReportNames& names, const report::AccountFacts& from) {
  AccountsView view;
  view.live_counted = from.mode() == report::AccountMode::ExactLive;
  view.exact = view.live_counted || from.mode() == report::AccountMode::Exact;
  view.by_method = from.by_method();
  view.by_thread = from.by_thread();
  view.by_annotations = from.by_annotations();
  view.sample_only = names.text(from.sample_only());
  view.passed_over = from.passed_over();
  view.live_known = from.live_known();
  view.calibrated = from.calibrated();
  view.sample_interval_bytes = from.sample_interval_bytes();
  view.began_utc_ms = from.began_utc_ms();
  view.last_report_utc_ms = from.last_report_utc_ms();
  view.heap_objects = from.heap_objects();
  view.heap_bytes = from.heap_bytes();
  view.explained_objects = from.explained_objects();
  view.explained_bytes = from.explained_bytes();
  view.losses = {from.rows_full(),       from.stacks_cut(),         from.live_thinned(),
                 from.samples_dropped(), from.classes_left_alone(), from.methods_left_alone(),
                 from.threads_shared(),  from.annotations_other()};
  view.accounts = list_view(names, *from.accounts(), from.accounts_total());
  view.pairs = list_view(names, *from.pairs(), from.pairs_total());
  view.classes = list_view(names, *from.classes(), from.classes_total());
  view.methods = list_view(names, *from.methods(), from.methods_total());
  view.threads = list_view(names, *from.threads(), from.threads_total());
  if (from.annotations() != nullptr)
    view.annotations = list_view(names, *from.annotations(), from.annotations_total());
  view.rest_of_accounts = account_view(names, *from.rest_of_accounts());
  view.rest_of_pairs = account_view(names, *from.rest_of_pairs());
  return view;
}

void add_to(AccountView& sum, const AccountView& row) {
  add_to(sum.allocated, row.allocated);
  add_to(sum.since_report, row.since_report);
  add_to(sum.live, row.live);
  sum.calibrated_objects += row.calibrated_objects;
  sum.calibrated_bytes += row.calibrated_bytes;
  sum.samples += row.samples;
}

AccountView rest_of(const AccountView& whole, const std::vector<const AccountView*>& listed) {
  AccountView rest = whole;
  for (const AccountView* row : listed) {
    take_away(rest.allocated, row->allocated);
    take_away(rest.since_report, row->since_report);
    take_away(rest.live, row->live);
    take_away(rest.calibrated_objects, row->calibrated_objects);
    take_away(rest.calibrated_bytes, row->calibrated_bytes);
    take_away(rest.samples, row->samples);
  }
  return rest;
}

AccountsView only_account(const AccountsView& all, std::string_view account) {
  AccountsView view = all;
  const auto keep = [](AccountListView& list, auto wanted) {
    std::erase_if(list.rows, [&](const AccountView& row) { return !wanted(row); });
    list.total = list.rows.size();
  };
  const auto own = [account](const AccountView& row) { return row.account == account; };
  keep(view.pairs, [account](const AccountView& row) {
    return row.account == account || row.principal == account;
  });
  for (AccountListView* list :
       {&view.accounts, &view.classes, &view.methods, &view.threads, &view.annotations})
    keep(*list, own);
  view.rest_of_accounts = view.rest_of_pairs = {};
  return view;
}

}  // namespace holdfast::cli
