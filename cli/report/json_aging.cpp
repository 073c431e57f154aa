// What grew old while the application ran, as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

Json suspect_json(const AgingSuspectView& row) {
  return {{"class", row.class_name},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"more_instances", row.more_instances},
          {"more_bytes", row.more_bytes},
          {"collections", row.collections},
          {"window_ms", row.window_ms},
          {"looks", row.looks},
          {"old_samples", row.old_samples},
          {"ages_at_least", row.ages},
          {"old_percent", row.old_percent},
          {"confidence_percent", row.confidence_percent}};
}

Json class_json(const AgingClassView& row) {
  return {{"class", row.class_name},
          {"samples", row.samples},
          {"live_objects", row.live_objects},
          {"live_bytes", row.live_bytes},
          {"old_objects", row.old_objects},
          {"old_bytes", row.old_bytes},
          {"live_ages", row.live_ages},
          {"died_samples", row.died_samples},
          {"died_ages", row.died_ages},
          {"born_before_collections", row.born_before},
          {"sampled", row.sampled}};
}

// `chance`: of such a silence, were the class still allocated as before.
Json loitering_json(const AgingClassView& row) {
  return {{"class", row.class_name},
          {"old_objects", row.old_objects},
          {"old_objects_error", row.old_objects_error},
          {"old_bytes", row.old_bytes},
          {"old_bytes_error", row.old_bytes_error},
          {"silent_collections", row.born_before},
          {"silent_ms", row.silent_ms},
          {"silent_samples", row.silent_samples},
          {"sampled", row.sampled},
          {"sampled_collections", row.sampled_collections},
          {"first_before_collections", row.first_before},
          {"chance", row.silence_chance},
          {"at_start_alone", row.at_start_alone}};
}

}  // namespace

Json aging_json(const ReportView& view, std::size_t top) {
  if (!view.aging) return nullptr;
  const AgingView& aging = *view.aging;
  Json json{{"collections", aging.collections},
            {"looked_utc", aging.looked_utc_ms == 0 ? Json(nullptr)
                                                    : Json(utc_for_programs(aging.looked_utc_ms))},
            {"candidates", aging.candidates},
            {"looks", aging.looks},
            {"sampled", aging.sampled_told},
            {"sample_interval_bytes", aging.sample_interval_bytes}};
  json["suspects"] = json["classes"] = Json::array();
  for (const AgingSuspectView& row : aging.suspects) json["suspects"].push_back(suspect_json(row));
  for (std::size_t i = 0; i < std::min(top, aging.classes.size()); ++i)
    json["classes"].push_back(class_json(aging.classes[i]));
  json["classes_total"] = aging.classes_total;
  const auto loitering = aging.loitering();
  json["loitering"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, loitering.size()); ++i)
    json["loitering"].push_back(loitering_json(*loitering[i]));
  json["loitering_total"] = loitering.size();
  json["followed_ms"] = aging.followed_ms;
  return json;
}

}  // namespace holdfast::cli
