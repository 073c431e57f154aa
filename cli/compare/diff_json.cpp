#include "cli/compare/diff_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare/change_text.h"
#include "cli/compare/facts_json.h"
#include "cli/compare/state_changes.h"
#include "cli/report/verdict.h"
#include "cli/text/json_text.h"

namespace holdfast::cli {
namespace {

std::string_view word(Presence presence) {
  if (presence == Presence::kListed) return "listed";
  return presence == Presence::kAbsent ? "absent" : "not_listed";
}

Json figures_json(const Figures& figures, bool retained) {
  return {{"instances", figures.instances},
          {"shallow_bytes", figures.shallow_bytes},
          {"retained_bytes", retained ? Json(figures.retained_bytes) : Json(nullptr)}};
}

Json side_json(const Side& side, bool retained) {
  Json json{{"presence", word(side.presence)}, {"definitions", side.definitions}};
  json.update(figures_json(side.figures, retained));
  if (side.presence == Presence::kUnlisted) json["at_most"] = figures_json(side.at_most, retained);
  return json;
}

Json change_json(const Side& before, const Side& after, bool retained) {
  const auto one = [&](ClassOrder which) { return change(before, after, which); };
  return {{"instances", one(ClassOrder::kInstances)},
          {"shallow_bytes", one(ClassOrder::kShallow)},
          {"retained_bytes", retained ? Json(one(ClassOrder::kRetained)) : Json(nullptr)}};
}

std::string_view status_of(const Side& before, const Side& after, ClassOrder order) {
  if (before.presence == Presence::kAbsent) return "new";
  if (after.presence == Presence::kAbsent) return "gone";
  const std::int64_t certain = certain_change(before, after, order);
  if (certain != 0) return certain > 0 ? "grown" : "shrunk";
  return before.presence == after.presence ? "same" : "uncertain";
}

void add_sides(Json& json, const Side& before, const Side& after, ClassOrder order, bool retained) {
  json["status"] = status_of(before, after, order);
  json["before"] = side_json(before, retained);
  json["after"] = side_json(after, retained);
  json["change"] = change_json(before, after, retained);
}

Json rest_json(const RestSide& before, const RestSide& after) {
  const auto one = [](const RestSide& rest) {
    return Json{{"count", rest.count},
                {"instances", rest.figures.instances},
                {"shallow_bytes", rest.figures.shallow_bytes}};
  };
  const auto difference = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(b - a);
  };
  return {
      {"before", one(before)},
      {"after", one(after)},
      {"change",
       {{"instances", difference(before.figures.instances, after.figures.instances)},
        {"shallow_bytes", difference(before.figures.shallow_bytes, after.figures.shallow_bytes)}}}};
}

struct ListWords {
  const char* key;   // "classes"
  const char* name;  // "class"
  ClassOrder order;
  bool retained;  // the rows have retained sizes
};

void add_list(Json& document, const ListWords& words, const ListChange& list, std::size_t top,
              const NameFilter& filter) {
  const ChangeSelection selection = select_changes(list, words.order, top, filter);
  const bool classes = std::string_view(words.name) == "class";
  Json rows = Json::array();
  for (const RowChange* row : selection.rows) {
    Json json{{words.name, row->name}};
    if (classes) json["loader"] = optional_text(row->loader);
    if (classes) json["platform"] = row->platform;
    add_sides(json, row->before, row->after, words.order, words.retained);
    rows.push_back(std::move(json));
  }
  document[words.key] = std::move(rows);
  document[std::string("changed_") + words.key] = selection.changed;
  document[std::string("rest_of_") + words.key] = rest_json(selection.before, selection.after);
}

Json tree_json(const Diff& diff, std::size_t top) {
  const std::vector<PathChange>& tree = diff.comparison.tree;
  std::vector<std::uint32_t> ids(tree.size());
  for (std::uint32_t i = 0; i < tree.size(); ++i) ids[i] = i;
  if (top < tree.size()) ids = select_paths(tree, top);
  Json rows = Json::array();
  for (const std::uint32_t id : ids) {
    const PathChange& path = tree[id];
    Json json{{"id", id},
              {"parent", path.parent == kNoRow ? Json(nullptr) : Json(path.parent)},
              {"class", path.class_name}};
    if (!path.class_object_of.empty()) json["class_object_of"] = path.class_object_of;
    add_sides(json, path.before, path.after, ClassOrder::kRetained, true);
    rows.push_back(std::move(json));
  }
  return rows;
}

Json totals_json(const Comparison& all) {
  const Side before{Presence::kListed, all.before, {}, 0};
  const Side after{Presence::kListed, all.after, {}, 0};
  return {{"before", figures_json(all.before, all.retained)},
          {"after", figures_json(all.after, all.retained)},
          {"change", change_json(before, after, all.retained)}};
}

bool wanted(const std::vector<std::string>& sections, std::string_view section) {
  return sections.empty() || std::ranges::find(sections, section) != sections.end();
}

}  // namespace

Json diff_document(const Diff& diff, std::size_t top, const std::vector<std::string>& sections) {
  const Comparison& all = diff.comparison;
  Json document{{"schema_version", kDiffSchemaVersion},
                {"verdict", diff_verdict(diff, kFullNames)},
                {"meaning", diff_meaning(diff)}};
  document["warnings"] = warnings_json(diff.warnings);
  document["before"] = facts_json(diff.before);
  document["after"] = facts_json(diff.after);
  document["elapsed_ms"] = diff.elapsed_ms();
  document["same_program"] = same_program(diff.before, diff.after);
  document["same_process"] = same_process(diff.before, diff.after);
  document["sorted_by"] = figure_word(diff.order);
  document["totals"] = totals_json(all);
  if (wanted(sections, "classes"))
    add_list(document, {"classes", "class", diff.order, all.retained}, all.classes, top,
             diff.filter);
  if (wanted(sections, "packages")) {
    add_list(document,
             {"packages", "package", packages_order(diff), all.retained && !all.packages_summed},
             all.packages, top, {});
    document["packages_summed_from_classes"] = all.packages_summed;
  }
  if (wanted(sections, "loaders"))
    add_list(document, {"loaders", "loader", diff.order, all.retained}, all.loaders, top, {});
  if (wanted(sections, "states")) document["states"] = state_changes_json(diff.before, diff.after);
  if (wanted(sections, "tree")) document["tree"] = tree_json(diff, top);
  if (wanted(sections, "objects")) document["objects"] = object_changes_json(diff.objects, top);
  if (wanted(sections, "accounts")) document["accounts"] = account_changes_json(diff.accounts, top);
  return document;
}

std::string diff_json(const Diff& diff, std::size_t top, const std::vector<std::string>& sections) {
  return json_text(diff_document(diff, top, sections)) + '\n';
}

}  // namespace holdfast::cli
