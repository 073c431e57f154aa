#include "cli/compare/account_trend.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/text/number_text.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

std::uint64_t measure(const AmountView& amount, bool objects) {
  return objects ? amount.objects : amount.bytes;
}

// One account at the points where it is known.
struct KnownSeries {
  std::vector<std::size_t> points;
  std::vector<double> hours, values;
};

KnownSeries known_series(const AccountTrend& trend, const OneAccount& one) {
  KnownSeries known;
  const std::vector<AccountPoint>& points = trend.series->points();
  for (const std::size_t at : trend.compared) {
    if (!listed_at(one, at)) continue;
    known.points.push_back(at);
    known.hours.push_back(
        static_cast<double>(points[at].utc_ms - points[known.points.front()].utc_ms) / kMsPerHour);
    known.values.push_back(static_cast<double>(measure(one.live[at], trend.by_objects)));
  }
  return known;
}

AccountView at_point(const OneAccount& one, std::size_t point) {
  AccountView view;
  view.account = one.account;
  view.live = one.live[point];
  view.allocated = one.allocated[point];
  return view;
}

AccountTrendRow row_of(const AccountTrend& trend, const OneAccount& one, const KnownSeries& known) {
  AccountTrendRow row;
  row.series = &one;
  const std::size_t first = known.points.front(), last = known.points.back();
  const std::vector<AccountPoint>& points = trend.series->points();
  row.change = {one.account, {}, at_point(one, last)};
  const bool several = first != last;
  if (several) row.change.before = at_point(one, first);
  const std::uint64_t from = several ? points[first].utc_ms : points[last].accounting.began_utc_ms;
  row.elapsed_ms = static_cast<std::int64_t>(points[last].utc_ms - from);
  return row;
}

double amount_range(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

double least_of(const AccountTrendRow& row, bool objects, double least_rise) {
  const AmountView errors = row.change.live_errors();
  const std::uint64_t error = objects ? errors.objects_error : errors.bytes_error;
  return std::max(least_rise, static_cast<double>(error));
}

void judge(AccountTrend& trend, double least_rise) {
  std::vector<KnownSeries> known;
  for (const AccountTrendRow& row : trend.rows) {
    known.push_back(known_series(trend, *row.series));
    const double least = least_of(row, trend.by_objects, least_rise);
    trend.tests += amount_range(known.back().values) >= least ? 1 : 0;
  }
  trend.tests = std::max<std::size_t>(trend.tests, 1);
  for (std::size_t i = 0; i < trend.rows.size(); ++i)
    trend.rows[i].growth = judge_growth(known[i].hours, known[i].values, trend.tests,
                                        least_of(trend.rows[i], trend.by_objects, least_rise));
}

// What grows, by its speed; then the others, by their change.
auto account_place(const AccountTrend& trend, const AccountTrendRow& row) {
  const bool grows = row.growth.course == Course::kGrows;
  double size = 0;
  if (!trend.live_known)
    size = static_cast<double>(measure(row.change.allocated(true), trend.by_objects));
  else if (grows)
    size = std::abs(row.growth.per_hour);
  else
    size = std::abs(static_cast<double>(measure(row.change.after.live, trend.by_objects)) -
                    static_cast<double>(measure(row.change.before.live, trend.by_objects)));
  return std::make_tuple(!grows, -size, std::string_view(row.series->account));
}

std::string part_text(std::size_t count, const char* one, const char* several) {
  return thousands(count) + (count == 1 ? one : several);
}

}  // namespace

std::vector<std::optional<std::uint64_t>> AccountTrend::live(const OneAccount& one) const {
  std::vector<std::optional<std::uint64_t>> values(series->points().size());
  for (const std::size_t at : compared)
    if (live_known && listed_at(one, at)) values[at] = measure(one.live[at], by_objects);
  return values;
}

AccountTrend judge_accounts(std::unique_ptr<AccountSeries> series, ClassOrder order,
                            double least_rise) {
  AccountTrend trend;
  trend.series = std::move(series);
  trend.compared = trend.series->compared();
  trend.by_objects = order == ClassOrder::kInstances;
  trend.live_known = trend.told() && std::ranges::all_of(trend.compared, [&](std::size_t at) {
                       return trend.series->points()[at].accounting.live_known;
                     });
  for (const OneAccount& one : trend.series->accounts())
    if (const KnownSeries known = known_series(trend, one); !known.points.empty())
      trend.rows.push_back(row_of(trend, one, known));
  if (trend.live_known) judge(trend, least_rise);
  std::ranges::sort(trend.rows, {},
                    [&](const AccountTrendRow& row) { return account_place(trend, row); });
  return trend;
}

std::string accounts_left_out(const AccountTrend& trend) {
  if (!trend.told()) return "";
  const std::vector<AccountPoint>& points = trend.series->points();
  const auto without = static_cast<std::size_t>(
      std::ranges::count_if(points, [](const AccountPoint& p) { return !p.accounting.told; }));
  const std::size_t others = points.size() - without - trend.compared.size();
  std::string text;
  if (without > 0) text = part_text(without, " report has none", " reports have none");
  if (others == 0) return text;
  const auto stranger = std::ranges::find_if(points, [&](const AccountPoint& p) {
    return p.accounting.told && !one_accounting(p.accounting, trend.accounting());
  });
  const bool later =
      stranger - points.begin() > static_cast<std::ptrdiff_t>(trend.compared.front());
  const Accounting &own = trend.accounting(), &other = stranger->accounting;
  return text + (text.empty() ? "" : ", ") +
         part_text(others, " report is of another accounting (",
                   " reports are of another accounting (") +
         (later ? accounting_difference(own, other) : accounting_difference(other, own)) + ")";
}

}  // namespace holdfast::cli
