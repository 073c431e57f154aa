#include "cli/analyze/object_sizes.h"

#include <algorithm>

#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using namespace analysis;

constexpr std::uint64_t kFewLinesBytes = std::uint64_t{1}
                                         << 20;  // what is there once, rounding too

std::uint64_t estimated_rows(const Dominators& dominators, const ReachableSizes& sizes) {
  std::uint64_t rows = 0;
  if (sizes.estimated.empty()) return rows;
  for (std::uint32_t v = 0; v < dominators.idom.size(); ++v)
    rows += dominators.idom[v] != ObjectId::kNoneValue && sizes.is_estimate(ObjectId{v}) ? 1 : 0;
  return rows;
}

}  // namespace

std::uint64_t reachable_bound_bytes(const Snapshot& snapshot, const Condensation& condensation,
                                    const ReachableSizes& sizes) {
  const std::uint64_t objects = snapshot.object_count(), nodes = condensation.count(),
                      references = condensation.target.size();
  const std::uint64_t condensing = 20 * objects + 20 * nodes + 4 * snapshot.reference_count();
  const std::uint64_t results = 4 * objects + 25 * nodes + 4 * references;
  const std::uint64_t exact = 33 * nodes + 8 * references +
                              161 * std::uint64_t{sizes.work.members} +
                              60 * std::uint64_t{sizes.work.shared};
  const std::uint64_t estimate = sizes.reason == EstimateReason::kNone ? 0 : 77 * nodes;
  return std::max(condensing, results + std::max(exact, estimate)) + kFewLinesBytes;
}

Result<ObjectSizes> object_sizes(const Snapshot& snapshot, const Dominators& dominators,
                                 std::uint32_t holding, std::uint64_t reachable_wall_ns,
                                 Arena& arena, const CancelToken& cancel) {
  ObjectSizes made;
  HF_TRY(references, CountedReferences::make(snapshot, arena, cancel));
  HF_TRY(components, strong_components(references, {holding}, arena, cancel));
  made.components = components.component;
  made.bound_bytes = strong_components_bytes(snapshot.object_count()) + kFewLinesBytes;
  const std::uint64_t components_bytes = 8 * std::uint64_t{snapshot.object_count()};
  const auto condensation = condense(references, {holding}, arena, cancel);
  if (!condensation) return made;
  const auto sizes = reachable_sizes(*condensation, {.wall_ns = reachable_wall_ns}, arena, cancel);
  if (!sizes) return made;
  made.reachable = *sizes;
  made.estimated_rows = estimated_rows(dominators, *sizes);
  made.bound_bytes = std::max(
      made.bound_bytes, components_bytes + reachable_bound_bytes(snapshot, *condensation, *sizes));
  return made;
}

std::string estimate_reason(const std::optional<ReachableSizes>& sizes,
                            std::uint64_t reachable_wall_ns) {
  if (!sizes || sizes->reason == EstimateReason::kMemory) return "memory was short";
  if (sizes->reason == EstimateReason::kNone) return "";
  return "--reachable-limit " + (reachable_wall_ns == 0
                                     ? "0 asks for that"
                                     : human_duration(reachable_wall_ns) + " was reached");
}

}  // namespace holdfast::cli
