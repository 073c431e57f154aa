// Time and memory of every pass on heap-like graphs, Lengauer-Tarjan beside it in the same run: the
// table in docs/decisions/082-pass-costs.md.
// HF_BENCH_OBJECTS=N measures one size only. CPU time, median of kRuns runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/class_figures.h"
#include "analysis/cuts/cut_findings.h"
#include "analysis/dominators.h"
#include "analysis/filtered_references.h"
#include "analysis/holders/class_holders.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/historical.h"
#include "analysis/lab/test_arena.h"
#include "analysis/mat_suspects.h"
#include "analysis/merged_paths.h"
#include "analysis/packages.h"
#include "analysis/reachability.h"
#include "analysis/reachable/reachable_findings.h"
#include "analysis/root_figures.h"
#include "analysis/root_paths.h"
#include "analysis/set_dominators.h"
#include "analysis/set_retained.h"
#include "analysis/strong_components.h"
#include "analysis/suspects.h"
#include "analysis/top_objects.h"
#include "analysis/tree_groups.h"
#include "analysis/upper_tree.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr int kRuns = 3;
constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);

struct Row {
  const char* pass;
  std::vector<double> ns_per_object;
  double bytes_per_object = 0;
};

class Bench {
 public:
  explicit Bench(const Snapshot& s) : snapshot_(s) {}

  template <class T, class Pass>
  T measure(const char* name, Pass pass) {
    Row& row = row_of(name);
    memory_.arena().take_peak_bytes();
    const std::size_t before = memory_.arena().used_bytes();
    const std::uint64_t began = platforms::thread_cpu_ns();
    Result<T> result = pass(memory_.arena());
    const double ns = static_cast<double>(platforms::thread_cpu_ns() - began);
    REQUIRE(result.ok());
    row.ns_per_object.push_back(ns / snapshot_.object_count());
    row.bytes_per_object =
        static_cast<double>(memory_.arena().take_peak_bytes() - before) / snapshot_.object_count();
    return *result;
  }

  void run_all() {
    const Arena::Mark mark = memory_.arena().mark();
    const auto references = measure<CountedReferences>("count references", [&](Arena& a) {
      return CountedReferences::make(snapshot_, a, cancel_);
    });
    const auto reached = measure<Reachability>(
        "reachability", [&](Arena& a) { return find_reachability(references, a, cancel_); });
    const auto d = measure<Dominators>("dominators + retained", [&](Arena& a) {
      return compute_dominators(references, kHolding, a, cancel_, &work_);
    });
    const auto classes = measure<std::span<const ClassFigures>>(
        "classes", [&](Arena& a) { return class_figures(snapshot_, d, a, cancel_); });
    measure<std::span<const SetFigures>>(
        "packages", [&](Arena& a) { return package_figures(snapshot_, d, classes, a, cancel_); });
    measure<GraphStatistics>("statistics",
                             [&](Arena& a) { return graph_statistics(snapshot_, d, a, cancel_); });
    measure<std::span<const TreeNodeResult>>("upper dominator tree", [&](Arena& a) {
      return upper_tree(snapshot_, d, TreeLimits{}, a, cancel_);
    });
    const auto top = measure<std::span<const ObjectId>>(
        "top objects", [&](Arena& a) { return top_objects(d, 50, a, cancel_); });
    measure<std::span<const RootPathResult>>(
        "root paths", [&](Arena& a) { return root_paths(references, reached, top, a); });
    measure<std::span<const SuspectResult>>("suspects", [&](Arena& a) {
      return find_suspects({references, reached, d, classes}, a, cancel_);
    });
    const auto holders = measure<HolderFindings>("holders", [&](Arena& a) {
      return find_holders({snapshot_, d, reached, kHolding, classes, {}}, {}, a, cancel_);
    });
    CHECK(holders.told);
    on_the_condensation(references, d, top);
    queries(references, reached, d);
    historical(references, d);
    memory_.arena().rewind(mark);
  }

  void print(const char* order) const {
    std::printf(
        "\n%u objects, %.2f references each, %s order, seed %llu; %.2f stored references an "
        "object, %.2f steps up\n",
        snapshot_.object_count(), per_object(snapshot_.reference_count()), order,
        static_cast<unsigned long long>(kSeed), per_object(work_.stored_references),
        per_object(work_.walk_steps));
    std::printf("| pass | ns/object | million objects/s | B/object |\n|---|---|---|---|\n");
    for (const Row& row : rows_) {
      std::vector<double> sorted = row.ns_per_object;
      std::sort(sorted.begin(), sorted.end());
      const double ns = sorted[sorted.size() / 2];
      std::printf("| %s | %.1f | %.1f | %.1f |\n", row.pass, ns, 1000 / ns, row.bytes_per_object);
    }
    std::printf("the set: %.0f %% of the objects\n", set_percent_);
    std::fflush(stdout);
  }

 private:
  void on_the_condensation(const CountedReferences& references, const Dominators& d,
                           std::span<const ObjectId> top) {
    const ArenaScope scope(memory_.arena());
    const ReachableQuestion question{snapshot_, d, top, {}};
    const auto room = ReachableRoom::make(question, memory_.arena());
    const auto cut_room = CutRoom::make({}, memory_.arena());
    REQUIRE(room.ok());
    REQUIRE(cut_room.ok());
    const auto c = measure<Condensation>("condensation", [&](Arena& a) {
      return condense(references, {kHolding, false}, a, cancel_);
    });
    const auto found = measure<ReachableFindings>("reachable sizes", [&](Arena& a) {
      return find_reachable(question, c, {}, *room, a, cancel_);
    });
    CHECK(found.estimated_objects == 0);
    measure<CutFindings>("cuts", [&](Arena& a) {
      return find_cuts(references, kHolding, d, c, *cut_room, a, cancel_);
    });
  }

  // What people ask about a set of objects; here all of one class, which a tenth of the objects and more are of.
  void queries(const CountedReferences& references, const Reachability& reached,
               const Dominators& d) {
    measure<StrongComponents>("strong components", [&](Arena& a) {
      return strong_components(references, {kHolding}, a, cancel_);
    });
    const auto set = measure<ObjectSet>("choose a set", [&](Arena& a) {
      return objects_of_class(snapshot_, most_common_class(), a, cancel_);
    });
    set_percent_ = 100 * per_object(set.objects);
    measure<ObjectSet>("retained set (exact)", [&](Arena& a) {
      return retained_set(references, kHolding, d, set, a, cancel_);
    });
    measure<std::span<const SetDominatorRow>>("dominators of the set", [&](Arena& a) {
      return set_dominators(snapshot_, d, set, {}, a, cancel_);
    });
    measure<MergedPaths>("merged paths to the set", [&](Arena& a) {
      return merged_paths(snapshot_, reached, set, {}, a, cancel_);
    });
    measure<TreeGroups>("dominator tree by class",
                        [&](Arena& a) { return tree_groups(snapshot_, d, {}, a, cancel_); });
    measure<std::span<const MatSuspect>>("suspects by MAT's rule", [&](Arena& a) {
      return mat_suspects(snapshot_, d, {}, a, cancel_);
    });
    const auto filtered = measure<FilteredReferences>("leave references out", [&](Arena& a) {
      return FilteredReferences::make(references, {strength_bit(Strength::kSoft), {}}, a, cancel_);
    });
    measure<Reachability>("reachability without them",
                          [&](Arena& a) { return find_reachability(filtered, a, cancel_); });
  }
  ClassId most_common_class() const {
    std::vector<std::uint32_t> objects(snapshot_.catalog.class_count());
    for (const ClassId c : snapshot_.class_of)
      if (c.valid()) ++objects[c.value];
    const auto most = std::max_element(objects.begin(), objects.end());
    return ClassId{static_cast<std::uint32_t>(most - objects.begin())};
  }
  void historical(const CountedReferences& references, const Dominators& d) {
    Row& row = row_of("(Lengauer-Tarjan simple + retained)");
    const std::uint64_t began = platforms::thread_cpu_ns();
    const lab::HistoricalDominators made = lab::lengauer_tarjan(references, kHolding);
    row.ns_per_object.push_back(static_cast<double>(platforms::thread_cpu_ns() - began) /
                                snapshot_.object_count());
    row.bytes_per_object = 44 + 4 * per_object(snapshot_.reference_count());
    CHECK(std::equal(made.idom.begin(), made.idom.end(), d.idom.begin()));
    CHECK(std::equal(made.retained_bytes.begin(), made.retained_bytes.end(),
                     d.retained_bytes.begin()));
  }
  double per_object(std::uint64_t figure) const {
    return static_cast<double>(figure) / snapshot_.object_count();
  }
  Row& row_of(const char* name) {
    for (Row& row : rows_)
      if (row.pass == name) return row;
    rows_.push_back({name, {}, 0});
    return rows_.back();
  }

  const Snapshot& snapshot_;
  lab::TestArena memory_{std::uint64_t{8} << 30};
  CancelToken cancel_;
  DominatorWork work_;
  double set_percent_ = 0;
  std::vector<Row> rows_;
};

void bench(std::uint32_t objects, lab::ObjectOrder order) {
  lab::LabGraph graph = lab::heap_like(objects, kSeed, order);
  const Snapshot s = graph.snapshot();
  Bench run(s);
  for (int i = 0; i < kRuns; ++i) run.run_all();
  run.print(order == lab::ObjectOrder::kCapture ? "capture" : "shuffled");
}

}  // namespace

TEST_CASE("bench: every pass") {
  const char* only = std::getenv("HF_BENCH_OBJECTS");
  std::vector<std::uint32_t> sizes = {1'000'000, 5'000'000, 10'000'000};
  if (only != nullptr) sizes = {static_cast<std::uint32_t>(std::strtoul(only, nullptr, 10))};
  for (const std::uint32_t objects : sizes) bench(objects, lab::ObjectOrder::kCapture);
  bench(sizes.back(), lab::ObjectOrder::kShuffled);
}
