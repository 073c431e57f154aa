#include "cli/compare/object_changes.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/compare/change_text.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastObjectNameColumns = 16;

bool one_run(const ReportView& a, const ReportView& b) {
  return a.tracking && b.tracking && a.tracking->began_utc_ms == b.tracking->began_utc_ms;
}

const ObjectView* find(const TrackingView& in, std::uint32_t identity) {
  const auto at = std::ranges::lower_bound(in.objects, identity, {}, &ObjectView::identity);
  return at != in.objects.end() && at->identity == identity ? &*at : nullptr;
}

void sort_by_retained(std::vector<ObjectView>& objects) {
  std::ranges::stable_sort(objects, std::ranges::greater{}, &ObjectView::retained_bytes);
}

std::string more_text(const ObjectChanges& changes) {
  std::string text;
  if (!changes.fresh.empty())
    text += counted(changes.fresh.size(), "object is", "objects are") + " new";
  if (changes.unlisted.empty()) return text;
  return text + (text.empty() ? "" : ", ") + thousands(changes.unlisted.size()) +
         " of the first report are not in the second: collected, or no longer worth naming";
}

Json side_json(const ObjectView& object) {
  return {{"shallow_bytes", object.shallow_bytes}, {"retained_bytes", object.retained_bytes}};
}

Json objects_json(const std::vector<ObjectView>& objects, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, objects.size()); ++i)
    rows.push_back(object_json(objects[i]));
  return rows;
}

}  // namespace

std::int64_t ObjectChange::retained_bytes() const {
  return static_cast<std::int64_t>(after.retained_bytes - before.retained_bytes);
}

ObjectChanges object_changes(const ReportView& before, const ReportView& after, bool same_process) {
  ObjectChanges changes;
  if (!same_process || !one_run(before, after)) return changes;
  changes.told = true;
  changes.retained = before.has_retained() && after.has_retained();
  for (const ObjectView& object : before.tracking->objects) {
    if (const ObjectView* later = find(*after.tracking, object.identity))
      changes.rows.push_back({object, *later});
    else
      changes.unlisted.push_back(object);
  }
  for (const ObjectView& object : after.tracking->objects)
    if (find(*before.tracking, object.identity) == nullptr &&
        object.first_sequence > before.origin.sequence)
      changes.fresh.push_back(object);
  std::ranges::stable_sort(changes.rows, std::ranges::greater{},
                           [](const ObjectChange& row) { return std::abs(row.retained_bytes()); });
  sort_by_retained(changes.fresh);
  sort_by_retained(changes.unlisted);
  return changes;
}

std::vector<CompareWarning> tracking_warnings(const ReportView& before, const ReportView& after) {
  if (!before.tracking || !after.tracking || one_run(before, after)) return {};
  return {{"different_tracking",
           "objects were numbered twice (track=on began at other times): no number of one report "
           "is one of the other"}};
}

void write_object_changes(const ObjectChanges& changes, std::size_t top, Page& page) {
  if (!changes.told || !changes.retained) return;
  if (changes.rows.empty() && changes.fresh.empty() && changes.unlisted.empty()) return;
  const std::size_t shown = std::min(top, changes.rows.size());
  page.heading("OBJECTS", "the same in both, by change of retained size · " + thousands(shown) +
                              " of " + thousands(changes.rows.size()));
  Table table({{"object", ColumnKind::kName, kLeastObjectNameColumns},
               {"before", ColumnKind::kNumber, 0, true},
               {"after"},
               {"change"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ObjectChange& row = changes.rows[i];
    table.row({{object_text(row.after)},
               {human_bytes(row.before.retained_bytes)},
               {human_bytes(row.after.retained_bytes)},
               {signed_bytes(row.retained_bytes()), change_style(row.retained_bytes())}});
  }
  table.write(page);
  if (const std::string more = more_text(changes); !more.empty())
    page.paragraph(more + '.', Style::kDim, Page::kIndent);
}

Json object_changes_json(const ObjectChanges& changes, std::size_t top) {
  if (!changes.told) return nullptr;
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, changes.rows.size()); ++i) {
    const ObjectChange& row = changes.rows[i];
    Json json{{"identity", row.after.identity},
              {"class", row.after.class_name},
              {"loader", optional_text(row.after.loader)},
              {"first_sequence", row.after.first_sequence}};
    if (row.after.is_class_object()) json["class_object_of"] = row.after.class_object_of;
    json["before"] = side_json(row.before);
    json["after"] = side_json(row.after);
    json["retained_change_bytes"] = changes.retained ? Json(row.retained_bytes()) : Json(nullptr);
    rows.push_back(std::move(json));
  }
  return {{"same", std::move(rows)},
          {"same_total", changes.rows.size()},
          {"new", objects_json(changes.fresh, top)},
          {"new_total", changes.fresh.size()},
          {"not_listed", objects_json(changes.unlisted, top)},
          {"not_listed_total", changes.unlisted.size()}};
}

}  // namespace holdfast::cli
