// What counting who holds what takes, for each reference: the table in
// docs/decisions/084-class-holders.md. HF_BENCH_OBJECTS=N measures one size only.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/class_figures.h"
#include "analysis/holders/class_holders.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/reachability.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr int kRuns = 5;

void measure(std::uint32_t objects, lab::ObjectOrder order, const char* name) {
  lab::TestArena memory;
  Arena& arena = memory.arena();
  const CancelToken cancel;
  lab::LabGraph graph = lab::heap_like(objects, kSeed, order);
  const Snapshot s = graph.snapshot();
  const auto references = CountedReferences::make(s, arena, cancel);
  REQUIRE(references.ok());
  const auto reached = find_reachability(*references, arena, cancel);
  REQUIRE(reached.ok());
  const auto classes = class_counts(s, *reached, kStrongOnly, arena, cancel);
  REQUIRE(classes.ok());
  const Dominators none;
  std::vector<double> ns;
  std::size_t peak = 0;
  for (int run = 0; run < kRuns; ++run) {
    const ArenaScope scope(arena);
    arena.take_peak_bytes();
    const std::size_t before = arena.used_bytes();
    const std::uint64_t began = platforms::thread_cpu_ns();
    const auto found =
        find_holders({s, none, *reached, kStrongOnly, *classes, {}}, {}, arena, cancel);
    ns.push_back(static_cast<double>(platforms::thread_cpu_ns() - began));
    REQUIRE(found.ok());
    peak = arena.take_peak_bytes() - before;
  }
  std::sort(ns.begin(), ns.end());
  const double median = ns[ns.size() / 2];
  std::printf("| %.1f M, %s | %.1f M | %.1f | %.1f | %.0f KB |\n", s.object_count() / 1e6, name,
              static_cast<double>(s.reference_count()) / 1e6, median / s.object_count(),
              median / static_cast<double>(s.reference_count()), static_cast<double>(peak) / 1024);
  std::fflush(stdout);
}

}  // namespace

TEST_CASE("holders") {
  std::printf(
      "| objects | references | ns/object | ns/reference | memory |\n|---|---|---|---|---|\n");
  std::vector<std::uint32_t> sizes = {1'000'000, 5'000'000, 10'000'000};
  if (const char* only = std::getenv("HF_BENCH_OBJECTS"))
    sizes = {static_cast<std::uint32_t>(std::strtoul(only, nullptr, 10))};
  for (const std::uint32_t objects : sizes)
    for (const auto order : {lab::ObjectOrder::kCapture, lab::ObjectOrder::kShuffled})
      measure(objects, order, order == lab::ObjectOrder::kCapture ? "capture order" : "shuffled");
}
