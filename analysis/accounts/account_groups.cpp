#include "analysis/accounts/account_groups.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace holdfast::analysis {
namespace {

using Key = std::array<std::uint32_t, 3>;

struct Run {
  std::uint32_t first = 0;  // into order
  std::uint32_t count = 0;
  std::uint64_t allocated_bytes = 0;
};

class Grouping {
 public:
  Grouping(const AccountFigures& figures, std::span<const CalibratedAmount> calibrated,
           AccountKey key, const AccountListLimits& limits) noexcept
      : figures_(figures), calibrated_(calibrated), key_(key), limits_(limits) {}

  // -> runs_ has each key once, the largest first: of all accounts, or account by account
  Result<void> rank(Arena& arena) noexcept {
    HF_TRY(order, arena.make<std::uint32_t>(figures_.rows.size()));
    HF_TRY(runs, arena.make<Run>(figures_.rows.size()));
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
    order_ = order;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      if (i == 0 || key_of(order[i]) != key_of(order[i - 1])) runs[count++] = Run{i, 0, 0};
      ++runs[count - 1].count;
      runs[count - 1].allocated_bytes += figures_.rows[order[i]].allocated.bytes;
    }
    runs_ = runs.first(count);
    std::sort(runs_.begin(), runs_.end(),
              [this](const Run& a, const Run& b) { return before(a, b); });
    return {};
  }

  std::uint32_t total() const noexcept { return static_cast<std::uint32_t>(runs_.size()); }

  // The listed ones, from the front of `rows`; how many.
  std::size_t list(std::span<AccountGroup> rows) const noexcept {
    std::size_t listed = 0;
    std::uint32_t of_account = 0;
    AccountId last = kUnaccounted;
    for (const Run& run : runs_) {
      if (listed == rows.size()) break;
      const AccountId account = key_of(order_[run.first])[0];
      if (rank_of(account) == AccountListLimits::kNoRank) break;
      of_account = listed > 0 && account == last ? of_account + 1 : 1;
      last = account;
      if (!limits_.ranks.empty() && of_account > limits_.of_an_account) continue;
      rows[listed++] = group_of(run);
    }
    return listed;
  }

 private:
  Key key_of(std::uint32_t i) const noexcept {
    const AccountRow& row = figures_.rows[i];
    const AccountId account = known_account(figures_, row.account);
    switch (key_) {
      case AccountKey::kPair:
        return {account, known_account(figures_, row.principal), 0};
      case AccountKey::kClass:
        return {account, row.class_name.value, 0};
      case AccountKey::kMethod:
        return {account, row.class_name.value, row.method.value};
      case AccountKey::kThread:
        return {account, row.thread.value, 0};
      case AccountKey::kAnnotation:
        return {account, row.annotation.value, 0};
    }
    return {};
  }
  std::uint32_t rank_of(AccountId account) const noexcept {
    return limits_.ranks.empty() ? 0 : limits_.ranks[account];
  }
  bool before(const Run& a, const Run& b) const noexcept {
    const Key key_a = key_of(order_[a.first]);
    const Key key_b = key_of(order_[b.first]);
    const std::uint32_t rank_a = rank_of(key_a[0]);
    const std::uint32_t rank_b = rank_of(key_b[0]);
    if (rank_a != rank_b) return rank_a < rank_b;
    if (a.allocated_bytes != b.allocated_bytes) return a.allocated_bytes > b.allocated_bytes;
    return key_a < key_b;
  }
  AccountGroup group_of(const Run& run) const noexcept {
    AccountGroup group;
    const AccountRow& row = figures_.rows[order_[run.first]];
    group.account = known_account(figures_, row.account);
    if (key_ == AccountKey::kPair) group.principal = known_account(figures_, row.principal);
    if (key_ == AccountKey::kClass || key_ == AccountKey::kMethod)
      group.class_name = row.class_name;
    if (key_ == AccountKey::kMethod) group.method = row.method;
    if (key_ == AccountKey::kThread) group.thread = row.thread;
    if (key_ == AccountKey::kAnnotation) group.annotation = row.annotation;
    for (const std::uint32_t i : order_.subspan(run.first, run.count))
      add(group.sums, sums_of(figures_, calibrated_, i));
    return group;
  }

  const AccountFigures& figures_;
  std::span<const CalibratedAmount> calibrated_;
  AccountKey key_;
  const AccountListLimits& limits_;
  std::span<const std::uint32_t> order_;
  std::span<Run> runs_;
};

}  // namespace

AccountSums sums_of(const AccountFigures& figures, std::span<const CalibratedAmount> calibrated,
                    std::uint32_t row) noexcept {
  const AccountRow& from = figures.rows[row];
  AccountSums sums{from.allocated, from.since_report, from.live, {}, from.samples};
  if (row < calibrated.size()) sums.calibrated = calibrated[row];
  return sums;
}

Result<AccountList> group_accounts(const AccountFigures& figures,
                                   std::span<const CalibratedAmount> calibrated, AccountKey key,
                                   const AccountListLimits& limits, Arena& arena) noexcept {
  const auto most = std::min<std::size_t>(limits.rows, figures.rows.size());
  HF_TRY(rows, arena.make_filled<AccountGroup>(most, AccountGroup{}));
  AccountList list;
  std::size_t listed = 0;
  {
    const ArenaScope scratch(arena);
    Grouping grouping(figures, calibrated, key, limits);
    HF_CHECK_OK(grouping.rank(arena));
    list.total = grouping.total();
    listed = grouping.list(rows);
  }
  list.rows = arena.shrink_last(rows, listed);
  return list;
}

}  // namespace holdfast::analysis
