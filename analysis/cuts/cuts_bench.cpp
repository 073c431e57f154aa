// Time and memory of the components and cuts on heap-like graphs: the table in
// docs/decisions/085-components-and-cuts.md.
// HF_BENCH_OBJECTS=N measures one size only. CPU time, median of kRuns runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/cuts/biconnected.h"
#include "analysis/cuts/dominating_points.h"
#include "analysis/cuts/important_nodes.h"
#include "analysis/dominators.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/articulation_points.h"
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
  explicit Bench(const Snapshot& s)
      : snapshot_(s), references_(value_of(CountedReferences::make(s, memory_.arena(), cancel_))) {
    dominators_ = value_of(compute_dominators(references_, kHolding, memory_.arena(), cancel_));
  }

  void run_all() {
    const Arena::Mark mark = memory_.arena().mark();
    const auto c = measure<Condensation>("condense", [&](Arena& a) {
      return condense(references_, {kHolding, false}, a, cancel_);
    });
    const auto d = measure<DagDominators>("dag dominators",
                                          [&](Arena& a) { return dag_dominators(c, a, cancel_); });
    const auto b = measure<BiconnectedComponents>(
        "biconnected", [&](Arena& a) { return biconnected_components(c, a, cancel_); });
    const auto p = measure<DominatingPoints>(
        "dominating points", [&](Arena& a) { return dominating_points(c, d, a, cancel_); });
    measure<ImportantNodes>("important nodes", [&](Arena& a) {
      return important_nodes({references_, kHolding, dominators_, &c, &b}, {}, a, cancel_);
    });
    std::snprintf(facts_, sizeof facts_,
                  "%u nodes, %zu references, %u sources, %u articulation points, %u biconnected "
                  "components, the largest of %u nodes, %u parts, %u dominating, depth %u",
                  c.count(), c.target.size(), c.sources, b.articulation_points, b.components,
                  b.largest_nodes, b.parts, p.count, d.depth);
    historical(c, b);
    memory_.arena().rewind(mark);
  }

  void print(const char* order) const {
    std::printf("\n%u objects, %.2f references each, %s order, seed %llu\n%s\n",
                snapshot_.object_count(),
                static_cast<double>(snapshot_.reference_count()) / snapshot_.object_count(), order,
                static_cast<unsigned long long>(kSeed), facts_);
    std::printf("| pass | ns/object | B/object |\n|---|---|---|\n");
    double total = 0;
    for (const Row& row : rows_) {
      std::vector<double> sorted = row.ns_per_object;
      std::sort(sorted.begin(), sorted.end());
      const double ns = sorted[sorted.size() / 2];
      total += ns;
      std::printf("| %s | %.1f | %.1f |\n", row.pass, ns, row.bytes_per_object);
    }
    std::printf("| together | %.1f | |\n", total);
    std::printf("| (Tarjan's articulation points, as the thesis has them) | %.1f | |\n",
                historical_ns_per_object_);
    std::fflush(stdout);
  }

 private:
  template <class T>
  static T value_of(Result<T> result) {
    REQUIRE(result.ok());
    return *result;
  }
  template <class T, class Pass>
  T measure(const char* name, Pass pass) {
    Row& row = row_of(name);
    memory_.arena().take_peak_bytes();
    const std::size_t before = memory_.arena().used_bytes();
    const std::uint64_t began = platforms::thread_cpu_ns();
    Result<T> result = pass(memory_.arena());
    const double ns = static_cast<double>(platforms::thread_cpu_ns() - began);
    row.ns_per_object.push_back(ns / snapshot_.object_count());
    row.bytes_per_object =
        static_cast<double>(memory_.arena().take_peak_bytes() - before) / snapshot_.object_count();
    return value_of(std::move(result));
  }
  // The rows are given; what it costs to turn them round and to sort double ones out is in.
  void historical(const Condensation& c, const BiconnectedComponents& found) {
    const lab::NaiveGraph graph = lab::graph_of_rows({c.first_ref.begin(), c.first_ref.end()},
                                                     {c.target.begin(), c.target.end()},
                                                     std::vector<std::uint64_t>(c.count()));
    const std::uint64_t began = platforms::thread_cpu_ns();
    const lab::ArticulationPoints points = lab::articulation_points(graph);
    historical_ns_per_object_ =
        static_cast<double>(platforms::thread_cpu_ns() - began) / snapshot_.object_count();
    CHECK(points.blocks == found.components);
    std::uint32_t different = 0;
    for (std::uint32_t v = 0; v < c.count(); ++v)
      different += points.is_point(v) == found.is_articulation(v) ? 0 : 1;
    CHECK(different == 0);
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
  CountedReferences references_;
  Dominators dominators_;
  char facts_[320] = "";
  std::vector<Row> rows_;
  double historical_ns_per_object_ = 0;
};

void bench(std::uint32_t objects, lab::ObjectOrder order) {
  lab::LabGraph graph = lab::heap_like(objects, kSeed, order);
  const Snapshot s = graph.snapshot();
  Bench run(s);
  for (int i = 0; i < kRuns; ++i) run.run_all();
  run.print(order == lab::ObjectOrder::kCapture ? "capture" : "shuffled");
}

}  // namespace

TEST_CASE("bench: components and cuts") {
  const char* only = std::getenv("HF_BENCH_OBJECTS");
  std::vector<std::uint32_t> sizes = {1'000'000, 5'000'000, 10'000'000};
  if (only != nullptr) sizes = {static_cast<std::uint32_t>(std::strtoul(only, nullptr, 10))};
  for (const std::uint32_t objects : sizes) bench(objects, lab::ObjectOrder::kCapture);
  bench(sizes.back(), lab::ObjectOrder::kShuffled);
}
