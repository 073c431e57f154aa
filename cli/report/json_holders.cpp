// Who holds the instances of a class, as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/words.h"

namespace holdfast::cli {
namespace {

Json place_json(const HolderPlaceView& place) {
  const bool root = place.is_root;
  return {{"place", place_text(place)},
          {"via", word(place.via)},
          {"class", optional_text(place.class_name)},
          {"field", optional_text(place.field)},
          {"root_kind", root ? Json(word(place.root)) : Json(nullptr)},
          {"strength", word(place.strength)},
          {"references", place.references},
          {"referrers", root ? Json(nullptr) : Json(place.referrers)},
          {"bytes", place.bytes}};
}

}  // namespace

Json holder_class_json(const HolderClassView& row) {
  Json json{{"class", row.class_name},          {"loader", optional_text(row.loader)},
            {"instances", row.instances},       {"places", Json::array()},
            {"places_total", row.places_total}, {"rest_references", row.rest_references},
            {"rest_bytes", row.rest_bytes},     {"unplaced_references", row.unplaced_references}};
  for (const HolderPlaceView& place : row.places) json["places"].push_back(place_json(place));
  return json;
}

Json holders_json(const ReportView& view, std::size_t top) {
  if (!view.holders) return nullptr;
  Json json = Json::array();
  const auto& classes = view.holders->classes;
  for (std::size_t i = 0; i < std::min(top, classes.size()); ++i)
    json.push_back(holder_class_json(classes[i]));
  return json;
}

}  // namespace holdfast::cli
