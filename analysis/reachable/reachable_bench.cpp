// What exact reachable sizes cost, and what estimating them would: the table in
// docs/decisions/080-reachable-sizes.md. HF_BENCH_OBJECTS=N: only heaps of that size.
// CPU time of one core, median of kRuns runs; beside it [Thesis]'s fastest that ends,
// DomArticPointsDynamicSize, extrapolated from a sample of its
// sources, with its preparing algorithms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "analysis/lab/heap_like.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/lab/thesis/thesis_graphs.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "analysis/reachable/reachable_size.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr int kRuns = 3;
constexpr double kPeerSeconds = 2;
constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);

double timed(const std::function<void()>& run) {
  const std::uint64_t began = platforms::thread_cpu_ns();
  run();
  return 1e-9 * static_cast<double>(platforms::thread_cpu_ns() - began);
}

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

// Components, dominators and points, then a sample of the searches.
double peer_seconds(const Snapshot& s, const Condensation& ours, const ReachableSizes& sizes) {
  lab::ThesisGraphs g;
  std::vector<bool> points;
  double seconds = timed([&] {
    g = lab::thesis_graphs(s);
    points = lab::dominating_points(g.components, g.component_idom);
  });
  std::vector<std::uint64_t> known(g.components.count());
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    known[g.found.component[v]] = sizes.bytes[ours.components.component[v]];
  const auto order = lab::shuffled_order(g.components.count(), kSeed);
  double searched = 0;
  std::size_t done = 0;
  for (std::size_t batch = 64; done < order.size() && searched < kPeerSeconds; batch *= 2) {
    const std::vector<std::uint32_t> from(
        order.begin() + static_cast<std::ptrdiff_t>(done),
        order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), done + batch)));
    searched += timed([&] { lab::dynamic_sizes_by_points(g.components, points, from, known); });
    done += from.size();
  }
  return seconds + searched * static_cast<double>(order.size()) / static_cast<double>(done);
}

void measure(const char* name, LabGraph graph, bool with_peer) {
  const Snapshot s = graph.snapshot();
  lab::TestArena memory{std::uint64_t{12} << 30};
  Arena& arena = memory.arena();
  const CancelToken cancel;
  const auto references = CountedReferences::make(s, arena, cancel);
  REQUIRE(references.ok());
  std::vector<double> condense_s, exact_s, estimate_s;
  Condensation condensation;
  ReachableSizes sizes;
  std::size_t peak = 0;
  double peer = 0;
  for (int run = 0; run < kRuns; ++run) {
    ArenaScope scope(arena);
    const std::size_t before = arena.used_bytes();
    arena.take_peak_bytes();
    condense_s.push_back(
        timed([&] { condensation = *condense(*references, {kHolding}, arena, cancel); }));
    exact_s.push_back(timed([&] { sizes = *reachable_sizes(condensation, {}, arena, cancel); }));
    peak = arena.take_peak_bytes() - before;
    CHECK(sizes.reason == EstimateReason::kNone);
    if (with_peer && run == 0) peer = peer_seconds(s, condensation, sizes);
    estimate_s.push_back(timed([&] {
      REQUIRE(reachable_sizes(condensation, {0, 128}, arena, cancel).ok());
    }));
  }
  const double nodes = condensation.count(), objects = s.object_count();
  std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %s | %.2f | %u | %.0f |\n", name, nodes * 1e-6,
              median(condense_s), median(exact_s), median(condense_s) + median(exact_s),
              with_peer ? std::to_string(static_cast<int>(peer + 0.5)).c_str() : "",
              median(estimate_s), sizes.work.shared,
              (static_cast<double>(peak) - 12 * objects) / nodes);
  std::fflush(stdout);
}

LabGraph random_acyclic(std::uint32_t objects, std::uint32_t window) {
  lab::Random random(kSeed);
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v + 1 < objects; ++v)
    for (int i = 0; i < 2; ++i)
      edges.push_back({v, v + 1 + random.below(std::min(window, objects - 1 - v))});
  return lab::graph_of(objects, edges, {0});
}

LabGraph ring(std::uint32_t objects) {
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v < objects; ++v) edges.push_back({v, (v + 1) % objects});
  return lab::graph_of(objects, edges, {0});
}

LabGraph grid(std::uint32_t side) {
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t row = 0; row < side; ++row)
    for (std::uint32_t column = 0; column < side; ++column) {
      const std::uint32_t v = row * side + column;
      if (column + 1 < side) edges.push_back({v, v + 1});
      if (row + 1 < side) edges.push_back({v, v + side});
    }
  return lab::graph_of(side * side, edges, {0});
}

}  // namespace

TEST_CASE("bench: reachable sizes") {
  std::printf(
      "| graph | nodes, M | components, s | exact sizes, s | together, s | the thesis', s | "
      "estimated (k = 128), s | shared | B a node + 12 an object |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  const char* only = std::getenv("HF_BENCH_OBJECTS");
  std::vector<std::uint32_t> heaps = {1'000'000, 5'000'000, 10'000'000};
  if (only != nullptr) heaps = {static_cast<std::uint32_t>(std::strtoul(only, nullptr, 10))};
  for (const std::uint32_t objects : heaps) {
    const std::string name = std::to_string(objects / 1'000'000) + " M objects, heap-like";
    measure(name.c_str(), lab::heap_like(objects, kSeed, lab::ObjectOrder::kCapture), true);
  }
  if (only != nullptr) return;
  measure("10 M objects, shuffled", lab::heap_like(10'000'000, kSeed, lab::ObjectOrder::kShuffled),
          false);
  measure("server, 1,780,673 nodes", lab::server_like(lab::table_5_2_rows().back(), 1), true);
  measure("DAG 1, 10,001 nodes", lab::dag1(10'000), true);
  measure("DAG 2, 10,001 nodes", lab::dag2(10'000), true);
  measure("DAG, 10,001 nodes, 100 references each", lab::dense_dag(10'000, 100), true);
}

TEST_CASE("bench: reachable sizes of graphs that no heap is") {
  if (std::getenv("HF_BENCH_OBJECTS") != nullptr) return;
  measure("chain of 10 M objects", lab::chain(10'000'000), false);
  measure("one component of 10 M objects", ring(10'000'000), false);
  measure("complete DAG, 3,000 nodes", lab::dense_dag(3000, 3000), false);
  measure("grid, 1 M nodes", grid(1000), false);
  measure("random DAG, 1 M nodes", random_acyclic(1'000'000, 1'000'000), false);
  measure("random DAG, 1 M nodes, within 1,000", random_acyclic(1'000'000, 1000), false);
}
