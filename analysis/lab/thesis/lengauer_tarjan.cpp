#include "analysis/lab/thesis/lengauer_tarjan.h"

#include <algorithm>
#include <numeric>

#include "analysis/results.h"

namespace holdfast::analysis::lab {

namespace {

// The forest of vertices that are processed: eval(v) is the vertex of least semidominator on the way from v's tree root, which is not
// counted, down to v.
class SimpleForest {
 public:
  SimpleForest(std::uint32_t count, std::vector<std::uint32_t>& semi)
      : semi_(semi), label_(count + 1), ancestor_(count + 1, 0) {
    std::iota(label_.begin(), label_.end(), 0u);
  }
  void link(std::uint32_t parent, std::uint32_t w) { ancestor_[w] = parent; }
  std::uint32_t eval(std::uint32_t v) {
    if (ancestor_[v] == 0) return label_[v];
    compress(v);
    return label_[v];
  }

 protected:
  void compress(std::uint32_t v) {
    for (std::uint32_t at = v; ancestor_[ancestor_[at]] != 0; at = ancestor_[at])
      path_.push_back(at);
    while (!path_.empty()) {
      const std::uint32_t at = path_.back();
      path_.pop_back();
      const std::uint32_t above = ancestor_[at];
      if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
      ancestor_[at] = ancestor_[above];
    }
  }

  std::vector<std::uint32_t>& semi_;
  std::vector<std::uint32_t> label_, ancestor_, path_;
};

// The same, with the trees kept balanced: each is a chain of subtrees, child[v] the next one.
class BalancedForest : SimpleForest {
 public:
  BalancedForest(std::uint32_t count, std::vector<std::uint32_t>& semi)
      : SimpleForest(count, semi), child_(count + 1, 0), size_(count + 1, 1) {
    size_[0] = 0;
  }
  void link(std::uint32_t v, std::uint32_t w) {
    std::uint32_t s = w;
    while (semi_[label_[w]] < semi_[label_[child_[s]]]) {
      const std::uint32_t c = child_[s];
      if (std::uint64_t{size_[s]} + size_[child_[c]] >= 2ull * size_[c]) {
        ancestor_[c] = s;
        child_[s] = child_[c];
      } else {
        size_[c] = size_[s];
        s = ancestor_[s] = c;
      }
    }
    label_[s] = label_[w];
    size_[v] += size_[w];
    if (size_[v] < 2ull * size_[w]) std::swap(s, child_[v]);
    for (; s != 0; s = child_[s]) ancestor_[s] = v;
  }
  std::uint32_t eval(std::uint32_t v) {
    if (ancestor_[v] == 0) return label_[v];
    compress(v);
    const std::uint32_t above = label_[ancestor_[v]];
    return semi_[above] >= semi_[label_[v]] ? label_[v] : above;
  }

 private:
  std::vector<std::uint32_t> child_, size_;
};

template <class Forest>
std::vector<std::uint32_t> solve(const FlowGraph& f) {
  std::vector<std::uint32_t> semi(f.count + 1), idom(f.count + 1, 0);
  std::vector<std::uint32_t> bucket_head(f.count + 1, 0), bucket_next(f.count + 1, 0);
  std::iota(semi.begin(), semi.end(), 0u);
  Forest forest(f.count, semi);
  for (std::uint32_t w = f.count; w >= 2; --w) {
    for (std::uint32_t i = f.first_referrer[w]; i < f.first_referrer[w + 1]; ++i)
      semi[w] = std::min(semi[w], semi[forest.eval(f.referrer[i])]);
    bucket_next[w] = bucket_head[semi[w]];
    bucket_head[semi[w]] = w;
    const std::uint32_t parent = f.parent[w];
    forest.link(parent, w);
    for (std::uint32_t v = bucket_head[parent]; v != 0; v = bucket_next[v]) {
      const std::uint32_t u = forest.eval(v);
      idom[v] = semi[u] < semi[v] ? u : parent;
    }
    bucket_head[parent] = 0;
  }
  for (std::uint32_t w = 2; w <= f.count; ++w)
    if (idom[w] != semi[w]) idom[w] = idom[idom[w]];
  return idom;
}

// children[first[v] .. first[v + 1]) is what v dominates at once; the super root is node n.
struct DominatedLists {
  std::vector<std::uint32_t> first, child;
};

DominatedLists dominated_lists(const std::vector<std::uint32_t>& idom) {
  const auto n = static_cast<std::uint32_t>(idom.size());
  DominatedLists lists;
  lists.first.assign(n + 2, 0);
  const auto each = [&](auto visit) {
    for (std::uint32_t v = 0; v < n; ++v)
      if (idom[v] != ObjectId::kNoneValue) visit(idom[v] == Dominators::kRoot ? n : idom[v], v);
  };
  each([&](std::uint32_t dominator, std::uint32_t) { ++lists.first[dominator + 1]; });
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  lists.child.resize(lists.first.back());
  std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  each([&](std::uint32_t dominator, std::uint32_t v) { lists.child[next[dominator]++] = v; });
  return lists;
}

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const FlowGraph& flow, LinkEval link_eval) {
  return link_eval == LinkEval::kSimple ? solve<SimpleForest>(flow) : solve<BalancedForest>(flow);
}

std::vector<std::uint32_t> dominators_of(const NaiveGraph& graph,
                                         const std::vector<std::uint32_t>& roots,
                                         LinkEval link_eval) {
  const FlowGraph flow = flow_graph(graph.count(), roots, [&](std::uint32_t v, auto visit) {
    for (const std::uint32_t target : graph.row(v)) visit(target);
  });
  const std::vector<std::uint32_t> by_number = immediate_dominators(flow, link_eval);
  std::vector<std::uint32_t> idom(graph.count(), ObjectId::kNoneValue);
  for (std::uint32_t w = 2; w <= flow.count; ++w)
    idom[flow.vertex[w]] = by_number[w] == 1 ? Dominators::kRoot : flow.vertex[by_number[w]];
  return idom;
}

std::vector<std::uint64_t> gc_sizes(const NaiveGraph& graph,
                                    const std::vector<std::uint32_t>& idom) {
  const std::uint32_t n = graph.count();
  const DominatedLists lists = dominated_lists(idom);
  std::vector<std::uint64_t> sizes(n + 1, 0);
  struct Step {
    std::uint32_t node, next;
  };
  std::vector<Step> way{{n, lists.first[n]}};
  while (!way.empty()) {
    Step& step = way.back();
    if (step.next < lists.first[step.node + 1]) {
      const std::uint32_t child = lists.child[step.next++];
      sizes[child] = graph.shallow_bytes[child];
      way.push_back({child, lists.first[child]});
      continue;
    }
    const std::uint64_t own = sizes[step.node];
    way.pop_back();
    if (!way.empty()) sizes[way.back().node] += own;
  }
  sizes.resize(n);
  return sizes;
}

}  // namespace holdfast::analysis::lab
