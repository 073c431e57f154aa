// Memory accounts: who allocated what, as far as there is room for it.
#include "analysis/accounts/account_findings.h"
#include "analysis/report/report_parts.h"
#include "analysis/square_root.h"

namespace holdfast::analysis {
namespace {

using AccountRows = Offset<RowList<report::AccountRow>>;

// The order is the same.
static_assert(static_cast<int>(AccountMode::kSampled) ==
              static_cast<int>(report::AccountMode::Sampled));
static_assert(static_cast<int>(AccountMode::kExact) ==
              static_cast<int>(report::AccountMode::Exact));
static_assert(static_cast<int>(AccountMode::kExactLive) ==
              static_cast<int>(report::AccountMode::ExactLive));

// How many of each list are told.
struct AccountCounts {
  std::size_t accounts = 0, pairs = 0, classes = 0, methods = 0, threads = 0, annotations = 0;
};

std::uint64_t standard_error(double variance) noexcept {
  return static_cast<std::uint64_t>(square_root(variance) + 0.5);
}

void add_sums(report::AccountRowBuilder& row, const AccountSums& sums) noexcept {
  row.add_samples(sums.samples);
  row.add_calibrated_bytes(sums.calibrated.bytes);
  row.add_calibrated_objects(sums.calibrated.objects);
  row.add_live_bytes_error(standard_error(sums.live.bytes_variance));
  row.add_live_objects_error(standard_error(sums.live.objects_variance));
  row.add_live_bytes(sums.live.bytes);
  row.add_live_objects(sums.live.objects);
  row.add_since_report_bytes_error(standard_error(sums.since_report.bytes_variance));
  row.add_since_report_objects_error(standard_error(sums.since_report.objects_variance));
  row.add_since_report_bytes(sums.since_report.bytes);
  row.add_since_report_objects(sums.since_report.objects);
  row.add_allocated_bytes_error(standard_error(sums.allocated.bytes_variance));
  row.add_allocated_objects_error(standard_error(sums.allocated.objects_variance));
  row.add_allocated_bytes(sums.allocated.bytes);
  row.add_allocated_objects(sums.allocated.objects);
}

std::uint32_t account_name(ReportJob& job, AccountId account) noexcept {
  const AccountFigures& figures = *job.findings.accounts.figures;
  return job.text(figures.strings.view(figures.accounts[account]));
}

enum class Principals : std::uint8_t { kHidden, kTold };

Offset<report::AccountRow> write_row(ReportJob& job, const AccountGroup& group,
                                     Principals principals) noexcept {
  const StringTable& names = job.findings.accounts.figures->strings;
  const std::uint32_t account = account_name(job, group.account);
  const std::uint32_t principal =
      principals == Principals::kTold ? account_name(job, group.principal) : 0;
  const std::uint32_t class_name = job.text(names.view(group.class_name));
  const std::uint32_t method = job.text(names.view(group.method));
  const std::uint32_t thread = job.text(names.view(group.thread));
  const std::uint32_t annotation = job.text(names.view(group.annotation));
  report::AccountRowBuilder row(job.builder());
  add_sums(row, group.sums);
  row.add_annotation(annotation);
  row.add_thread(thread);
  row.add_method(method);
  row.add_class_name(class_name);
  row.add_principal(principal);
  row.add_account(account);
  return row.Finish();
}

Result<AccountRows> write_list(ReportJob& job, const AccountList& list, std::size_t count,
                               Principals principals = Principals::kHidden) noexcept {
  return write_rows<report::AccountRow>(
      job, count, kAccountRowBytes,
      [&job, &list, principals](std::size_t i) -> Result<Offset<report::AccountRow>> {
        return write_row(job, list.rows[i], principals);
      });
}

// The sum of what is not listed: of the findings' own rest, and of rows for which there is no room here.
Offset<report::AccountRow> write_rest(ReportJob& job, AccountSums rest, const AccountList& list,
                                      std::size_t listed) noexcept {
  for (const AccountGroup& group : list.rows.subspan(listed)) add(rest, group.sums);
  report::AccountRowBuilder row(job.builder());
  add_sums(row, rest);
  return row.Finish();
}

// At most what a row takes, with its names: whether others have them, too, is not known yet.
std::size_t row_and_names_bytes(const AccountFindings& found, const AccountGroup& group) noexcept {
  constexpr std::size_t kAroundName = 12;  // length, terminator, padding, offset
  const StringTable& names = found.figures->strings;
  std::size_t bytes = kAccountRowBytes;
  for (const StringId id : {found.figures->accounts[group.account], group.class_name, group.method,
                            group.thread, group.annotation})
    if (const std::size_t length = names.view(id).size(); length > 0)
      bytes += std::min(length, kMaxReportNameBytes) + kAroundName;
  return bytes;
}

struct Fitting {
  std::size_t rows = 0;
  std::size_t bytes = 0;
};

// How many rows of a list fit, from the front.
Fitting fitting(const AccountFindings& found, const AccountList& list, std::size_t room) noexcept {
  Fitting fit;
  for (const AccountGroup& group : list.rows) {
    const std::size_t bytes = row_and_names_bytes(found, group);
    if (fit.bytes + bytes > room) break;
    fit.bytes += bytes;
    ++fit.rows;
  }
  return fit;
}

// Half of the room that is left. Accounts take up to half of that, more where the other lists need less; those each the same share of
// what they have.
AccountCounts counts_in_room(const ReportJob& job) noexcept {
  const AccountFindings& f = job.findings.accounts;
  constexpr std::size_t kFixed = kAccountFactsBytes + 2 * kAccountRowBytes + 6 * kListBytes;
  const std::size_t half = job.bytes_left() / 2;
  const std::size_t room = half - std::min(half, kFixed);
  const AccountList* const others[] = {&f.pairs, &f.classes, &f.methods, &f.threads,
                                       &f.annotations};
  constexpr std::size_t kOthers = std::size(others);
  std::size_t wanted[kOthers] = {};
  std::size_t all_wanted = 0;
  for (std::size_t i = 0; i < kOthers; ++i) {
    wanted[i] = fitting(f, *others[i], SIZE_MAX).bytes;
    all_wanted += wanted[i];
  }
  const Fitting accounts =
      fitting(f, f.accounts, all_wanted < room / 2 ? room - all_wanted : room / 2);
  const std::size_t left = room - accounts.bytes;
  std::size_t rows[kOthers] = {};
  for (std::size_t i = 0; i < kOthers; ++i)
    rows[i] =
        fitting(f, *others[i], all_wanted <= left ? wanted[i] : wanted[i] * left / all_wanted).rows;
  return {accounts.rows, rows[0], rows[1], rows[2], rows[3], rows[4]};
}

}  // namespace

Result<Offset<report::AccountFacts>> write_accounts(ReportJob& job) noexcept {
  const AccountFindings& found = job.findings.accounts;
  if (found.figures == nullptr) return Offset<report::AccountFacts>();
  const AccountFigures& figures = *found.figures;
  const AccountLosses& lost = figures.losses;
  const AccountCounts counts = counts_in_room(job);
  HF_TRY(accounts, write_list(job, found.accounts, counts.accounts));
  HF_TRY(pairs, write_list(job, found.pairs, counts.pairs, Principals::kTold));
  HF_TRY(classes, write_list(job, found.classes, counts.classes));
  HF_TRY(methods, write_list(job, found.methods, counts.methods));
  HF_TRY(threads, write_list(job, found.threads, counts.threads));
  HF_TRY(annotations, write_list(job, found.annotations, counts.annotations));
  const std::uint32_t sample_only = job.text(figures.sample_only);
  const auto rest_of_accounts =
      write_rest(job, found.rest_of_accounts, found.accounts, counts.accounts);
  const auto rest_of_pairs = write_rest(job, found.rest_of_pairs, found.pairs, counts.pairs);
  return report::CreateAccountFacts(
      job.builder(), static_cast<report::AccountMode>(figures.mode),
      (figures.dimensions & kByMethod) != 0, (figures.dimensions & kByThread) != 0,
      figures.live_known, found.calibrated, figures.sample_interval_bytes, figures.began_utc_ms,
      figures.last_report_utc_ms, found.heap_objects, found.heap_bytes, found.explained_objects,
      found.explained_bytes, lost.rows_full, lost.stacks_cut, lost.live_thinned,
      lost.samples_dropped, lost.classes_left_alone, lost.methods_left_alone, lost.threads_shared,
      accounts, found.accounts.total, rest_of_accounts, pairs, found.pairs.total, rest_of_pairs,
      classes, found.classes.total, methods, found.methods.total, threads, found.threads.total,
      (figures.dimensions & kByAnnotations) != 0, annotations, found.annotations.total,
      lost.annotations_other, sample_only, figures.passed_over);
}

}  // namespace holdfast::analysis
