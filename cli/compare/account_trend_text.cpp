#include "cli/compare/account_trend_text.h"

#include <algorithm>
#include <cmath>

#include "cli/compare/change_text.h"
#include "cli/compare/sparkline.h"
#include "cli/text/estimate_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastAccountNameColumns = 16;
constexpr std::size_t kLeastAccountCourseColumns = 10;  // "fell again"

bool moves(const AccountTrendRow& row) {
  const AmountView allocated = row.change.allocated(true);
  return allocated.objects > 0 || row.change.live_bytes() != 0 ||
         row.change.before.live.objects != row.change.after.live.objects;
}

std::string remark(const AccountTrend& trend, std::size_t shown) {
  const char* by = trend.by_objects ? "by objects that live, " : "by what lives, ";
  return std::string(trend.live_known ? by : "by what they allocated") +
         (trend.live_known ? "what grows first" : "") + " · " + thousands(shown) + " of " +
         counted(trend.rows.size(), "account");
}

class AccountTrendTable {
 public:
  AccountTrendTable(const AccountTrend& trend, const AccountTrendOptions& options)
      : trend_(trend), options_(options), table_(columns()) {}

  void row(const AccountTrendRow& row) {
    std::vector<Span> cells{{row.series->account}};
    if (trend_.live_known) add_live(row, cells);
    const AmountView allocated = row.change.allocated(true);
    cells.push_back({estimated_bytes(allocated.bytes, allocated.bytes_error)});
    cells.push_back({rate_text(allocated, row.elapsed_ms)});
    if (trend_.live_known)
      cells.push_back({std::string(phrase(row.growth.course)),
                       row.growth.course == Course::kGrows ? Style::kAlarm : Style::kDim});
    table_.row(std::move(cells));
  }
  void write(Page& page) const { table_.write(page); }

 private:
  std::vector<Column> columns() const {
    std::vector<Column> columns{{"account", ColumnKind::kName, kLeastAccountNameColumns}};
    if (trend_.live_known)
      columns.insert(columns.end(), {{"course", ColumnKind::kText, options_.spark_columns, true},
                                     {"live first", ColumnKind::kNumber, 0, true},
                                     {"live last"},
                                     {"per hour"}});
    columns.insert(columns.end(),
                   {{"allocated", ColumnKind::kNumber, 0, trend_.live_known}, {"per second"}});
    if (trend_.live_known) columns.push_back({"", ColumnKind::kText, kLeastAccountCourseColumns});
    return columns;
  }

  void add_live(const AccountTrendRow& row, std::vector<Span>& cells) const {
    const bool several = trend_.compared.size() > 1;
    const std::int64_t speed = std::llround(row.growth.per_hour);
    const auto which = trend_.by_objects ? ClassOrder::kInstances : ClassOrder::kShallow;
    const AmountView& after = row.change.after.live;
    const AmountView& before = several ? row.change.before.live : after;
    cells.insert(cells.end(),
                 {{sparkline(trend_.live(*row.series), options_.spark_columns, options_.blocks),
                   Style::kAccent},
                  {trend_.by_objects ? estimated_count(before.objects, before.objects_error)
                                     : rounded_bytes(before.bytes, before.bytes_error)},
                  {trend_.by_objects ? estimated_count(after.objects, after.objects_error)
                                     : estimated_bytes(after.bytes, after.bytes_error)},
                  {several ? change_text(speed, which) : "", change_style(speed)}});
  }

  const AccountTrend& trend_;
  const AccountTrendOptions& options_;
  Table table_;
};

void write_remarks(const AccountTrend& trend, Page& page) {
  if (const std::string left_out = accounts_left_out(trend); !left_out.empty())
    page.paragraph("Not compared: " + left_out + ".", Style::kWarning, Page::kIndent);
  if (!trend.live_known)
    page.paragraph(
        "This VM does not tell which objects died: what accounts allocated is compared, "
        "and no account is judged.",
        Style::kDim, Page::kIndent);
  if (trend.series->dropped() > 0)
    page.paragraph(counted(trend.series->dropped(), "row") +
                       " of further accounts were left out, to stay within memory",
                   Style::kWarning, Page::kIndent);
}

}  // namespace

void write_account_trend(const AccountTrend& trend, const AccountTrendOptions& options,
                         Page& page) {
  if (!trend.told()) return;
  const auto moving = static_cast<std::size_t>(std::ranges::count_if(trend.rows, moves));
  const std::size_t shown = std::min(options.top, moving);
  page.heading("MEMORY ACCOUNTS", remark(trend, shown));
  AccountTrendTable table(trend, options);
  std::size_t left = shown;
  for (const AccountTrendRow& row : trend.rows) {
    if (left == 0) break;
    if (!moves(row)) continue;
    table.row(row);
    --left;
  }
  table.write(page);
  write_remarks(trend, page);
}

}  // namespace holdfast::cli
