// What a dominator algorithm begins with: a depth-first numbering under a super root that refers to all roots, and referrers by number.
// Why a template: [Thesis]'s graphs and the passes' counted references are walked by the same text.
// Shape:  numbers 1 .. count in preorder, 1 the super root (vertex n), 0 what is not reached. number[n + 1], vertex and parent[count + 1],
//         first_referrer[count + 2], referrer: numbers, the super root among them. 5 words a vertex + 1 a reference.
// Zone:   offline.   Errors: none.
// Source: Lengauer, Tarjan: A fast algorithm for finding dominators in a flowgraph, step 1; [Thesis], section 4.1 (super root).
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace holdfast::analysis::lab {

struct FlowGraph {
  std::vector<std::uint32_t> number, vertex, parent;
  std::vector<std::uint32_t> first_referrer, referrer;
  std::uint32_t count = 0;
};

// visit_row(v, visit) calls visit(target) for each reference of v.
template <class VisitRow>
FlowGraph depth_first(std::uint32_t vertices, const std::vector<std::uint32_t>& roots,
                      VisitRow visit_row) {
  FlowGraph f;
  f.number.assign(vertices + 1, 0);
  f.vertex.assign(vertices + 2, vertices);
  f.parent.assign(vertices + 2, 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // vertex, number of its parent
  f.number[vertices] = ++f.count;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.push_back({*root, 1});
  while (!stack.empty()) {
    const auto [v, from] = stack.back();
    stack.pop_back();
    if (f.number[v] != 0) continue;
    const std::uint32_t number = ++f.count;
    f.number[v] = number;
    f.vertex[number] = v;
    f.parent[number] = from;
    visit_row(v, [&](std::uint32_t target) {
      if (f.number[target] == 0) stack.push_back({target, number});
    });
  }
  return f;
}

template <class VisitRow>
FlowGraph flow_graph(std::uint32_t vertices, const std::vector<std::uint32_t>& roots,
                     VisitRow visit_row) {
  FlowGraph f = depth_first(vertices, roots, visit_row);
  f.first_referrer.assign(f.count + 2, 0);
  const auto each = [&](auto visit) {
    for (const std::uint32_t root : roots) visit(1u, f.number[root]);
    for (std::uint32_t u = 2; u <= f.count; ++u)
      visit_row(f.vertex[u], [&](std::uint32_t target) { visit(u, f.number[target]); });
  };
  each([&](std::uint32_t, std::uint32_t w) { ++f.first_referrer[w + 1]; });
  std::partial_sum(f.first_referrer.begin(), f.first_referrer.end(), f.first_referrer.begin());
  f.referrer.resize(f.first_referrer.back());
  std::vector<std::uint32_t> next(f.first_referrer.begin(), f.first_referrer.end() - 1);
  each([&](std::uint32_t u, std::uint32_t w) { f.referrer[next[w]++] = u; });
  return f;
}

}  // namespace holdfast::analysis::lab
