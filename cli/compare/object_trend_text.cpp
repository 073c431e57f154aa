#include "cli/compare/object_trend_text.h"

#include <algorithm>
#include <cmath>

#include "cli/compare/change_text.h"
#include "cli/compare/sparkline.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastObjectColumns = 20;
constexpr std::size_t kLeastObjectCourseColumns = 10;  // "fell again"

void add_row(const ObjectTrend& trend, const ObjectTrendRow& row, const ObjectTrendOptions& options,
             Table& table) {
  const std::int64_t speed = std::llround(row.growth.per_hour);
  const Style judged = row.growth.course == Course::kGrows ? Style::kAlarm : Style::kDim;
  table.row({{row.series->text},
             {sparkline(trend.retained(*row.series), options.spark_columns, options.blocks),
              Style::kAccent},
             {human_bytes(row.first_bytes)},
             {human_bytes(row.last_bytes)},
             {signed_bytes(speed), change_style(speed)},
             {std::string(phrase(row.growth.course)), judged}});
}

// Reports that tell nothing of these objects.
std::string left_out(const ObjectTrend& trend) {
  const std::size_t others = trend.series->points().size() - trend.compared.size();
  return counted(others, "report has", "reports have") +
         " no numbers, or those of another tracking run";
}

}  // namespace

void write_object_trend(const ObjectTrend& trend, const ObjectTrendOptions& options, Page& page) {
  if (trend.rows.empty()) return;
  const std::size_t shown = std::min(options.top, trend.rows.size());
  page.heading("OBJECTS", "the same in three reports or more, by what they retain \u00B7 " +
                              thousands(shown) + " of " + thousands(trend.rows.size()));
  Table table({{"object", ColumnKind::kName, kLeastObjectColumns},
               {"course", ColumnKind::kText, options.spark_columns, true},
               {"first", ColumnKind::kNumber, 0, true},
               {"last"},
               {"per hour"},
               {"", ColumnKind::kText, kLeastObjectCourseColumns}});
  for (std::size_t i = 0; i < shown; ++i) add_row(trend, trend.rows[i], options, table);
  table.write(page);
  if (trend.compared.size() < trend.series->points().size())
    page.paragraph("Not compared: " + left_out(trend) + ".", Style::kWarning, Page::kIndent);
  if (trend.series->dropped() > 0)
    page.paragraph(counted(trend.series->dropped(), "row") +
                       " of further objects were left out, to stay within memory",
                   Style::kWarning, Page::kIndent);
}

}  // namespace holdfast::cli
