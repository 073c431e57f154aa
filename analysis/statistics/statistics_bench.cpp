// Time and memory of what --statistics and --reachable-of compute, on heap-like graphs and on graphs like [Thesis]'s largest heap.
// HF_BENCH_OBJECTS=N measures one size only. CPU time, median of kRuns runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/reachable/set_reach.h"
#include "analysis/statistics/heap_statistics.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr std::size_t kRuns = 3;

template <class Pass>
void measure(const char* name, const Snapshot& s, Arena& arena, Pass pass) {
  std::array<double, kRuns> ns{};
  double bytes = 0;
  for (double& one : ns) {
    const ArenaScope scratch(arena);
    arena.take_peak_bytes();
    const std::size_t before = arena.used_bytes();
    const std::uint64_t began = platforms::thread_cpu_ns();
    REQUIRE(pass().ok());
    one = static_cast<double>(platforms::thread_cpu_ns() - began) / s.object_count();
    bytes = static_cast<double>(arena.take_peak_bytes() - before);
  }
  std::ranges::sort(ns);
  std::printf("| %s | %.1f | %.1f |\n", name, ns[kRuns / 2], bytes / s.object_count());
  std::fflush(stdout);
}

void run(const char* name, lab::LabGraph graph) {
  const Snapshot s = graph.snapshot();
  lab::TestArena memory;
  Arena& arena = memory.arena();
  const CancelToken cancel;
  std::printf("\n%s, %u objects, seed %llu\n| pass | ns/object | B/object |\n|---|---|---|\n", name,
              s.object_count(), static_cast<unsigned long long>(kSeed));
  const auto references = CountedReferences::make(s, arena, cancel);
  REQUIRE(references.ok());
  auto roots = ObjectSet::make(s, arena);
  REQUIRE(roots.ok());
  for (const RootRecord& root : s.roots) roots->insert(s, root.object.value);
  measure("heap statistics", s, arena, [&] { return heap_statistics(*references, arena, cancel); });
  measure("reach of all GC roots", s, arena,
          [&] { return set_reach(*references, kStrongOnly, *roots, arena, cancel); });
}

}  // namespace

TEST_CASE("statistics and reach of heap-like graphs") {
  if (const char* one = std::getenv("HF_BENCH_OBJECTS"))
    return run("capture order",
               lab::heap_like(static_cast<std::uint32_t>(std::strtoul(one, nullptr, 10)), kSeed,
                              lab::ObjectOrder::kCapture));
  run("like the thesis' largest heap", lab::server_like(lab::table_5_2_rows().back(), kSeed));
  for (const std::uint32_t objects : {1'000'000u, 10'000'000u})
    run("capture order", lab::heap_like(objects, kSeed, lab::ObjectOrder::kCapture));
  run("shuffled", lab::heap_like(10'000'000, kSeed, lab::ObjectOrder::kShuffled));
}
