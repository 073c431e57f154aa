#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/reachable/lane_spread.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {
double s(std::uint64_t a) { return 1e-9 * static_cast<double>(platforms::thread_cpu_ns() - a); }

void measure(const char* name, lab::LabGraph& graph) {
  lab::TestArena memory{std::uint64_t{8} << 30};
  CancelToken cancel;
  Snapshot snap = graph.snapshot();
  auto refs = *CountedReferences::make(snap, memory.arena(), cancel);
  memory.arena().take_peak_bytes();
  const std::size_t before = memory.arena().used_bytes();
  auto t0 = platforms::thread_cpu_ns(), t = t0;
  auto c = *condense(refs, {kStrongOnly | strength_bit(Strength::kSoft)}, memory.arena(), cancel);
  const double condense_s = s(t);
  t = platforms::thread_cpu_ns();
  auto d = *dag_dominators(c, memory.arena(), cancel);
  const double dom_s = s(t);
  t = platforms::thread_cpu_ns();
  auto g = *make_sharing_graph(c, d, memory.arena(), cancel);
  const double graph_s = s(t);
  t = platforms::thread_cpu_ns();
  auto b = *make_shared_lanes(g, d, memory.arena(), cancel);
  const double bits_s = s(t);
  t = platforms::thread_cpu_ns();
  auto sums = *memory.arena().make_filled<std::uint64_t>(g.member_count(), 0);
  auto spread = *LaneSpread::make(g, b, 2 * g.member_count() + 100000, memory.arena());
  for (std::uint32_t f = 0; f < b.lane_count(); f += LaneSpread::kRoundLanes)
    REQUIRE(
        spread
            .run({f, std::min(LaneSpread::kRoundLanes, b.lane_count() - f), 0}, sums, ~0ull, cancel)
            .ok());
  const double spread_s = s(t);
  std::printf(
      "%s: %u objects %llu refs; %u nodes %zu refs | condense %.2f dom %.2f graph %.2f bits %.2f "
      "spread "
      "%.2f total %.2f s\n  members %u edges %zu shared %u bits %zu lanes %u visits %llu parts "
      "%llu most lines %u peak "
      "%.1f B/node\n",
      name, snap.object_count(), static_cast<unsigned long long>(snap.reference_count()), c.count(),
      c.target.size(), condense_s, dom_s, graph_s, bits_s, spread_s, s(t0), g.member_count(),
      g.referrer.size(), g.shared_count, b.bit_bytes.size(), b.lane_count(),
      static_cast<unsigned long long>(spread.visits()),
      static_cast<unsigned long long>(spread.parts()), spread.most_lines(),
      (static_cast<double>(memory.arena().take_peak_bytes() - before) -
       12.0 * snap.object_count()) /
          c.count());
  std::fflush(stdout);
}
}  // namespace

TEST_CASE("bench: reachable") {
  for (const auto& row : lab::table_5_2_rows()) {
    lab::LabGraph g = lab::server_like(row, 1);
    measure("server", g);
  }

  for (const std::uint32_t n : {1'000'000u, 10'000'000u}) {
    lab::LabGraph g = lab::heap_like(n, 20261121, lab::ObjectOrder::kCapture);
    measure("heap-like", g);
  }
  {
    std::vector<lab::LabEdge> edges;
    for (std::uint32_t v = 0; v < 10'001; ++v)
      for (std::uint32_t w = v + 1; w <= v + 100 && w < 10'001; ++w) edges.push_back({v, w});
    lab::LabGraph g = lab::graph_of(10'001, edges, {0});
    measure("dag 100", g);
  }
}
