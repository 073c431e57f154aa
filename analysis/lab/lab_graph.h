// A graph on the ordinary heap that looks like a snapshot: for oracles, generators, tests and benchmarks.
// Shape:  as Snapshot; vectors own what the spans point to, so a LabGraph stays where it is while its snapshot() is used.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

struct LabGraph {
  std::vector<ClassRow> classes;
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> shallow_units;
  std::vector<std::uint32_t> first_ref{0};
  std::vector<ObjectId> target;
  std::vector<RefLabel> label;
  std::vector<RootRecord> roots;
  // Of a copied snapshot, which must then outlive the copy: all names, loaders, threads. Its classes are those above.
  Catalog catalog;
  std::uint64_t shallow_unit_bytes = kShallowUnitBytes;

  std::uint32_t object_count() const { return static_cast<std::uint32_t>(class_of.size()); }
  Snapshot snapshot();
  void add_root(std::uint32_t object, RootKind kind = RootKind::kOther);
};

struct LabEdge {
  std::uint32_t from;
  std::uint32_t to;
  RefLabel label{};
};

// Objects 0 .. objects-1 of one class without a class object, object v of 8 * (v + 1) bytes: sums tell which members are in.
LabGraph graph_of(std::uint32_t objects, const std::vector<LabEdge>& edges,
                  const std::vector<std::uint32_t>& roots);
// Replaces all rows by the edges (sorted by source, stable).
void set_edges(LabGraph& graph, const std::vector<LabEdge>& edges);
// A copy whose references can be changed.
LabGraph graph_of(const Snapshot& snapshot);
// The same graph with object v called new_id[v]; without names.
LabGraph renumbered(const LabGraph& graph, const std::vector<std::uint32_t>& new_id);
// Numbers as a capture gives them: a stack of unvisited referents, the last one first. Unreachable objects come last.
std::vector<std::uint32_t> capture_order(const LabGraph& graph);
std::vector<std::uint32_t> shuffled_order(std::uint32_t objects, std::uint64_t seed);

}  // namespace holdfast::analysis::lab
