#include "cli/analyze/statistics_query.h"

#include "analysis/reachable/size_differences.h"
#include "analysis/statistics/heap_statistics.h"
#include "cli/analyze/object_names.h"
#include "cli/analyze/object_sizes.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using namespace analysis;

constexpr std::monostate kNothing;

Cell cell(std::uint64_t number) { return number; }

void add_tree(Answer& answer, const std::string& what, const AverageAndMost& heap,
              const AverageAndMost& components) {
  answer.rows.push_back({{"maximum " + what, cell(heap.most), cell(components.most)}, 0});
  answer.rows.push_back({{"average " + what, heap.average, components.average}, 0});
}

void add_graph(Answer& answer, const std::string& what, const AverageAndMost& components) {
  answer.rows.push_back({{"maximum " + what, kNothing, cell(components.most)}, 0});
  answer.rows.push_back({{"average " + what, kNothing, components.average}, 0});
}

}  // namespace

Answer heap_figures(const QueryInput& input) {
  const CancelToken cancel;
  const auto references =
      need(CountedReferences::make(input.snapshot, input.arena, cancel), "references");
  const HeapStatistics s = need(heap_statistics(references, input.arena, cancel), "statistics");
  Answer answer{
      "statistics",
      "STATISTICS OF THE HEAP",
      "All objects, whether GC roots reach them or not; all references but those implied from "
      "objects to their class objects. Roots have no referrers, or are the lowest of a cycle that "
      "nothing else reaches. How often an algorithm used a point is no figure of the heap.",
      {{"statistic", "statistic", CellKind::kName},
       {"heap", "heap", CellKind::kCount},
       {"components", "components", CellKind::kCount}},
      {{{"nodes", cell(s.nodes), cell(s.components)}, 0},
       {{"classes", cell(s.classes), kNothing}, 0},
       {{"objects", cell(s.objects), kNothing}, 0},
       {{"references", s.references, s.component_references}, 0},
       {{"roots", cell(s.roots), cell(s.component_roots)}, 0},
       {{"leaves", cell(s.leaves), cell(s.component_leaves)}, 0},
       {{"non-trivial components", kNothing, cell(s.cyclic)}, 0},
       {{"maximum component size", kNothing, cell(s.largest)}, 0},
       {{"average component size", kNothing, s.average_cyclic}, 0},
       {{"articulation points", kNothing, cell(s.articulation_points)}, 0},
       {{"dominating articulation points", kNothing, cell(s.dominating_points)}, 0}}};
  add_tree(answer, "dominator tree width", s.tree_width, s.component_tree_width);
  add_tree(answer, "dominator tree height", s.tree_height, s.component_tree_height);
  add_graph(answer, "component graph width", s.component_width);
  add_graph(answer, "component graph height", s.component_height);
  return answer;
}

Answer size_difference_figures(const GraphQueries& queries, const QueryInput& input) {
  const CancelToken cancel;
  const auto references =
      need(CountedReferences::make(input.snapshot, input.arena, cancel), "references");
  const Condensation condensation =
      need(condense(references, {input.holding}, input.arena, cancel), "reachable sizes");
  const std::uint64_t wall_ns = queries.reachable_wall_ns;
  const ReachableSizes sizes = need(
      reachable_sizes(condensation, {.wall_ns = wall_ns}, input.arena, cancel), "reachable sizes");
  const SizeDifferences found =
      need(size_differences(input.findings.dominators, sizes, cancel), "reachable sizes");
  std::string remark = "Held objects by reachable minus retained size";
  if (found.estimated_objects != 0)
    remark += "; " + counted(found.estimated_objects, "reachable size") +
              (found.estimated_objects == 1 ? " is an estimate: " : " are estimates: ") +
              estimate_reason(sizes, wall_ns);
  Answer answer{
      "size_differences",
      "REACHABLE MINUS RETAINED SIZE",
      remark + ".",
      {{"difference", "difference", CellKind::kName}, {"objects", "objects", CellKind::kCount}},
      {}};
  for (std::size_t g = 0; g < kSizeDifferenceGroups; ++g)
    answer.rows.push_back({{std::string(kSizeDifferenceNames[g]), cell(found.objects[g])}, 0});
  return answer;
}

}  // namespace holdfast::cli
