#include "analysis/cuts/cut_findings.h"

#include <algorithm>

#include "analysis/cuts/dominating_points.h"

namespace holdfast::analysis {

namespace {

void count_components(const StrongComponents& components, CutFindings& found) noexcept {
  found.components = components.count;
  found.cyclic_components = components.cyclic;
  found.cyclic_objects = components.cyclic_objects;
  if (components.largest != ObjectId::kNoneValue)
    found.largest_component_objects = components.objects[components.largest];
}

Result<void> count_dominating(const Condensation& condensation, CutFindings& found, Arena& arena,
                              const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(dominators, dag_dominators(condensation, arena, cancel));
  HF_TRY(points, dominating_points(condensation, dominators, arena, cancel));
  found.dominating_points = points.count;
  return {};
}

template <class Row>
std::span<const Row> kept(std::span<const Row> rows, std::span<Row> room) noexcept {
  const std::size_t count = std::min(rows.size(), room.size());
  std::copy_n(rows.begin(), count, room.begin());
  return room.first(count);
}

}  // namespace

Result<CutRoom> CutRoom::make(const ImportantNodesLimits& limits, Arena& arena) noexcept {
  CutRoom room;
  HF_TRY(most_references, arena.make_filled<ImportantObject>(limits.objects, ImportantObject{}));
  HF_TRY(most_referrers, arena.make_filled<ImportantObject>(limits.objects, ImportantObject{}));
  HF_TRY(cuts, arena.make_filled<Cut>(limits.cuts, Cut{}));
  room.most_references = most_references;
  room.most_referrers = most_referrers;
  room.cuts = cuts;
  return room;
}

Result<CutFindings> find_cuts(const CountedReferences& references, StrengthSet holding,
                              const Dominators& dominators, const Condensation& condensation,
                              const CutRoom& room, Arena& arena,
                              const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  CutFindings found;
  count_components(condensation.components, found);
  HF_CHECK_OK(count_dominating(condensation, found, arena, cancel));
  HF_TRY(biconnected, biconnected_components(condensation, arena, cancel));
  found.biconnected_components = biconnected.components;
  found.largest_biconnected_nodes = biconnected.largest_nodes;
  found.parts = biconnected.parts;
  found.articulation_points = biconnected.articulation_points;
  ImportantNodesLimits limits;
  limits.objects = static_cast<std::uint32_t>(room.most_references.size());
  limits.cuts = static_cast<std::uint32_t>(room.cuts.size());
  HF_TRY(nodes, important_nodes({references, holding, dominators, &condensation, &biconnected},
                                limits, arena, cancel));
  found.important.most_references = kept(nodes.most_references, room.most_references);
  found.important.most_referrers = kept(nodes.most_referrers, room.most_referrers);
  found.important.cuts = kept(nodes.cuts, room.cuts);
  return found;
}

}  // namespace holdfast::analysis
