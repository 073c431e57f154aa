#include "analysis/lab/delta/pass_defects.h"

#include <algorithm>

#include "analysis/class_figures.h"
#include "analysis/cuts/biconnected.h"
#include "analysis/cuts/dominating_points.h"
#include "analysis/cuts/important_nodes.h"
#include "analysis/dominators.h"
#include "analysis/heap_roots/ownership.h"
#include "analysis/lab/historical.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/reachable_check.h"
#include "analysis/lab/removal_check.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "analysis/packages.h"
#include "analysis/reachability.h"
#include "analysis/reachable/reachable_size.h"
#include "analysis/root_figures.h"
#include "analysis/root_paths.h"
#include "analysis/statistics/heap_statistics.h"
#include "analysis/suspects.h"
#include "analysis/top_objects.h"
#include "analysis/upper_tree.h"

namespace holdfast::analysis::lab {

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);
constexpr StrengthSet kEveryStrength = (1u << kStrengthCount) - 1;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;  // 40 million objects and more
constexpr std::uint64_t kRemovals = 256;
constexpr std::uint64_t kSearches = 256;
constexpr std::uint32_t kTopObjects = 100;

// One run of passes on a graph. ok: none has answered an error.
class Run {
 public:
  explicit Run(LabGraph& graph)
      : memory(kMemoryBytes), arena(memory.arena()), snapshot(graph.snapshot()) {
    take(CountedReferences::make(snapshot, arena, cancel), references);
  }
  template <class T>
  void take(Result<T> result, T& out) {
    ok = ok && result.ok();
    if (result) out = *result;
  }
  void dominate() { take(compute_dominators(references, kHolding, arena, cancel), dominators); }
  void reach() { take(find_reachability(references, arena, cancel), reachability); }
  void condense() { take(analysis::condense(references, {kHolding}, arena, cancel), condensation); }
  void dominate_nodes() {
    condense();
    if (ok) take(dag_dominators(condensation, arena, cancel), node_dominators);
  }
  void sum_classes() {
    dominate();
    if (ok) take(class_figures(snapshot, dominators, arena, cancel), classes);
  }

  TestArena memory;
  Arena& arena;
  CancelToken cancel;
  Snapshot snapshot;
  CountedReferences references;
  Dominators dominators;
  Reachability reachability;
  std::span<const ClassFigures> classes;
  Condensation condensation;
  DagDominators node_dominators;
  bool ok = true;
};

bool dominators_differ(LabGraph& graph) {
  Run run(graph);
  run.dominate();
  if (!run.ok) return true;
  const HistoricalDominators other = lengauer_tarjan(run.references, kHolding);
  return !std::equal(other.idom.begin(), other.idom.end(), run.dominators.idom.begin()) ||
         !std::equal(other.retained_bytes.begin(), other.retained_bytes.end(),
                     run.dominators.retained_bytes.begin());
}

bool removal_differs(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  const auto check = check_retained(s, kHolding, kRemovals, 1);
  return !check || !check->wrong.empty();
}

bool strengths_differ(LabGraph& graph) {
  Run run(graph);
  run.reach();
  if (!run.ok) return true;
  const NaiveReachability other = naive_reachability(run.snapshot);
  return !std::equal(other.strength.begin(), other.strength.end(),
                     run.reachability.strength.begin());
}

// The same parts, whatever their numbers.
bool components_differ(LabGraph& graph) {
  Run run(graph);
  const ComponentScope scope{kEveryStrength, false, true};
  StrongComponents ours;
  if (run.ok) run.take(strong_components(run.references, scope, run.arena, run.cancel), ours);
  if (!run.ok) return true;
  const TarjanComponents other = tarjan_components(node_graph(run.snapshot));
  if (ours.count != other.count) return true;
  std::vector<std::uint32_t> our_name(other.count, ObjectId::kNoneValue);
  for (std::uint32_t v = 0; v < run.snapshot.object_count(); ++v) {
    std::uint32_t& name = our_name[other.component[v]];
    if (name == ObjectId::kNoneValue) name = ours.component[v];
    if (name != ours.component[v]) return true;
  }
  return false;
}

bool reachable_differs(LabGraph& graph) {
  TestArena memory(kMemoryBytes);
  const auto check = check_reachable(graph.snapshot(), kHolding, {}, kSearches, 1, memory.arena());
  return !check || !check->wrong.empty() || check->estimates != 0;
}

NaiveGraph nodes_of(const Condensation& c) {
  return graph_of_rows({c.first_ref.begin(), c.first_ref.end()}, {c.target.begin(), c.target.end()},
                       {c.shallow_bytes.begin(), c.shallow_bytes.end()});
}

bool articulation_differs(LabGraph& graph) {
  Run run(graph);
  run.condense();
  BiconnectedComponents ours;
  if (run.ok) run.take(biconnected_components(run.condensation, run.arena, run.cancel), ours);
  if (!run.ok) return true;
  const std::vector<bool> other = all_points(articulation_points(nodes_of(run.condensation)));
  for (std::uint32_t v = 0; v < other.size(); ++v)
    if (ours.is_articulation(v) != other[v]) return true;
  return false;
}

bool node_dominators_differ(LabGraph& graph) {
  Run run(graph);
  run.dominate_nodes();
  if (!run.ok) return true;
  const NaiveGraph nodes = nodes_of(run.condensation);
  const auto idom =
      dominators_of(nodes, find_roots_and_leaves(nodes).roots, LinkEval::kSophisticated);
  const auto retained = gc_sizes(nodes, idom);
  return !std::equal(idom.begin(), idom.end(), run.node_dominators.idom.begin()) ||
         !std::equal(retained.begin(), retained.end(), run.node_dominators.retained_bytes.begin());
}

bool heap_statistics_differ(LabGraph& graph) {
  Run run(graph);
  HeapStatistics ours;
  if (run.ok) run.take(heap_statistics(run.references, run.arena, run.cancel), ours);
  if (!run.ok) return true;
  const ThesisStatistics other = thesis_statistics(thesis_graphs(run.snapshot));
  const auto differ = [](const auto& a, const auto& b) {
    return a.average != b.average || a.most != b.most;
  };
  return ours.roots != other.roots || ours.leaves != other.leaves ||
         ours.components != other.components || ours.cyclic != other.cyclic ||
         ours.articulation_points != other.articulation_points ||
         ours.dominating_points != other.dominating_points ||
         differ(ours.tree_width, other.tree_width) || differ(ours.tree_height, other.tree_height) ||
         differ(ours.component_tree_height, other.component_tree_height) ||
         differ(ours.component_width, other.component_width) ||
         differ(ours.component_height, other.component_height);
}

// A plain depth-first search from what no other object refers to, then from what is left.
class OwnerSearch {
 public:
  explicit OwnerSearch(const Snapshot& snapshot)
      : nodes_(node_graph(snapshot)), parent_(nodes_.count(), ObjectId::kNoneValue) {
    for (std::uint32_t v = 0; v < nodes_.count(); ++v)
      if (std::ranges::all_of(nodes_.referrers(v), [&](std::uint32_t r) { return r == v; }))
        search(v, OwnedObject::kPureRoot);
    for (std::uint32_t v = 0; v < nodes_.count(); ++v) search(v, OwnedObject::kArtificialRoot);
  }
  bool differs(const Ownership& ownership) const {
    std::vector<std::uint64_t> bytes = nodes_.shallow_bytes;
    for (std::size_t i = met_.size(); i-- > 0;)
      if (parent_[met_[i]] < bytes.size()) bytes[parent_[met_[i]]] += bytes[met_[i]];
    for (std::uint32_t v = 0; v < nodes_.count(); ++v)
      if (ownership.objects[v].parent != parent_[v] ||
          ownership.objects[v].subtree_bytes != bytes[v])
        return true;
    return false;
  }

 private:
  struct Step {
    std::uint32_t node, next;
  };
  void search(std::uint32_t from, std::uint32_t parent) {
    enter(from, parent);
    while (!way_.empty()) {
      const std::uint32_t v = way_.back().node;
      if (way_.back().next == nodes_.row(v).size())
        way_.pop_back();
      else
        enter(nodes_.row(v)[way_.back().next++], v);
    }
  }
  void enter(std::uint32_t v, std::uint32_t parent) {
    if (parent_[v] != ObjectId::kNoneValue) return;
    parent_[v] = parent;
    met_.push_back(v);
    way_.push_back({v, 0});
  }

  const NaiveGraph nodes_;
  std::vector<std::uint32_t> parent_, met_;
  std::vector<Step> way_;
};

bool ownership_differs(LabGraph& graph) {
  Run run(graph);
  Ownership ours;
  if (run.ok) run.take(find_ownership(run.references, {}, run.arena, run.cancel), ours);
  return !run.ok || OwnerSearch(run.snapshot).differs(ours);
}

struct PassRun {
  const char* name;
  void (*pass)(Run&);
};

constexpr PassRun kPasses[] = {
    {"references", [](Run&) {}},
    {"reachability", [](Run& r) { r.reach(); }},
    {"dominators", [](Run& r) { r.dominate(); }},
    {"components",
     [](Run& r) {
       StrongComponents made;
       r.take(strong_components(r.references, {kHolding}, r.arena, r.cancel), made);
     }},
    {"condensation",
     [](Run& r) {
       Condensation made;
       r.take(condense(r.references, {kHolding, true}, r.arena, r.cancel), made);
     }},
    {"classes", [](Run& r) { r.sum_classes(); }},
    {"loaders",
     [](Run& r) {
       std::span<const SetFigures> made;
       r.sum_classes();
       if (r.ok)
         r.take(loader_figures(r.snapshot, r.dominators, r.classes, r.arena, r.cancel), made);
     }},
    {"packages",
     [](Run& r) {
       std::span<const SetFigures> made;
       r.sum_classes();
       if (r.ok)
         r.take(package_figures(r.snapshot, r.dominators, r.classes, r.arena, r.cancel), made);
     }},
    {"threads",
     [](Run& r) {
       std::span<const ThreadFigures> made;
       r.dominate();
       if (r.ok) r.take(thread_figures(r.snapshot, r.dominators, r.arena), made);
     }},
    {"statistics",
     [](Run& r) {
       GraphStatistics made;
       r.dominate();
       if (r.ok) r.take(graph_statistics(r.snapshot, r.dominators, r.arena, r.cancel), made);
     }},
    {"tree",
     [](Run& r) {
       std::span<const TreeNodeResult> made;
       r.dominate();
       if (r.ok) r.take(upper_tree(r.snapshot, r.dominators, {}, r.arena, r.cancel), made);
     }},
    {"paths",
     [](Run& r) {
       std::span<const ObjectId> top;
       std::span<const RootPathResult> made;
       r.dominate();
       if (r.ok) r.take(top_objects(r.dominators, kTopObjects, r.arena, r.cancel), top);
       r.reach();
       if (r.ok) r.take(root_paths(r.references, r.reachability, top, r.arena), made);
     }},
    {"suspects",
     [](Run& r) {
       std::span<const SuspectResult> made;
       r.sum_classes();
       r.reach();
       if (r.ok)
         r.take(find_suspects({r.references, r.reachability, r.dominators, r.classes}, r.arena,
                              r.cancel),
                made);
     }},
    {"dag dominators", [](Run& r) { r.dominate_nodes(); }},
    {"reachable",
     [](Run& r) {
       ReachableSizes made;
       r.condense();
       if (r.ok) r.take(reachable_sizes(r.condensation, {}, r.arena, r.cancel), made);
     }},
    {"articulation",
     [](Run& r) {
       BiconnectedComponents made;
       r.condense();
       if (r.ok) r.take(biconnected_components(r.condensation, r.arena, r.cancel), made);
     }},
    {"dominating",
     [](Run& r) {
       DominatingPoints made;
       r.dominate_nodes();
       if (r.ok)
         r.take(dominating_points(r.condensation, r.node_dominators, r.arena, r.cancel), made);
     }},
    {"important",
     [](Run& r) {
       ImportantNodes made;
       r.dominate();
       if (r.ok)
         r.take(important_nodes({r.references, kHolding, r.dominators}, {}, r.arena, r.cancel),
                made);
     }},
    {"ownership",
     [](Run& r) {
       Ownership made;
       r.take(find_ownership(r.references, {}, r.arena, r.cancel), made);
     }},
    {"heap statistics",
     [](Run& r) {
       HeapStatistics made;
       r.take(heap_statistics(r.references, r.arena, r.cancel), made);
     }},
};

}  // namespace

std::vector<Defect> pass_defects() {
  std::vector<Defect> made = {
      {"dominators", "dominators or retained sizes differ from Lengauer-Tarjan's",
       dominators_differ},
      {"retained", "retained sizes of 256 random objects differ from what their removal says",
       removal_differs},
      {"reachability", "strengths differ from the slow definition", strengths_differ},
      {"components", "strong components differ from Tarjan's", components_differ},
      {"dag dominators", "dominators of the condensation differ from Lengauer-Tarjan's",
       node_dominators_differ},
      {"reachable", "reachable sizes of 256 random objects differ from breadth-first search",
       reachable_differs},
      {"articulation", "articulation points differ from Tarjan's", articulation_differs},
      {"ownership", "what roots own differs from a plain depth-first search", ownership_differs},
      {"heap statistics", "statistics differ from the thesis' algorithms", heap_statistics_differ},
  };
  for (const PassRun& row : kPasses) {
    const GraphTest test = [pass = row.pass](LabGraph& graph) {
      Run run(graph);
      if (run.ok) pass(run);
      return run.ok;
    };
    const std::string name = row.name;
    made.push_back({"crash " + name, "the pass crashes", test, IsolatedEnd::kCrashed});
    made.push_back({"hang " + name, "the pass does not end in time", test, IsolatedEnd::kHung});
  }
  return made;
}

}  // namespace holdfast::analysis::lab
