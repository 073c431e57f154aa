#include "analysis/lab/thesis/naive_graph.h"

#include <algorithm>
#include <numeric>

namespace holdfast::analysis::lab {

NaiveGraph graph_of_rows(std::vector<std::uint32_t> first_ref, std::vector<std::uint32_t> target,
                         std::vector<std::uint64_t> shallow_bytes) {
  NaiveGraph made;
  made.first_ref = std::move(first_ref);
  made.target = std::move(target);
  made.shallow_bytes = std::move(shallow_bytes);
  made.first_referrer.assign(made.count() + 1, 0);
  for (const std::uint32_t to : made.target) ++made.first_referrer[to + 1];
  std::partial_sum(made.first_referrer.begin(), made.first_referrer.end(),
                   made.first_referrer.begin());
  made.referrer.resize(made.target.size());
  std::vector<std::uint32_t> next(made.first_referrer.begin(), made.first_referrer.end() - 1);
  for (std::uint32_t v = 0; v < made.count(); ++v)
    for (const std::uint32_t to : made.row(v)) made.referrer[next[to]++] = v;
  return made;
}

NaiveGraph node_graph(const Snapshot& snapshot) {
  std::vector<std::uint32_t> target;
  std::vector<std::uint64_t> bytes;
  target.reserve(snapshot.target.size());
  bytes.reserve(snapshot.object_count());
  for (const ObjectId to : snapshot.target) target.push_back(to.value);
  for (std::uint32_t v = 0; v < snapshot.object_count(); ++v)
    bytes.push_back(snapshot.shallow_bytes(ObjectId{v}));
  return graph_of_rows({snapshot.first_ref.begin(), snapshot.first_ref.end()}, std::move(target),
                       std::move(bytes));
}

NaiveGraph component_graph(const NaiveGraph& nodes, const std::vector<std::uint32_t>& component,
                           std::uint32_t count) {
  std::vector<std::uint64_t> bytes(count);
  std::vector<std::uint32_t> start(count + 1), member(nodes.count());
  for (std::uint32_t v = 0; v < nodes.count(); ++v) {
    bytes[component[v]] += nodes.shallow_bytes[v];
    ++start[component[v] + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::uint32_t v = 0; v < nodes.count(); ++v) member[next[component[v]]++] = v;

  std::vector<std::uint32_t> first_ref{0}, target;
  std::vector<std::uint32_t> seen_by(count, count);
  for (std::uint32_t c = 0; c < count; ++c) {
    for (std::uint32_t i = start[c]; i < start[c + 1]; ++i) {
      for (const std::uint32_t to : nodes.row(member[i])) {
        const std::uint32_t d = component[to];
        if (d == c || seen_by[d] == c) continue;
        seen_by[d] = c;
        target.push_back(d);
      }
    }
    first_ref.push_back(static_cast<std::uint32_t>(target.size()));
  }
  return graph_of_rows(std::move(first_ref), std::move(target), std::move(bytes));
}

std::vector<std::uint64_t> sizes_of_nodes(const std::vector<std::uint64_t>& of_components,
                                          const std::vector<std::uint32_t>& component) {
  std::vector<std::uint64_t> made;
  made.reserve(component.size());
  for (const std::uint32_t c : component) made.push_back(of_components[c]);
  return made;
}

Undirected undirected(const NaiveGraph& graph) {
  Undirected made;
  std::vector<std::uint32_t> row;
  for (std::uint32_t v = 0; v < graph.count(); ++v) {
    row.assign(graph.row(v).begin(), graph.row(v).end());
    row.insert(row.end(), graph.referrers(v).begin(), graph.referrers(v).end());
    std::erase(row, v);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    made.neighbour.insert(made.neighbour.end(), row.begin(), row.end());
    made.first.push_back(static_cast<std::uint32_t>(made.neighbour.size()));
  }
  return made;
}

}  // namespace holdfast::analysis::lab
