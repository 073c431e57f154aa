#include "analysis/lab/delta/pass_defects.h"

#include <algorithm>

#include "analysis/class_figures.h"
#include "analysis/dominators.h"
#include "analysis/lab/historical.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/removal_check.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/tarjan_components.h"
#include "analysis/packages.h"
#include "analysis/reachability.h"
#include "analysis/reachable/condensation.h"
#include "analysis/root_figures.h"
#include "analysis/root_paths.h"
#include "analysis/suspects.h"
#include "analysis/top_objects.h"
#include "analysis/upper_tree.h"

namespace holdfast::analysis::lab {

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);
constexpr StrengthSet kEveryStrength = (1u << kStrengthCount) - 1;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;  // 40 million objects and more
constexpr std::uint64_t kRemovals = 256;
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
