#include "cli/report/cuts_view.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kNoCut = UINT64_MAX;

// The view's enum has the schema's order.
static_assert(static_cast<int>(Shortage::kTime) == static_cast<int>(report::EstimateReason::Time));
static_assert(static_cast<int>(Shortage::kMemory) ==
              static_cast<int>(report::EstimateReason::Memory));

std::optional<std::uint64_t> bounded(std::uint64_t value) {
  if (value == kNoCut) return std::nullopt;
  return value;
}

std::vector<ImportantView> important_views(
    const ReportNames& names,
    const flatbuffers::Vector<flatbuffers::Offset<report::ImportantRow>>& rows) {
  std::vector<ImportantView> views;
  for (const auto* row : rows)
    views.push_back({names.object(row->object()), row->references(), row->referrers(),
                     row->articulation_point()});
  return views;
}

CutView cut_view(const ReportNames& names, const report::CutRow& from) {
  CutView view;
  view.referrer = names.maybe_object(from.referrer());
  view.reference = names.step(*from.reference());
  if (from.root() != nullptr) view.root = names.path(*from.root());
  view.references = from.references();
  view.freed_objects = from.freed_objects();
  view.freed_bytes = from.freed_bytes();
  view.articulation_point = from.articulation_point();
  return view;
}

}  // namespace

ReachableView reachable_view(const ReportNames& names, const report::ReachableFacts& from) {
  ReachableView view;
  view.components = from.components();
  view.shared_components = from.shared_components();
  view.estimated_objects = from.estimated_objects();
  view.reason = static_cast<Shortage>(from.reason());
  view.error_per_mille = from.error_per_mille();
  view.retained_sum_bytes = bounded(from.retained_sum_bytes());
  view.reachable_sum_bytes = bounded(from.reachable_sum_bytes());
  for (const auto* row : *from.differences())
    view.differences.push_back({bounded(row->up_to_bytes()), row->objects()});
  for (const std::uint32_t row : *from.hidden()) view.hidden.push_back(names.object(row));
  return view;
}

CutsView cuts_view(const ReportNames& names, const report::CutFacts& from) {
  CutsView view;
  view.components = from.components();
  view.cyclic_components = from.cyclic_components();
  view.cyclic_objects = from.cyclic_objects();
  view.largest_component_objects = from.largest_component_objects();
  view.biconnected_components = from.biconnected_components();
  view.largest_biconnected = from.largest_biconnected();
  view.parts = from.parts();
  view.articulation_points = from.articulation_points();
  view.dominating_points = from.dominating_points();
  view.most_references = important_views(names, *from.most_references());
  view.most_referrers = important_views(names, *from.most_referrers());
  for (const auto* row : *from.cuts()) view.cuts.push_back(cut_view(names, *row));
  return view;
}

}  // namespace holdfast::cli
