// A snapshot with its condensation, and the condensation as a graph of its own. For tests of passes that work on it.
// Shape:  all in the arena that AnalysedHeap shares, given back when it goes out of scope; the snapshot must outlive it.
// Zone:   offline.   Errors: a pass that fails ends the process.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/lab_graph.h"
#include "analysis/reachable/condensation.h"

namespace holdfast::analysis::lab {

class CondensedHeap {
 public:
  explicit CondensedHeap(const Snapshot& snapshot, const CondensationScope& scope = {})
      : scope_(arena()),
        references(AnalysedHeap::or_abort(CountedReferences::make(snapshot, arena(), cancel))),
        condensation(AnalysedHeap::or_abort(condense(references, scope, arena(), cancel))) {}

  static Arena& arena() { return AnalysedHeap::arena(); }

 private:
  ArenaScope scope_;

 public:
  CancelToken cancel;
  CountedReferences references;
  Condensation condensation;
};

// Nodes are objects of the same number and size (up to 32 GB); nodes without referrers are the roots.
inline LabGraph graph_of_nodes(const Condensation& c) {
  std::vector<LabEdge> edges;
  std::vector<bool> referred(c.count());
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    for (const std::uint32_t w : c.row(v)) {
      edges.push_back({v, w});
      referred[w] = true;
    }
  }
  std::vector<std::uint32_t> sources;
  for (std::uint32_t v = 0; v < c.count(); ++v)
    if (!referred[v]) sources.push_back(v);
  LabGraph graph = graph_of(c.count(), edges, sources);
  for (std::uint32_t v = 0; v < c.count(); ++v)
    graph.shallow_units[v] = static_cast<std::uint32_t>(c.shallow_bytes[v] / kShallowUnitBytes);
  return graph;
}

// Only references from lower numbers to higher ones, so without cycles: deep ones, where random_graph is mostly one component.
inline LabGraph without_cycles(const LabGraph& any) {
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 0; v < any.object_count(); ++v) {
    for (std::uint32_t i = any.first_ref[v]; i < any.first_ref[v + 1]; ++i) {
      const std::uint32_t w = any.target[i].value;
      if (v != w) edges.push_back({std::min(v, w), std::max(v, w)});
    }
  }
  return graph_of(any.object_count(), edges, {0});
}

}  // namespace holdfast::analysis::lab
