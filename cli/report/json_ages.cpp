// Ages as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"

namespace holdfast::cli {
namespace {

Json range_json(const AgeRangeView& range) {
  const bool told = range.kind == AgeRangeKind::kCollections;
  return {{"range", range.text()},
          {"from", told ? Json(range.from) : Json(nullptr)},
          {"to", told && range.to != UINT64_MAX ? Json(range.to) : Json(nullptr)},
          {"old", range.old()}};
}

void add_figures(Json& json, const AgesView& ages, const AgeClassView& row) {
  const AgeSums sums = ages.sums(row);
  json["objects"] = sums.objects;
  json["bytes"] = sums.bytes;
  json["old_objects"] = sums.old_objects;
  json["old_bytes"] = sums.old_bytes;
  json["distinct_ages"] = row.distinct_ages;
  json["range_objects"] = row.objects;
  json["range_bytes"] = row.bytes;
}

}  // namespace

Json ages_json(const ReportView& view, std::size_t top) {
  if (!view.ages) return nullptr;
  const AgesView& ages = *view.ages;
  Json ranges = Json::array(), classes = Json::array();
  for (const AgeRangeView& range : ages.ranges) ranges.push_back(range_json(range));
  AgeClassView rest = ages.rest_of_classes;
  for (std::size_t i = 0; i < ages.classes.size(); ++i) {
    const AgeClassView& row = ages.classes[i];
    if (i >= top) {
      add_to_rest(rest, row);
      continue;
    }
    classes.push_back({{"class", row.class_name}, {"loader", optional_text(row.loader)}});
    add_figures(classes.back(), ages, row);
  }
  Json json{{"source", ages.source},
            {"ranges", std::move(ranges)},
            {"classes", std::move(classes)},
            {"classes_total", ages.classes_total}};
  json["rest_of_classes"] = json["total"] = nullptr;
  if (!ages.told()) return json;
  json["rest_of_classes"] = json["total"] = Json::object();
  add_figures(json["rest_of_classes"], ages, rest);
  add_figures(json["total"], ages, ages.total);
  return json;
}

}  // namespace holdfast::cli
