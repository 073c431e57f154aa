#include "analysis/accounts/account_findings.h"

#include <algorithm>

#include "analysis/accounts/account_groups.h"
#include "analysis/accounts/live_calibration.h"

namespace holdfast::analysis {
namespace {

void take_away(AccountAmount& sum, const AccountAmount& one) noexcept {
  sum.objects -= one.objects;
  sum.bytes -= one.bytes;
  sum.objects_variance = std::max(0.0, sum.objects_variance - one.objects_variance);
  sum.bytes_variance = std::max(0.0, sum.bytes_variance - one.bytes_variance);
}

AccountSums rest_of(AccountSums all, std::span<const AccountGroup> listed) noexcept {
  for (const AccountGroup& group : listed) {
    take_away(all.allocated, group.sums.allocated);
    take_away(all.since_report, group.sums.since_report);
    take_away(all.live, group.sums.live);
    all.calibrated.objects -= group.sums.calibrated.objects;
    all.calibrated.bytes -= group.sums.calibrated.bytes;
    all.samples -= group.sums.samples;
  }
  return all;
}

// Every account, the largest first, and all rows together in `all`.
Result<std::span<AccountGroup>> ranked_accounts(const AccountFigures& figures,
                                                std::span<const CalibratedAmount> calibrated,
                                                Arena& arena, AccountSums& all) noexcept {
  HF_TRY(groups, arena.make_filled<AccountGroup>(figures.accounts.size(), AccountGroup{}));
  for (std::uint32_t i = 0; i < groups.size(); ++i) groups[i].account = i;
  for (std::uint32_t i = 0; i < figures.rows.size(); ++i) {
    const AccountSums row = sums_of(figures, calibrated, i);
    add(groups[known_account(figures, figures.rows[i].account)].sums, row);
    add(all, row);
  }
  std::sort(groups.begin(), groups.end(), [](const AccountGroup& a, const AccountGroup& b) {
    const std::uint64_t bytes_a = a.sums.allocated.bytes;
    const std::uint64_t bytes_b = b.sums.allocated.bytes;
    return bytes_a != bytes_b ? bytes_a > bytes_b : a.account < b.account;
  });
  return groups;
}

// Thousands of patterns may fit nothing, and what fits nothing needs no share of a list.
std::uint32_t count_of_used(std::span<const AccountGroup> accounts) noexcept {
  return static_cast<std::uint32_t>(
      std::count_if(accounts.begin(), accounts.end(), [](const AccountGroup& group) {
        return group.sums.allocated.bytes != 0 || group.sums.live.bytes != 0;
      }));
}

// An equal share of the list for each account that has anything, but no more than anybody reads.
AccountListLimits limits_within(std::span<const std::uint32_t> ranks, std::uint32_t used_accounts,
                                std::uint32_t most, std::uint32_t of_an_account) noexcept {
  const auto share = std::max(1u, most / std::max(1u, used_accounts));
  return {most, std::min(of_an_account, share), ranks};
}

}  // namespace

Result<AccountFindings> find_accounts(const AccountFigures& figures, const Catalog& catalog,
                                      std::span<const ClassFigures> counted, Arena& arena,
                                      const CancelToken& cancel) noexcept {
  AccountFindings found;
  if (figures.mode == AccountMode::kOff || figures.accounts.empty()) return found;
  LiveCalibration live;
  found.calibrated = figures.live_known && !counted.empty();
  if (found.calibrated) {
    HF_TRY(calibration, calibrate_live(figures, catalog, counted, arena, cancel));
    live = calibration;
  }
  AccountSums all;
  HF_TRY(accounts, ranked_accounts(figures, live.rows, arena, all));
  const auto listed = accounts.first(std::min<std::size_t>(accounts.size(), kMostAccounts));
  HF_TRY(ranks, arena.make_filled<std::uint32_t>(accounts.size(), AccountListLimits::kNoRank));
  for (std::uint32_t i = 0; i < listed.size(); ++i) ranks[listed[i].account] = i;
  const std::uint32_t used = count_of_used(listed);
  // Cancellation is looked at between lists: each takes milliseconds.
  const auto within = [&](AccountKey key,
                          const AccountListLimits& limits) noexcept -> Result<AccountList> {
    HF_CHECK_OK(cancel.check());
    return group_accounts(figures, live.rows, key, limits, arena);
  };
  HF_TRY(pairs, within(AccountKey::kPair, {kMostAccountPairs, 0, {}}));
  HF_TRY(classes, within(AccountKey::kClass,
                         limits_within(ranks, used, kMostAccountClasses, kMostClassesOfAccount)));
  found.pairs = pairs;
  found.classes = classes;
  if ((figures.dimensions & kByMethod) != 0) {
    HF_TRY(methods, within(AccountKey::kMethod,
                           limits_within(ranks, used, kMostAccountMethods, kMostMethodsOfAccount)));
    found.methods = methods;
  }
  if ((figures.dimensions & kByThread) != 0) {
    HF_TRY(threads, within(AccountKey::kThread,
                           limits_within(ranks, used, kMostAccountThreads, kMostThreadsOfAccount)));
    found.threads = threads;
  }
  if ((figures.dimensions & kByAnnotations) != 0) {
    HF_TRY(annotations,
           within(AccountKey::kAnnotation,
                  limits_within(ranks, used, kMostAccountAnnotations, kMostAnnotationsOfAccount)));
    found.annotations = annotations;
  }
  found.figures = &figures;
  found.accounts = {listed, static_cast<std::uint32_t>(accounts.size())};
  found.rest_of_accounts = rest_of(all, listed);
  found.rest_of_pairs = rest_of(all, pairs.rows);
  found.heap_objects = live.heap.objects;
  found.heap_bytes = live.heap.bytes;
  found.explained_objects = live.explained.objects;
  found.explained_bytes = live.explained.bytes;
  return found;
}

}  // namespace holdfast::analysis
