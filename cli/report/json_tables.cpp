// Classes, loaders, packages and threads as JSON, each list with the sum of what is not in it.
#include "cli/report/json_value.h"

#include <nlohmann/json.hpp>

namespace holdfast::cli {
namespace {

// 0 is no reachable size: the report does not tell it.
Json reachable_bytes(const ClassView& row) {
  return row.largest_reachable_bytes > 0 ? Json(row.largest_reachable_bytes) : Json(nullptr);
}

Json class_figures(const ClassView& row) {
  return {{"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"retained_bytes", row.retained_bytes},
          {"largest_retained_bytes", row.largest_retained_bytes},
          {"unheld_instances", row.unheld_instances},
          {"unheld_bytes", row.unheld_bytes},
          {"largest_reachable_bytes", reachable_bytes(row)},
          {"reachable_estimated", row.reachable_estimated}};
}

Json class_json(const ClassView& row) {
  Json json{{"class", row.name}, {"loader", optional_text(row.loader)}};
  json.update(class_figures(row));
  json["platform"] = row.platform;
  return json;
}

Json set_figures(const SetView& row) {
  return {{"classes", row.class_count},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"retained_bytes", row.retained_bytes}};
}

Json set_json(const SetView& row, const char* key) {
  Json json{{key, row.name}};
  json.update(set_figures(row));
  return json;
}

Json frame_json(const FrameView& frame) {
  return {{"class", frame.class_name},
          {"method", frame.method},
          {"depth", frame.depth},
          {"locals", frame.locals},
          {"retained_bytes", frame.retained_bytes},
          {"largest", frame.largest ? object_json(*frame.largest) : Json(nullptr)}};
}

Json thread_json(const ThreadView& thread) {
  Json frames = Json::array();
  for (const FrameView& frame : thread.frames) frames.push_back(frame_json(frame));
  return {{"thread", thread.name},
          {"daemon", thread.daemon},
          {"local_roots", thread.local_roots},
          {"retained_bytes", thread.retained_bytes},
          {"frames", std::move(frames)}};
}

void add_classes(Json& document, const ReportView& view, const JsonOptions& options) {
  const ClassOrder natural = view.has_retained() ? ClassOrder::kRetained : ClassOrder::kShallow;
  const ClassSelection selection =
      select_classes(view, options.order.value_or(natural), options.top);
  Json rows = Json::array();
  for (const ClassView* row : selection.rows) rows.push_back(class_json(*row));
  document["classes"] = std::move(rows);
  document["classes_total"] = view.classes_total;
  document["rest_of_classes"] = class_figures(selection.rest);
}

void add_loaders(Json& document, const ReportView& view, std::size_t top) {
  const auto selection = select_sets(view.loaders, view.rest_of_loaders, view.loaders_total,
                                     view.loaders_have_retained(), top);
  Json rows = Json::array();
  for (const SetView* row : selection.rows) {
    rows.push_back(set_json(*row, "loader"));
    rows.back()["builtin"] = row->builtin;
  }
  document["loaders"] = std::move(rows);
  document["loaders_total"] = view.loaders_total;
  document["rest_of_loaders"] = set_figures(selection.rest);
}

void add_packages(Json& document, const ReportView& view, std::size_t top) {
  const auto selection = select_sets(view.packages, view.rest_of_packages, view.packages_total,
                                     view.has_retained(), top);
  Json rows = Json::array();
  for (const SetView* row : selection.rows) rows.push_back(set_json(*row, "package"));
  document["packages"] = std::move(rows);
  document["packages_total"] = view.packages_total;
  document["rest_of_packages"] = set_figures(selection.rest);
}

}  // namespace

void add_tables_json(Json& document, const ReportView& view, const JsonOptions& options) {
  add_classes(document, view, options);
  add_loaders(document, view, options.top);
  add_packages(document, view, options.top);
  Json threads = Json::array();
  for (const ThreadView* thread : select_threads(view, options.top))
    threads.push_back(thread_json(*thread));
  document["threads"] = std::move(threads);
  document["threads_total"] = view.threads_total;
}

}  // namespace holdfast::cli
