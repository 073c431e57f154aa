// What fills the heap, state by state, as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/verdict.h"

namespace holdfast::cli {
namespace {

Json classes_json(const std::vector<StateClassView>& classes, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, classes.size()); ++i) {
    const StateClassView& row = classes[i];
    rows.push_back({{"class", row.class_name},
                    {"loader", optional_text(row.loader)},
                    {"instances", row.instances},
                    {"shallow_bytes", row.shallow_bytes},
                    {"retained_bytes", row.retained_bytes},
                    {"platform", row.platform}});
  }
  return rows;
}

Json groups_json(const StateView& state) {
  Json rows = Json::array();
  for (const StateGroupView& group : state.groups)
    rows.push_back({{"kind", group.group ? "group" : "single_object"},
                    {"sentence", group_sentence(state, group, kFullNames)},
                    {"class", group.class_name},
                    {"loader", optional_text(group.loader)},
                    {"instances", group.instances},
                    {"shallow_bytes", group.shallow_bytes},
                    {"retained_bytes", group.retained_bytes},
                    {"holder_class", optional_text(group.holder_class)},
                    {"evidence", group.evidence}});
  return rows;
}

Json backlog_json(const BacklogView& backlog) {
  Json frames = Json::array();
  for (const auto& [owner, method] : backlog.frames)
    frames.push_back({{"class", owner}, {"method", method}});
  return {{"sentence", backlog_sentence(backlog, kFullNames)},
          {"finalizers", backlog.finalizers},
          {"owner", optional_text(backlog.owner)},
          {"field", optional_text(backlog.field)},
          {"static_field", backlog.static_field},
          {"reference_class", optional_text(backlog.reference_class)},
          {"waiting", backlog.waiting},
          {"retained_bytes", backlog.retained_bytes},
          {"referent_class", optional_text(backlog.referent_class)},
          {"referents", backlog.referents},
          {"thread", backlog.thread_found ? Json(backlog.thread) : Json(nullptr)},
          {"frames", std::move(frames)}};
}

// Retained sizes are not known there.
Json unreached_json(const std::optional<UnreachedView>& unreached, std::size_t top) {
  if (!unreached) return nullptr;
  Json classes = classes_json(unreached->classes, top);
  for (Json& row : classes) row.erase("retained_bytes");
  return {{"objects", unreached->objects},           {"shallow_bytes", unreached->shallow_bytes},
          {"buffer_bytes", unreached->buffer_bytes}, {"unread_bytes", unreached->unread_bytes},
          {"classes", std::move(classes)},           {"classes_total", unreached->classes_total}};
}

}  // namespace

Json states_json(const ReportView& view, std::size_t top) {
  if (!view.states) return nullptr;
  Json rows = Json::array();
  for (const StateView& state : view.states->states)
    rows.push_back({{"state", word(state.state)},
                    {"held", state.held},
                    {"objects", state.objects},
                    {"shallow_bytes", state.shallow_bytes},
                    {"classes", classes_json(state.classes, top)},
                    {"classes_total", state.classes_total},
                    {"groups", groups_json(state)}});
  Json backlogs = Json::array();
  for (const BacklogView& backlog : view.states->backlogs)
    backlogs.push_back(backlog_json(backlog));
  const std::uint64_t rest = not_reached_bytes(view);
  return {{"rows", std::move(rows)},
          {"not_reached_bytes", rest != 0 ? Json(rest) : Json(nullptr)},
          {"unreached", unreached_json(view.states->unreached, top)},
          {"backlogs", std::move(backlogs)}};
}

}  // namespace holdfast::cli
