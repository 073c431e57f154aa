// Time and memory of HeapRoots' view on heap-like graphs, another depth-first search over all objects (strong components) beside it
// in the same run. HF_BENCH_OBJECTS=N measures one size only. CPU time, median of kRuns runs.
#include "analysis/heap_roots/ownership.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "analysis/heap_roots/keeping_alive.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/strong_components.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr std::size_t kRuns = 3;

class Bench {
 public:
  explicit Bench(const Snapshot& s) : snapshot_(s) {}

  template <class Pass>
  void measure(const char* name, Pass pass) {
    std::array<double, kRuns> ns{};
    double bytes = 0;
    for (double& one : ns) {
      const ArenaScope scratch(memory_.arena());
      memory_.arena().take_peak_bytes();
      const std::size_t before = memory_.arena().used_bytes();
      const std::uint64_t began = platforms::thread_cpu_ns();
      REQUIRE(pass(memory_.arena()).ok());
      one = static_cast<double>(platforms::thread_cpu_ns() - began) / snapshot_.object_count();
      bytes = static_cast<double>(memory_.arena().take_peak_bytes() - before);
    }
    std::ranges::sort(ns);
    std::printf("| %s | %.1f | %.1f |\n", name, ns[kRuns / 2], bytes / snapshot_.object_count());
    std::fflush(stdout);
  }

  void run(const char* order) {
    std::printf(
        "\n%u objects, %s order, seed %llu\n| pass | ns/object | B/object |\n|---|---|---|\n",
        snapshot_.object_count(), order, static_cast<unsigned long long>(kSeed));
    auto made = CountedReferences::make(snapshot_, memory_.arena(), cancel_);
    REQUIRE(made.ok());
    const CountedReferences& references = *made;
    const LinkScope scope;
    std::uint32_t largest = 0;
    measure("ownership", [&](Arena& a) {
      auto found = find_ownership(references, scope, a, cancel_);
      if (found)
        largest = *std::ranges::max_element(found->roots, {}, [&](std::uint32_t root) {
          return found->objects[root].subtree_bytes;
        });
      return found;
    });
    measure("keeping alive, of the largest root", [&](Arena& a) {
      return find_keeping_alive(references, scope, ObjectId{largest}, a, cancel_);
    });
    measure("(strong components)", [&](Arena& a) {
      return strong_components(references, {kStrongOnly, false, true}, a, cancel_);
    });
  }

 private:
  const Snapshot& snapshot_;
  lab::TestArena memory_;
  CancelToken cancel_;
};

void run(std::uint32_t objects, lab::ObjectOrder order) {
  lab::LabGraph graph = lab::heap_like(objects, kSeed, order);
  const Snapshot snapshot = graph.snapshot();
  Bench(snapshot).run(order == lab::ObjectOrder::kShuffled ? "shuffled" : "capture");
}

}  // namespace

TEST_CASE("HeapRoots' view of heap-like graphs") {
  if (const char* one = std::getenv("HF_BENCH_OBJECTS"))
    return run(static_cast<std::uint32_t>(std::strtoul(one, nullptr, 10)),
               lab::ObjectOrder::kCapture);
  run(1'000'000, lab::ObjectOrder::kCapture);
  run(10'000'000, lab::ObjectOrder::kCapture);
  run(10'000'000, lab::ObjectOrder::kShuffled);
}
