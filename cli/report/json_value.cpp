#include "cli/report/json_value.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/report/words.h"

namespace holdfast::cli {
Json milliseconds(std::uint64_t duration_ns) {
  return std::round(static_cast<double>(duration_ns) / 1e3) / 1e3;
}

Json optional_text(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json object_json(const ObjectView& object) {
  Json json{{"object", object.number},
            {"class", object.class_name},
            {"loader", optional_text(object.loader)}};
  if (object.is_class_object()) json["class_object_of"] = object.class_object_of;
  json["shallow_bytes"] = object.shallow_bytes;
  json["retained_bytes"] = object.retained_bytes;
  if (object.reachable_bytes > 0) {
    json["reachable_bytes"] = object.reachable_bytes;
    json["reachable_estimated"] = object.reachable_estimated;
  }
  if (object.identity != 0) {
    json["identity"] = object.identity;
    json["first_sequence"] = object.first_sequence;
    json["first_utc_ms"] = object.first_utc_ms;
  }
  return json;
}

// A step has only the keys that say something about it.
Json step_json(const StepView& step) {
  Json json = object_json(step.object);
  json["via"] = word(step.via);
  if (!step.field.empty()) json["field"] = step.field;
  if (!step.declaring_class.empty()) json["declaring_class"] = step.declaring_class;
  if (step.via == Via::kElement) {
    json["index"] = step.index;
    json["index_saturated"] = step.index_saturated;
  }
  return json;
}

Json path_json(const PathView& path) {
  Json json{{"root_kind", word(path.root)},
            {"strength", word(path.strength)},
            {"thread", optional_text(path.thread)}};
  if (path.in_frame()) {
    json["frame_class"] = path.frame_class;
    json["frame_method"] = path.frame_method;
    json["frame_depth"] = path.frame_depth;
    json["slot"] = path.slot;
  }
  json["length"] = path.length;
  json["steps_left_out"] = path.steps_left_out;
  json["left_out_after"] = path.steps_left_out > 0 ? Json(path.left_out_after) : Json(nullptr);
  json["steps"] = Json::array();
  for (const StepView& step : path.steps) json["steps"].push_back(step_json(step));
  return json;
}

}  // namespace holdfast::cli
