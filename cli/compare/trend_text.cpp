#include "cli/compare/trend_text.h"

#include <algorithm>
#include <cmath>

#include "cli/compare/account_trend_text.h"
#include "cli/compare/change_text.h"
#include "cli/compare/object_trend_text.h"
#include "cli/compare/sparkline.h"
#include "cli/compare/state_changes.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastNameColumns = 20;
constexpr std::size_t kSparkColumns = 12;
constexpr std::size_t kLeastCourseColumns = 10;  // "fell again"
constexpr std::size_t kWideSparkColumns = 32;
constexpr std::size_t kWideEnough = 110;
constexpr std::size_t kMostProcessLines = 5;

std::string process_line(const ProcessReports& process) {
  const ReportFacts& first = process.reports.front();
  std::string text = first.main_name.empty() ? "" : first.main_name + " · ";
  text += first.place() + " · " + counted(process.reports.size(), "report") + ", " +
          utc_for_people(first.dumped_utc_ms);
  if (process.reports.size() > 1)
    text += " to " + utc_for_people(process.reports.back().dumped_utc_ms);
  return text;
}

std::string used_text(const ProcessTrend& trend) {
  const std::size_t all = trend.process->reports.size();
  const std::size_t comparable = trend.choice.comparable;
  std::string text = std::string(phrase(trend.choice.counted));
  if (comparable < all)
    text += "; " + counted(all - comparable, "report") +
            " left out that count otherwise or have no retained sizes";
  if (trend.points() < comparable)
    text += "; " + thousands(trend.points()) + " of " + thousands(comparable) +
            " reports make the series, evenly";
  if (trend.process->copies > 0)
    text += "; " + counted(trend.process->copies, "copy", "copies") + " of the same dumps";
  return text;
}

std::size_t spark_columns(const TrendTextOptions& options) {
  return options.columns >= kWideEnough ? kWideSparkColumns : kSparkColumns;
}

class TrendTable {
 public:
  TrendTable(const ProcessTrend& trend, const TrendTextOptions& options)
      : trend_(trend),
        options_(options),
        spark_columns_(spark_columns(options)),
        table_({{"class", ColumnKind::kName, kLeastNameColumns},
                {"course", ColumnKind::kText, kSparkColumns, true},
                {"first", ColumnKind::kNumber, 0, true},
                {"last", ColumnKind::kNumber, 0, true},
                {"per hour"},
                {"", ColumnKind::kText, kLeastCourseColumns}}) {}

  void row(const TrendRow& row) {
    const auto known = trend_.series->known(*row.series, trend_.order);
    const bool grows = row.growth.course == Course::kGrows;
    std::string name = row.series->name.empty() ? "(objects of unknown class)" : row.series->name;
    add({std::move(name), row.series->platform ? Style::kPlain : Style::kBold}, known, row.growth,
        grows ? Style::kAlarm : Style::kDim);
  }
  void heap() {
    std::vector<std::optional<std::uint64_t>> known;
    for (const double value : trend_.heap_values)
      known.emplace_back(static_cast<std::uint64_t>(value));
    add({"(the heap)", Style::kDim}, known, trend_.heap, Style::kDim);
  }
  void write(Page& page) const { table_.write(page); }

 private:
  void add(Span name, const std::vector<std::optional<std::uint64_t>>& known, const Growth& growth,
           Style style) {
    const auto value = [&](const std::optional<std::uint64_t>& v) {
      return v ? figure_text(*v, trend_.order) : std::string("?");
    };
    const std::int64_t speed = std::llround(growth.per_hour);
    table_.row({std::move(name),
                {sparkline(known, spark_columns_, options_.blocks), Style::kAccent},
                {known.empty() ? "" : value(known.front())},
                {known.empty() ? "" : value(known.back())},
                {known.size() < 2 ? "" : change_text(speed, trend_.order), change_style(speed)},
                {std::string(phrase(growth.course)), style}});
  }

  const ProcessTrend& trend_;
  const TrendTextOptions& options_;
  std::size_t spark_columns_;
  Table table_;
};

bool has_moved(const TrendRow& row) {
  return std::ranges::any_of(row.values, [&](double v) { return v != row.values.front(); });
}

void write_classes(const ProcessTrend& trend, const TrendTextOptions& options, Page& page) {
  const auto moving = static_cast<std::size_t>(std::ranges::count_if(trend.rows, has_moved));
  const bool one = trend.points() < 2;  // then there is nothing to move
  const std::size_t shown = std::min(options.top, one ? trend.rows.size() : moving);
  page.heading("CLASSES", std::string("by ") + std::string(figure_name(trend.order)) +
                              ", what grows first · " + thousands(shown) + " of " +
                              counted(trend.rows.size(), "class", "classes") +
                              (one ? "" : ", " + thousands(moving) + " changed"));
  TrendTable table(trend, options);
  table.heap();
  std::size_t left = shown;
  for (const TrendRow& row : trend.rows) {
    if (left == 0) break;
    if (!one && !has_moved(row)) continue;
    table.row(row);
    --left;
  }
  table.write(page);
  if (trend.series->dropped() > 0)
    page.paragraph(counted(trend.series->dropped(), "row") +
                       " of further classes were left out, to stay within memory",
                   Style::kWarning, Page::kIndent);
}

std::size_t trend_name_columns(const Page& page) {
  return std::max<std::size_t>(page.columns() / 2, 20);
}

void write_trend(const ProcessTrend& trend, const TrendContext& context, bool first, Page& page) {
  if (!first) page.blank();
  const std::string verdict = trend_verdict(trend, trend_name_columns(page));
  const bool alarm = !trend.rows.empty() && trend.rows.front().growth.course == Course::kGrows;
  page.paragraph(verdict, alarm ? Style::kAlarm : Style::kBold);
  const std::string caution = trend_caution(trend);
  if (!caution.empty()) page.paragraph(caution, Style::kDim);
  page.blank();
  page.labelled("process", process_line(*trend.process));
  page.labelled("counted", used_text(trend));
  if (first && context.skipped > 0)
    page.labelled("skipped",
                  thousands(context.skipped) + " of " + counted(context.files, "file") +
                      ", which are no reports or damaged",
                  Style::kWarning);
}

// Processes that are not shown: a word each, so that nobody takes one program's trend for another's.
void write_others(const TrendContext& context, Page& page) {
  if (context.processes.size() <= context.shown.size()) return;
  const std::size_t others = context.processes.size() - context.shown.size();
  page.labelled("others",
                counted(others, "other process", "other processes") +
                    " in these files; --process PID or --all-processes shows them",
                Style::kWarning);
  std::size_t listed = 0;
  for (const ProcessReports& process : context.processes) {
    const bool shown = std::ranges::find(context.shown, &process) != context.shown.end();
    if (shown || listed == kMostProcessLines) continue;
    page.labelled("", process_line(process));
    ++listed;
  }
  if (others > listed) page.labelled("", "and " + thousands(others - listed) + " more");
}

}  // namespace

std::string trend_text(const ProcessTrend& trend, const TrendContext& context,
                       const TrendTextOptions& options) {
  Page page(options.columns, options.colour);
  const bool first = trend.process == context.shown.front();
  write_trend(trend, context, first, page);
  if (first) write_others(context, page);
  write_classes(trend, options, page);
  write_state_series(trend, options, page);
  write_object_trend(trend.objects, {options.top, spark_columns(options), options.blocks}, page);
  write_account_trend(trend.accounts, {options.top, spark_columns(options), options.blocks}, page);
  return page.text();
}

}  // namespace holdfast::cli
