// Reachable sizes, components and cuts as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/words.h"

namespace holdfast::cli {
namespace {

Json optional_number(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json differences_json(const std::vector<DifferenceView>& rows) {
  Json json = Json::array();
  std::uint64_t from = 0;
  for (const DifferenceView& row : rows) {
    json.push_back({{"from_bytes", from},
                    {"up_to_bytes", optional_number(row.up_to_bytes)},
                    {"objects", row.objects}});
    from = row.up_to_bytes.value_or(from);
  }
  return json;
}

Json important_json(const std::vector<ImportantView>& rows, std::size_t top) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(top, rows.size()); ++i) {
    Json row = object_json(rows[i].object);
    row["references"] = rows[i].references;
    row["referrers"] = rows[i].referrers;
    row["articulation_point"] = rows[i].articulation_point;
    json.push_back(std::move(row));
  }
  return json;
}

Json cut_json(const CutView& cut) {
  return {{"freed_bytes", cut.freed_bytes},
          {"freed_objects", cut.freed_objects},
          {"references", cut.references},
          {"articulation_point", cut.articulation_point},
          {"referrer", cut.referrer ? object_json(*cut.referrer) : Json(nullptr)},
          {"reference", step_json(cut.reference)},
          {"root", cut.root ? path_json(*cut.root) : Json(nullptr)}};
}

}  // namespace

Json reachable_json(const ReportView& view, std::size_t top) {
  if (!view.reachable) return nullptr;
  const ReachableView& from = *view.reachable;
  const bool exact = from.estimated_objects == 0;
  Json json{{"exact", exact},
            {"estimated_objects", from.estimated_objects},
            {"reason", exact ? Json(nullptr) : Json(word(from.reason))},
            {"standard_error", from.error_per_mille / 1000.0},
            {"components", from.components},
            {"shared_components", from.shared_components},
            {"retained_sum_bytes", optional_number(from.retained_sum_bytes)},
            {"reachable_sum_bytes", optional_number(from.reachable_sum_bytes)},
            {"differences", differences_json(from.differences)}};
  json["hidden"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, from.hidden.size()); ++i)
    json["hidden"].push_back(object_json(from.hidden[i]));
  return json;
}

Json cuts_json(const ReportView& view, std::size_t top) {
  if (!view.cuts) return nullptr;
  const CutsView& from = *view.cuts;
  Json json{{"components", from.components},
            {"cyclic_components", from.cyclic_components},
            {"cyclic_objects", from.cyclic_objects},
            {"largest_component_objects", from.largest_component_objects},
            {"biconnected_components", from.biconnected_components},
            {"largest_biconnected", from.largest_biconnected},
            {"parts", from.parts},
            {"articulation_points", from.articulation_points},
            {"dominating_points", from.dominating_points},
            {"most_references", important_json(from.most_references, top)},
            {"most_referrers", important_json(from.most_referrers, top)}};
  json["cuts"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, from.cuts.size()); ++i)
    json["cuts"].push_back(cut_json(from.cuts[i]));
  return json;
}

}  // namespace holdfast::cli
