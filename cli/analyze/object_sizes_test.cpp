#include "cli/analyze/object_sizes.h"

#include <doctest/doctest.h>

#include <array>

#include "analysis/dominators.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/server_like.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using namespace analysis;
using lab::LabGraph;

struct Sized {
  Result<ObjectSizes> found;
  std::uint64_t peak_bytes = 0;
};

Sized sized(const Snapshot& s, std::uint64_t wall_ns, std::uint64_t memory_bytes) {
  lab::TestArena dominated, memory(memory_bytes);
  const CancelToken cancel;
  const auto references = CountedReferences::make(s, dominated.arena(), cancel);
  REQUIRE(references.ok());
  const auto dominators = compute_dominators(*references, kStrongOnly, dominated.arena(), cancel);
  REQUIRE(dominators.ok());
  auto found = object_sizes(s, *dominators, kStrongOnly, wall_ns, memory.arena(), cancel);
  return {found, memory.peak_bytes()};
}

}  // namespace

TEST_CASE("object sizes: memory stays below what is stated, for exact sizes and estimates") {
  for (LabGraph& graph :
       std::array{lab::heap_like(100'000, 4, lab::ObjectOrder::kShuffled), lab::chain(100'000),
                  lab::binary_tree_with_backs(100'000), lab::complete(500), lab::ladder(50'000),
                  lab::graph_of(0, {}, {}), lab::graph_of(50'000, {}, {}),
                  lab::server_like(lab::table_5_2_rows().front(), 2)}) {
    const Snapshot s = graph.snapshot();
    INFO(s.object_count());
    for (const std::uint64_t wall_ns : {UINT64_MAX, std::uint64_t{0}}) {
      const auto [found, peak_bytes] = sized(s, wall_ns, std::uint64_t{1} << 31);
      REQUIRE(found.ok());
      CHECK(found->reachable.has_value());
      CHECK(peak_bytes <= found->bound_bytes);
      if (wall_ns != 0) CHECK(found->estimated_rows == 0);
    }
  }
}

TEST_CASE("object sizes: with less memory there are no reachable sizes, with none it is an error") {
  LabGraph graph = lab::heap_like(50'000, 4, lab::ObjectOrder::kCapture);
  const Snapshot s = graph.snapshot();
  std::uint32_t exact = 0, without = 0, refused = 0;
  for (std::uint64_t bytes = 16'000'000; bytes > 0; bytes -= 250'000) {
    const auto [found, peak_bytes] = sized(s, UINT64_MAX, bytes);
    CHECK(peak_bytes <= bytes);
    if (!found) {
      CHECK(found.error().code == ErrorCode::kOutOfBudget);
      ++refused;
      continue;
    }
    CHECK(refused == 0);
    const std::string reason = estimate_reason(found->reachable, UINT64_MAX);
    if (found->reachable && found->estimated_rows == 0) {
      CHECK(reason.empty());
      ++exact;
      continue;
    }
    CHECK(reason == "memory was short");
    if (found->reachable)
      CHECK(without == 0);
    else
      ++without;
  }
  CHECK(exact > 0);
  CHECK(without > 0);
  CHECK(refused > 0);
}

TEST_CASE("object sizes: why sizes are estimates") {
  std::optional<ReachableSizes> sizes = ReachableSizes{};
  sizes->reason = EstimateReason::kTime;
  CHECK(estimate_reason(sizes, 30'000'000'000) == "--reachable-limit 30.0 s was reached");
  CHECK(estimate_reason(sizes, 0) == "--reachable-limit 0 asks for that");
}
