// Suspects, dominator tree, largest objects and graph statistics as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/rivals.h"
#include "cli/report/verdict.h"
#include "cli/report/words.h"

namespace holdfast::cli {
namespace {

Json levels_json(const SuspectView& suspect) {
  Json rows = Json::array();
  for (const LevelView& level : suspect.levels) {
    rows.push_back({{"class", level.class_name},
                    {"instances", level.instances},
                    {"shallow_bytes", level.shallow_bytes},
                    {"retained_bytes", level.retained_bytes},
                    {"platform", level.platform}});
  }
  return rows;
}

Json suspect_json(const ReportView& view, const SuspectView& suspect) {
  return {{"rank", suspect.rank},
          {"kind", suspect.group ? "group" : "single_object"},
          {"sentence", suspect_sentence(suspect, kFullNames)},
          {"class", suspect.class_name},
          {"loader", optional_text(suspect.loader)},
          {"instances", suspect.instances},
          {"instances_below", suspect.instances_below},
          {"shallow_bytes", suspect.shallow_bytes},
          {"retained_bytes", suspect.retained_bytes},
          {"share", suspect.share_per_mille / 1000.0},
          {"confidence", suspect.confidence_percent / 100.0},
          {"holder_kind", word(suspect.holder_kind)},
          {"holder_class", optional_text(suspect.holder_class)},
          {"holder_field", optional_text(suspect.holder_field)},
          {"held_by", holder_text(suspect, kFullNames)},
          {"holder", suspect.holder ? object_json(*suspect.holder) : Json(nullptr)},
          {"evidence", suspect.evidence},
          {"waits_for_finalizer", suspect.waits_for_finalizer},
          {"threads", suspect.threads == 0 ? Json(nullptr) : Json(suspect.threads)},
          {"variable", suspect.variable ? path_json(*suspect.variable) : Json(nullptr)},
          {"rivals", rivals_of(view, suspect, kFullNames)},
          {"levels", levels_json(suspect)},
          {"path", path_json(suspect.path)}};
}

Json node_json(const TreeNodeView& node) {
  Json json{{"id", node.id},
            {"parent", node.parent == kNoRow ? Json(nullptr) : Json(node.parent)},
            {"group", !node.object.has_value()},
            {"class", node.object ? node.object->class_name : node.group_class}};
  if (node.object) {
    json["object"] = node.object->number;
    json["loader"] = optional_text(node.object->loader);
  }
  if (node.object && node.object->identity != 0) json["identity"] = node.object->identity;
  if (node.object && node.object->is_class_object())
    json["class_object_of"] = node.object->class_object_of;
  json.update({{"instances", node.instances},
               {"shallow_bytes", node.shallow_bytes},
               {"retained_bytes", node.retained_bytes},
               {"children", node.children},
               {"rest_children", node.rest_children},
               {"rest_retained_bytes", node.rest_retained_bytes}});
  return json;
}

Json strengths_json(const GraphView& graph) {
  Json rows = Json::array();
  for (const StrengthView& row : graph.strengths) {
    rows.push_back({{"strength", word(row.strength)},
                    {"objects", row.objects},
                    {"shallow_bytes", row.shallow_bytes}});
  }
  return rows;
}

Json root_kinds_json(const GraphView& graph) {
  Json rows = Json::array();
  for (const RootKindView& row : graph.root_kinds) {
    rows.push_back({{"root_kind", word(row.kind)},
                    {"roots", row.roots},
                    {"objects", row.objects},
                    {"retained_bytes", row.retained_bytes}});
  }
  return rows;
}

}  // namespace

Json suspects_json(const ReportView& view, const ReportView& whole, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, view.suspects.size()); ++i)
    rows.push_back(suspect_json(whole, view.suspects[i]));
  return rows;
}

Json tree_json(const ReportView& view, std::size_t top) {
  Json rows = Json::array();
  for (const std::uint32_t id : select_tree(view, top)) rows.push_back(node_json(view.tree[id]));
  return rows;
}

Json top_objects_json(const ReportView& view, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, view.top_objects.size()); ++i) {
    Json row = object_json(view.top_objects[i].object);
    row["path"] = view.top_objects[i].path ? path_json(*view.top_objects[i].path) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json tracking_json(const ReportView& view) {
  if (!view.tracking) return nullptr;
  const TrackingView& told = *view.tracking;
  return {{"began_utc_ms", told.began_utc_ms},
          {"known", told.known},
          {"named", told.named},
          {"gone", told.gone},
          {"unfollowed", told.unfollowed}};
}

Json graph_json(const ReportView& view) {
  if (!view.graph) return nullptr;
  const GraphView& graph = *view.graph;
  return {{"objects", graph.objects},
          {"references", graph.references},
          {"roots", graph.roots},
          {"shallow_bytes", graph.shallow_bytes},
          {"held_objects", graph.held_objects},
          {"held_bytes", graph.held_bytes},
          {"dominator_depth", graph.dominator_depth},
          {"max_out_degree", graph.max_out_degree},
          {"max_out_degree_object",
           graph.max_out_degree_object ? object_json(*graph.max_out_degree_object) : Json(nullptr)},
          {"strengths", strengths_json(graph)},
          {"root_kinds", root_kinds_json(graph)}};
}

}  // namespace holdfast::cli
