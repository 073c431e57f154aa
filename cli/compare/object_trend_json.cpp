#include "cli/compare/object_trend_json.h"

#include <nlohmann/json.hpp>

#include "cli/compare/growth_json.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {

Json object_tracking_json(const ObjectTrend& trend) {
  if (!trend.told()) return nullptr;
  return {{"began_utc", utc_for_programs(trend.began_utc_ms())},
          {"began_utc_ms", trend.began_utc_ms()},
          {"points", trend.compared.size()},
          {"tests", trend.tests},
          {"reports_needed", least_points(trend.tests)},
          {"rows_dropped", trend.series->dropped()}};
}

Json object_row_json(const ObjectTrend& trend, const ObjectTrendRow& row) {
  const OneObject& one = *row.series;
  Json json{{"identity", one.identity},
            {"class", one.class_name},
            {"loader", optional_text(one.loader)},
            {"first_sequence", one.first_sequence},
            {"first_utc_ms", one.first_utc_ms}};
  if (!one.class_object_of.empty()) json["class_object_of"] = one.class_object_of;
  json.update(growth_json(row.growth));
  Json& values = json["retained_bytes"] = Json::array();
  for (const auto& value : trend.retained(one))
    values.push_back(value ? Json(*value) : Json(nullptr));
  return json;
}

}  // namespace holdfast::cli
