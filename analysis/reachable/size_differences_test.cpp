#include "analysis/reachable/size_differences.h"

#include <doctest/doctest.h>

#include <numeric>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/shapes.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("size differences: groups begin at their limits") {
  CHECK(size_difference_group(100, 100) == 0);
  CHECK(size_difference_group(100, 5000) == 0);
  for (std::size_t g = 0; g + 1 < kSizeDifferenceGroups; ++g) {
    CHECK(size_difference_group(kDifferenceLimits[g] + 7, 8) == g);
    CHECK(size_difference_group(kDifferenceLimits[g] + 8, 8) == g + 1);
  }
  CHECK(size_difference_group(UINT64_MAX, 0) == kSizeDifferenceGroups - 1);
}

TEST_CASE("size differences: every held object is in one group") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    lab::LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    for (std::uint32_t& units : graph.shallow_units) units *= 40;
    const Snapshot s = graph.snapshot();
    const lab::AnalysedHeap heap(s);
    const auto condensation =
        heap.or_abort(condense(heap.references, {}, heap.arena(), heap.cancel));
    const auto sizes = heap.or_abort(reachable_sizes(condensation, {}, heap.arena(), heap.cancel));
    const auto found = heap.or_abort(size_differences(heap.dominators, sizes, heap.cancel));
    CHECK(std::accumulate(found.objects.begin(), found.objects.end(), std::uint64_t{0}) ==
          heap.dominators.held_objects);
    CHECK(found.estimated_objects == 0);
    std::uint64_t near = 0;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      near += heap.dominators.idom[v] != ObjectId::kNoneValue &&
                      sizes.of(ObjectId{v}) < heap.dominators.retained_bytes[v] + 1024
                  ? 1
                  : 0;
    CHECK(found.objects[0] == near);
  }
}

TEST_CASE("size differences: cancelled, it is an error") {
  lab::LabGraph graph = lab::chain(10);
  const Snapshot s = graph.snapshot();
  const lab::AnalysedHeap heap(s);
  const auto condensation = heap.or_abort(condense(heap.references, {}, heap.arena(), heap.cancel));
  const auto sizes = heap.or_abort(reachable_sizes(condensation, {}, heap.arena(), heap.cancel));
  CancelToken cancelled;
  cancelled.cancel();
  CHECK_FALSE(size_differences(heap.dominators, sizes, cancelled).ok());
}
