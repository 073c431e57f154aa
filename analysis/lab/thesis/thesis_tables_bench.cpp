// Tables A.1, A.3 and A.5 to A.8 of [Thesis]: its algorithms and ours, side by side on the same graphs, CPU time.
// What takes longer than kCellSeconds is run from a random sample of nodes and extrapolated, marked "~"; "-" is out of memory, as there.
// Every size that an algorithm finds is compared with ours. HF_BENCH_ROWS=N takes only the first N rows of each table.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "analysis/cuts/biconnected.h"
#include "analysis/cuts/dominating_points.h"
#include "analysis/dominators.h"
#include "analysis/lab/random.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/bfs_dynamic_sizes.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/roots_and_leaves.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/lab/thesis/simple_load.h"
#include "analysis/lab/thesis/tarjan_components.h"
#include "analysis/lab/thesis/thesis_graphs.h"
#include "analysis/reachable/reachable_size.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;
using lab::NaiveGraph;

namespace {

constexpr double kCellSeconds = 0.5;
constexpr std::uint64_t kSetBytes = std::uint64_t{2}
                                    << 30;  // of BFSDynamicSize; that of [Thesis] had 3 GB
constexpr std::uint64_t kSeed = 20261124;

struct Cell {
  const char* algorithm;
  double seconds = 0;
  bool extrapolated = false;
  bool out_of_memory = false;
};

double timed(const std::function<void()>& run) {
  const std::uint64_t began = platforms::thread_cpu_ns();
  run();
  return 1e-9 * static_cast<double>(platforms::thread_cpu_ns() - began);
}

// The passes as the product has them.
struct Ours {
  explicit Ours(const Snapshot& s) : snapshot(s) {
    auto& arena = memory.arena();
    auto references = CountedReferences::make(s, arena, cancel);
    REQUIRE(references.ok());
    add("ours: dominators, retained sizes",
        [&] { REQUIRE(compute_dominators(*references, kStrongOnly, arena, cancel).ok()); });
    add("ours: components, their graph",
        [&] { take(condense(*references, {}, arena, cancel), condensation); });
    DagDominators dominators;
    add("ours: dominators of components",
        [&] { take(dag_dominators(condensation, arena, cancel), dominators); });
    add("ours: articulation points",
        [&] { REQUIRE(biconnected_components(condensation, arena, cancel).ok()); });
    add("ours: dominating points",
        [&] { REQUIRE(dominating_points(condensation, dominators, arena, cancel).ok()); });
    add("ours: reachable sizes",
        [&] { take(reachable_sizes(condensation, {}, arena, cancel), sizes); });
    CHECK(sizes.reason == EstimateReason::kNone);
  }
  template <class T>
  static void take(Result<T> result, T& to) {
    REQUIRE(result.ok());
    to = *result;
  }
  void add(const char* name, const std::function<void()>& run) {
    cells.push_back({name, timed(run), false, false});
  }

  const Snapshot& snapshot;
  lab::TestArena memory{std::uint64_t{2} << 30};
  CancelToken cancel;
  Condensation condensation;
  ReachableSizes sizes;
  std::vector<Cell> cells;
};

// [Thesis]'s algorithms, each with what it builds on already there, as in the tables.
class Thesis {
 public:
  Thesis(const Snapshot& s, const Ours& ours) : ours_(ours) {
    nodes_ = lab::node_graph(s);
    structure();
    sizes();
  }
  std::vector<Cell> cells;

 private:
  using Sources = std::vector<std::uint32_t>;
  using Search = std::function<lab::DynamicSizes(const Sources&)>;

  void add(const char* name, const std::function<void()>& run) {
    cells.push_back({name, timed(run), false, false});
  }

  void structure() {
    add("GCRootsAndLeaves", [&] { roots_ = lab::find_roots_and_leaves(nodes_).roots; });
    add("SimpleDominator",
        [&] { idom_ = lab::dominators_of(nodes_, roots_, lab::LinkEval::kSimple); });
    add("SophisticatedDominator",
        [&] { CHECK(lab::dominators_of(nodes_, roots_, lab::LinkEval::kSophisticated) == idom_); });
    add("StrongConnectedComponents", [&] {
      found_ = lab::tarjan_components(nodes_);
      components_ = lab::component_graph(nodes_, found_.component, found_.count);
    });
    CHECK(found_.count == ours_.condensation.count());
    add("SCCGCRootsAndLeaves",
        [&] { component_roots_ = lab::find_roots_and_leaves(components_).roots; });
    add("ArticulationPoints", [&] { blocks_ = lab::articulation_points(components_); });
    add("SCCDominatorTree", [&] {
      component_idom_ = lab::dominators_of(components_, component_roots_, lab::LinkEval::kSimple);
    });
    add("DomArticulationPoints",
        [&] { dominating_ = lab::dominating_points(components_, component_idom_); });
    add("GCSize", [&] { lab::gc_sizes(nodes_, idom_); });
  }

  void sizes() {
    known_.assign(components_.count(), 0);
    for (std::uint32_t v = 0; v < nodes_.count(); ++v)
      known_[found_.component[v]] = ours_.sizes.of(ObjectId{v});
    std::vector<std::uint64_t> of_nodes;
    for (std::uint32_t v = 0; v < nodes_.count(); ++v)
      of_nodes.push_back(known_[found_.component[v]]);

    lab::BfsDynamicSizes all;
    Cell cell{"BFSDynamicSize",
              timed([&] { all = lab::bfs_dynamic_sizes(components_, kSetBytes); }), false, false};
    cell.out_of_memory = all.out_of_memory;
    if (!all.out_of_memory) CHECK(all.bytes == known_);
    cells.push_back(cell);
    search("SimpleCompDynamicSize", known_,
           [&](const Sources& from) { return lab::simple_dynamic_sizes(components_, from); });
    search("DomArticPointsDynamicSize", known_, [&](const Sources& from) {
      return lab::dynamic_sizes_by_points(components_, dominating_, from, known_);
    });
    search("SimpleObjectsDynamicSize", of_nodes,
           [&](const Sources& from) { return lab::simple_dynamic_sizes(nodes_, from); });
    // These two count some nodes twice (dynamic_sizes.h), so their sizes are not compared.
    search("ArticPointsDynamicSize1", {}, [&](const Sources& from) {
      return lab::dynamic_sizes_by_distant_points(components_, blocks_, lab::DistantFrom::kAnyNode,
                                                  from, known_);
    });
    search("ArticPointsDynamicSize2", {}, [&](const Sources& from) {
      return lab::dynamic_sizes_by_points(
          components_, lab::points_above_one_block(components_, blocks_), from, known_);
    });
  }

  // Batches of sources until the time is up or all are through; each batch begins with what the algorithm sets up once.
  void search(const char* name, const std::vector<std::uint64_t>& expected, const Search& run) {
    const std::uint32_t count =
        std::string(name) == "SimpleObjectsDynamicSize" ? nodes_.count() : components_.count();
    Sources order = lab::shuffled_order(count, kSeed);
    const double once = timed([&] { run({}); });
    double seconds = 0;
    std::size_t done = 0;
    for (std::size_t batch = 64; done < count && seconds < kCellSeconds; batch *= 2) {
      const std::size_t end = std::min<std::size_t>(count, done + batch);
      const Sources from(order.begin() + static_cast<std::ptrdiff_t>(done),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
      lab::DynamicSizes found;
      seconds += std::max(0.0, timed([&] { found = run(from); }) - once);
      for (std::size_t i = 0; i < from.size() && !expected.empty(); ++i)
        REQUIRE(found.bytes[i] == expected[from[i]]);
      done = end;
    }
    cells.push_back(
        {name, once + seconds * count / static_cast<double>(done), done < count, false});
  }

  const Ours& ours_;
  NaiveGraph nodes_, components_;
  Sources roots_, component_roots_;
  std::vector<std::uint32_t> idom_, component_idom_;
  lab::TarjanComponents found_;
  lab::ArticulationPoints blocks_;
  std::vector<bool> dominating_;
  std::vector<std::uint64_t> known_;
};

std::string text_of(const Cell& cell) {
  if (cell.out_of_memory) return "-";
  const bool micro = cell.seconds < 1e-3, milli = !micro && cell.seconds < 1;
  char text[32];
  std::snprintf(text, sizeof text, "%s%.3g %s", cell.extrapolated ? "~" : "",
                cell.seconds * (micro   ? 1e6
                                : milli ? 1e3
                                        : 1),
                micro   ? "µs"
                : milli ? "ms"
                        : "s");
  return text;
}

class Table {
 public:
  explicit Table(const char* title) : title_(title) {
    const char* most = std::getenv("HF_BENCH_ROWS");
    if (most != nullptr) left_ = std::strtoul(most, nullptr, 10);
  }
  void add(LabGraph graph) {
    if (left_ == 0) return;
    --left_;
    const Snapshot s = graph.snapshot();
    const Ours ours(s);
    Thesis thesis(s, ours);
    head_.push_back(std::to_string(s.object_count()));
    thesis.cells.insert(thesis.cells.end(), ours.cells.begin(), ours.cells.end());
    columns_.push_back(std::move(thesis.cells));
    std::fprintf(stderr, "%s: %s nodes\n", title_, head_.back().c_str());
  }
  ~Table() {
    std::printf("\n%s\n\n| nodes |", title_);
    for (const std::string& nodes : head_) std::printf(" %s |", nodes.c_str());
    std::printf("\n|---|");
    for (std::size_t i = 0; i < head_.size(); ++i) std::printf("---|");
    for (std::size_t row = 0; row < columns_.front().size(); ++row) {
      std::printf("\n| %s |", columns_.front()[row].algorithm);
      for (const auto& column : columns_) std::printf(" %s |", text_of(column[row]).c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  const char* title_;
  std::size_t left_ = SIZE_MAX;
  std::vector<std::string> head_;
  std::vector<std::vector<Cell>> columns_;
};

void series(const char* title, LabGraph (*make)(std::uint32_t)) {
  Table table(title);
  for (std::uint32_t objects = lab::kThesisSmallest; objects <= lab::kThesisLargest;
       objects += lab::kThesisStep)
    table.add(make(objects));
}

}  // namespace

TEST_CASE("thesis: table A.1, the server's heaps") {
  Table table("Table A.1: dynaTrace server (graphs of its statistics)");
  for (const lab::ServerShape& shape : lab::table_5_2_rows()) table.add(lab::server_like(shape, 1));
}

TEST_CASE("thesis: table A.3, the simple load generator's heaps") {
  Table table("Table A.3: Simple Load Generator");
  for (const lab::SimpleLoadShape& shape : lab::table_5_1_rows())
    table.add(lab::simple_load(shape, 1));
}

TEST_CASE("thesis: tables A.5 to A.8, generated heaps") {
  series("Table A.5: balanced tree", lab::balanced_tree);
  series("Table A.6: unbalanced tree", lab::unbalanced_tree);
  series("Table A.7: DAG 1", lab::dag1);
  series("Table A.8: DAG 2", lab::dag2);
}
