// What [Thesis]'s algorithms run on: nodes with their rows and referrers, the same for objects and for components.
// Why: [Thesis] has one reader with two faces (C.14): the heap as dumped, and its component graph. Every stored reference counts, whatever
//      its strength; those implied from objects to their class objects do not, for its dumps have none.
// Shape:  n nodes, m references, both ways: 8 B a node + 8 B a reference + 8 B a node's bytes. The heap keeps self and double references;
//         the component graph has neither, and refers to lower numbers only.
// Zone:   offline.   Errors: none.
// Source: [Thesis], section 4.4 and C.2.3 (AbstractReader, NormalReader, ComponentReader).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

struct NaiveGraph {
  std::vector<std::uint32_t> first_ref{0}, target;
  std::vector<std::uint32_t> first_referrer{0}, referrer;
  std::vector<std::uint64_t> shallow_bytes;

  std::uint32_t count() const { return static_cast<std::uint32_t>(shallow_bytes.size()); }
  std::span<const std::uint32_t> row(std::uint32_t node) const {
    return std::span(target).subspan(first_ref[node], first_ref[node + 1] - first_ref[node]);
  }
  std::span<const std::uint32_t> referrers(std::uint32_t node) const {
    return std::span(referrer).subspan(first_referrer[node],
                                       first_referrer[node + 1] - first_referrer[node]);
  }
};

// From the rows and the bytes of all nodes: the referrers are made here.
NaiveGraph graph_of_rows(std::vector<std::uint32_t> first_ref, std::vector<std::uint32_t> target,
                         std::vector<std::uint64_t> shallow_bytes);
// The heap as dumped.
NaiveGraph node_graph(const Snapshot& snapshot);

// component[v] < count for every node v.
NaiveGraph component_graph(const NaiveGraph& nodes, const std::vector<std::uint32_t>& component,
                           std::uint32_t count);
// What is known of the components, for their nodes.
std::vector<std::uint64_t> sizes_of_nodes(const std::vector<std::uint64_t>& of_components,
                                          const std::vector<std::uint32_t>& component);

// Every node's neighbours, either way, once each, without itself.
struct Undirected {
  std::vector<std::uint32_t> first{0}, neighbour;
  std::span<const std::uint32_t> row(std::uint32_t node) const {
    return std::span(neighbour).subspan(first[node], first[node + 1] - first[node]);
  }
};
Undirected undirected(const NaiveGraph& graph);

}  // namespace holdfast::analysis::lab
