#include "cli/export/report_rows.h"

#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/path_lines.h"
#include "cli/report/verdict.h"
#include "cli/report/words.h"

namespace holdfast::cli {
namespace {

using Take = std::function<void(const Row&)>;

// null where there is no graph, and in the sum of the rest.
constexpr const char* kGraphColumns[] = {"retained_bytes", "largest_retained_bytes"};
constexpr double kPerMille = 1000.0;
constexpr double kPercent = 100.0;

Row identity(const ReportView& view, const std::string& file) {
  const OriginView& origin = view.origin;
  return {{"file", file},
          {"host", optional_text(origin.host)},
          {"main", optional_text(origin.main_name)},
          {"pid", origin.pid},
          {"started_utc_ms", origin.started_utc_ms},
          {"kind", view.dump.extended ? "extended" : "simple"}};
}

Row class_row(const ClassView& row) {
  return {{"class", optional_text(row.name)},
          {"loader", optional_text(row.loader)},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"retained_bytes", row.retained_bytes},
          {"largest_retained_bytes", row.largest_retained_bytes},
          {"unheld_instances", row.unheld_instances},
          {"unheld_bytes", row.unheld_bytes},
          {"platform", row.platform}};
}

Row set_row(const char* name, const SetView& row) {
  return {{name, optional_text(row.name)},
          {"classes", row.class_count},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"retained_bytes", row.retained_bytes}};
}

Row package_row(const SetView& row) { return set_row("package", row); }

Row loader_row(const SetView& row) {
  Row cells = set_row("loader", row);
  cells["builtin"] = row.builtin;
  return cells;
}

// From the root to the object before the last: "static shop.Registry.SESSIONS > java.util.HashMap .table > …".
std::string path_text(const PathView& path) {
  std::string text;
  for (const PathLine& line : path_lines(path))
    text.append(text.empty() ? "" : " > ").append(line.object).append(line.link);
  return text;
}

Row object_row(std::size_t rank, const TopObjectView& row) {
  const ObjectView& object = row.object;
  const bool held = row.path.has_value();
  return {{"rank", rank},
          {"class", optional_text(object.class_name)},
          {"loader", optional_text(object.loader)},
          {"class_object_of", optional_text(object.class_object_of)},
          {"shallow_bytes", object.shallow_bytes},
          {"retained_bytes", object.retained_bytes},
          {"root_kind", held ? Row(word(row.path->root)) : Row()},
          {"thread", held ? Row(optional_text(row.path->thread)) : Row()},
          {"path_length", held ? Row(row.path->length) : Row()},
          {"path", held ? Row(path_text(*row.path)) : Row()},
          {"identity", object.identity != 0 ? Row(object.identity) : Row()},
          {"first_sequence", object.identity != 0 ? Row(object.first_sequence) : Row()}};
}

Row thread_row(const ThreadView& row) {
  return {{"thread", optional_text(row.name)},
          {"daemon", row.daemon},
          {"local_roots", row.local_roots},
          {"retained_bytes", row.retained_bytes},
          {"frames", row.frames.size()}};
}

Row suspect_row(std::size_t rank, const SuspectView& row) {
  return {{"rank", rank},
          {"class", optional_text(row.class_name)},
          {"loader", optional_text(row.loader)},
          {"group", row.group},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"retained_bytes", row.retained_bytes},
          {"share", row.share_per_mille / kPerMille},
          {"confidence", row.confidence_percent / kPercent},
          {"holder_kind", word(row.holder_kind)},
          {"holder_class", optional_text(row.holder_class)},
          {"holder_field", optional_text(row.holder_field)},
          {"sentence", suspect_sentence(row, kFullNames)}};
}

Row age_row(const AgesView& ages, const AgeClassView& row) {
  const AgeSums sums = ages.sums(row);
  return {{"class", optional_text(row.class_name)},
          {"loader", optional_text(row.loader)},
          {"instances", sums.objects},
          {"shallow_bytes", sums.bytes},
          {"old_instances", sums.old_objects},
          {"old_bytes", sums.old_bytes},
          {"distinct_ages", row.distinct_ages}};
}

// A place; `place` empty: those of the class that are not listed, together.
Row holder_row(const HolderClassView& of, const HolderPlaceView* place) {
  const bool told = place != nullptr;
  const bool referrers = told && !place->is_root;
  return {{"class", optional_text(of.class_name)},
          {"loader", optional_text(of.loader)},
          {"instances", of.instances},
          {"place", told ? Row(place_text(*place)) : Row()},
          {"via", told ? Row(word(place->via)) : Row()},
          {"referrer_class", told ? Row(optional_text(place->class_name)) : Row()},
          {"field", told ? Row(optional_text(place->field)) : Row()},
          {"root_kind", told && place->is_root ? Row(word(place->root)) : Row()},
          {"strength", told ? Row(word(place->strength)) : Row()},
          {"references", told ? place->references : of.rest_references},
          {"referrers", referrers ? Row(place->referrers) : Row()},
          {"bytes", told ? place->bytes : of.rest_bytes},
          {"rest", !told}};
}

void holder_rows(const ReportView& view, const Take& add) {
  if (!view.holders) return;
  for (const HolderClassView& of : view.holders->classes) {
    for (const HolderPlaceView& place : of.places) add(holder_row(of, &place));
    if (of.rest_references != 0) add(holder_row(of, nullptr));
  }
}

// A state as a whole; or a class of it, of a state that matters.
Row state_row(const StateView& state, const StateClassView* of) {
  const bool told = of != nullptr;
  return {{"state", word(state.state)},
          {"held", state.held},
          {"class", told ? Row(optional_text(of->class_name)) : Row()},
          {"loader", told ? Row(optional_text(of->loader)) : Row()},
          {"objects", told ? of->instances : state.objects},
          {"shallow_bytes", told ? of->shallow_bytes : state.shallow_bytes},
          {"retained_bytes", told ? Row(of->retained_bytes) : Row()}};
}

void state_rows(const ReportView& view, const Take& add) {
  if (!view.states) return;
  for (const StateView& state : view.states->states) {
    add(state_row(state, nullptr));
    for (const StateClassView& row : state.classes) add(state_row(state, &row));
  }
}

Row blank_row(RowKind kind) {
  switch (kind) {
    case RowKind::kClasses:
      return class_row({});
    case RowKind::kObjects:
      return object_row(1, {});
    case RowKind::kPackages:
      return package_row({});
    case RowKind::kLoaders:
      return loader_row({});
    case RowKind::kThreads:
      return thread_row({});
    case RowKind::kAges:
      return age_row({}, {});
    case RowKind::kHolders:
      return holder_row({}, nullptr);
    case RowKind::kStates:
      return state_row({}, nullptr);
    default:
      return suspect_row(1, {});
  }
}

// A list that a report cuts, and the row that sums the rest. Retained sizes do not add up, so the rest has none.
template <class View, class MakeRow>
void listed_rows(const std::vector<View>& rows, std::uint64_t total, const View& rest_of_rows,
                 bool graph, const MakeRow& make, const Take& take) {
  const auto add = [&](const View& row, bool rest) {
    Row cells = make(row);
    for (const char* column : kGraphColumns)
      if (cells.contains(column) && (rest || !graph)) cells[column] = nullptr;
    cells["rest"] = rest;
    take(cells);
  };
  for (const View& row : rows) add(row, false);
  if (total > rows.size()) add(rest_of_rows, true);
}

void cut_rows(const ReportView& view, RowKind kind, const Take& take) {
  const bool graph = view.has_retained();
  if (kind == RowKind::kClasses)
    listed_rows(view.classes, view.classes_total, view.rest_of_classes, graph, class_row, take);
  else if (kind == RowKind::kPackages)
    listed_rows(view.packages, view.packages_total, view.rest_of_packages, graph, package_row,
                take);
  else if (kind == RowKind::kLoaders)
    listed_rows(view.loaders, view.loaders_total, view.rest_of_loaders,
                view.loaders_have_retained(), loader_row, take);
  else if (kind == RowKind::kAges && view.ages)
    listed_rows(
        view.ages->classes, view.ages->classes_total, view.ages->rest_of_classes, graph,
        [&](const AgeClassView& row) { return age_row(*view.ages, row); }, take);
}

void found_rows(const ReportView& view, RowKind kind, const Take& add) {
  std::size_t rank = 0;
  if (kind == RowKind::kObjects) {
    for (const TopObjectView& row : view.top_objects) add(object_row(++rank, row));
  } else if (kind == RowKind::kThreads) {
    for (const ThreadView& row : view.threads) {
      Row cells = thread_row(row);
      if (!view.threads_have_retained()) cells["retained_bytes"] = nullptr;
      add(cells);
    }
  } else if (kind == RowKind::kSuspects) {
    for (const SuspectView& row : view.suspects) add(suspect_row(++rank, row));
  } else if (kind == RowKind::kHolders) {
    holder_rows(view, add);
  } else if (kind == RowKind::kStates) {
    state_rows(view, add);
  }
}

}  // namespace

std::vector<std::string> row_columns(RowKind kind) {
  std::vector<std::string> columns;
  for (const Row& part : {identity({}, {}), blank_row(kind)})
    for (const auto& cell : part.items()) columns.push_back(cell.key());
  if (kind == RowKind::kClasses || kind == RowKind::kPackages || kind == RowKind::kLoaders ||
      kind == RowKind::kAges)
    columns.emplace_back("rest");
  return columns;
}

void report_rows(const ReportView& view, RowKind kind, const std::string& file, const Take& take) {
  const Row who = identity(view, file);
  const auto add = [&](const Row& cells) {
    Row row = who;
    row.update(cells);
    take(row);
  };
  cut_rows(view, kind, add);
  found_rows(view, kind, add);
}

}  // namespace holdfast::cli
