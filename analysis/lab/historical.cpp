#include "analysis/lab/historical.h"

#include <algorithm>

#include "analysis/results.h"

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// Vertices are objects; vertex n is the virtual root. Preorder numbers from 1; 0 means "not reached".
struct DepthFirst {
  std::vector<std::uint32_t> number, vertex, parent;  // by vertex, by number, by number
  std::uint32_t count = 0;
};

template <class Visit>
void visit_counted(const CountedReferences& references, StrengthSet holding, std::uint32_t v,
                   Visit visit) {
  references.visit_row(v, holding, [&](std::uint32_t target, Strength) { visit(target); });
}

DepthFirst depth_first(const CountedReferences& references, StrengthSet holding) {
  const Snapshot& s = references.snapshot();
  const std::uint32_t n = s.object_count();
  DepthFirst d;
  d.number.assign(n + 1, 0);
  d.vertex.assign(n + 2, kNone);
  d.parent.assign(n + 2, 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // vertex, number of its parent
  d.number[n] = ++d.count;
  d.vertex[1] = n;
  for (auto root = s.roots.rbegin(); root != s.roots.rend(); ++root)
    stack.push_back({root->object.value, 1});
  while (!stack.empty()) {
    const auto [v, from] = stack.back();
    stack.pop_back();
    if (d.number[v] != 0) continue;
    const std::uint32_t number = ++d.count;
    d.number[v] = number;
    d.vertex[number] = v;
    d.parent[number] = from;
    visit_counted(references, holding, v, [&](std::uint32_t target) {
      if (d.number[target] == 0) stack.push_back({target, number});
    });
  }
  return d;
}

// Referrers by number: rows of sources, the virtual root's references included.
struct Referrers {
  std::vector<std::uint32_t> start, source;
};

Referrers turn_round(const CountedReferences& references, StrengthSet holding,
                     const DepthFirst& d) {
  const Snapshot& s = references.snapshot();
  Referrers r;
  r.start.assign(d.count + 2, 0);
  const auto each = [&](auto visit) {
    for (const RootRecord& root : s.roots) visit(1u, d.number[root.object.value]);
    for (std::uint32_t u = 2; u <= d.count; ++u)
      visit_counted(references, holding, d.vertex[u],
                    [&](std::uint32_t target) { visit(u, d.number[target]); });
  };
  each([&](std::uint32_t, std::uint32_t w) { ++r.start[w + 1]; });
  for (std::size_t i = 1; i < r.start.size(); ++i) r.start[i] += r.start[i - 1];
  r.source.resize(r.start.back());
  std::vector<std::uint32_t> next(r.start.begin(), r.start.end() - 1);
  each([&](std::uint32_t u, std::uint32_t w) { r.source[next[w]++] = u; });
  return r;
}

// Retained sizes by children lists' shortcut: idom < v in preorder.
HistoricalDominators finish(const CountedReferences& references, const DepthFirst& d,
                            const std::vector<std::uint32_t>& idom) {
  const Snapshot& s = references.snapshot();
  HistoricalDominators made;
  made.idom.assign(s.object_count(), kNone);
  made.retained_bytes.assign(s.object_count(), 0);
  std::vector<std::uint64_t> bytes(d.count + 1, 0);
  for (std::uint32_t v = d.count; v >= 2; --v) {
    const std::uint32_t object = d.vertex[v];
    bytes[v] += s.shallow_bytes(ObjectId{object});
    bytes[idom[v]] += bytes[v];
    made.retained_bytes[object] = bytes[v];
    made.idom[object] = idom[v] == 1 ? Dominators::kRoot : d.vertex[idom[v]];
  }
  return made;
}

class LengauerTarjan {
 public:
  LengauerTarjan(const DepthFirst& d, const Referrers& r)
      : d_(d),
        r_(r),
        semi_(d.count + 1),
        label_(d.count + 1),
        ancestor_(d.count + 1, 0),
        idom_(d.count + 1, 0),
        bucket_head_(d.count + 1, 0),
        bucket_next_(d.count + 1, 0) {
    for (std::uint32_t v = 0; v <= d.count; ++v) semi_[v] = label_[v] = v;
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t w = d_.count; w >= 2; --w) {
      for (std::uint32_t i = r_.start[w]; i < r_.start[w + 1]; ++i)
        semi_[w] = std::min(semi_[w], semi_[eval(r_.source[i])]);
      bucket_next_[w] = bucket_head_[semi_[w]];
      bucket_head_[semi_[w]] = w;
      const std::uint32_t parent = d_.parent[w];
      ancestor_[w] = parent;
      for (std::uint32_t v = bucket_head_[parent]; v != 0; v = bucket_next_[v]) {
        const std::uint32_t u = eval(v);
        idom_[v] = semi_[u] < semi_[v] ? u : parent;
      }
      bucket_head_[parent] = 0;
    }
    for (std::uint32_t w = 2; w <= d_.count; ++w)
      if (idom_[w] != semi_[w]) idom_[w] = idom_[idom_[w]];
    return std::move(idom_);
  }

 private:
  std::uint32_t eval(std::uint32_t v) {
    if (ancestor_[v] == 0) return label_[v];
    path_.clear();
    for (std::uint32_t at = v; ancestor_[ancestor_[at]] != 0; at = ancestor_[at])
      path_.push_back(at);
    while (!path_.empty()) {
      const std::uint32_t at = path_.back();
      path_.pop_back();
      const std::uint32_t above = ancestor_[at];
      if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
      ancestor_[at] = ancestor_[above];
    }
    return label_[v];
  }

  const DepthFirst& d_;
  const Referrers& r_;
  std::vector<std::uint32_t> semi_, label_, ancestor_, idom_, bucket_head_, bucket_next_, path_;
};

}  // namespace

HistoricalDominators lengauer_tarjan(const CountedReferences& references, StrengthSet holding) {
  const DepthFirst d = depth_first(references, holding);
  const Referrers r = turn_round(references, holding, d);
  return finish(references, d, LengauerTarjan(d, r).run());
}

HistoricalDominators cooper_harvey_kennedy(const CountedReferences& references, StrengthSet holding,
                                           std::uint64_t max_steps) {
  const DepthFirst d = depth_first(references, holding);
  const Referrers r = turn_round(references, holding, d);
  std::vector<std::uint32_t> idom(d.parent);
  std::uint64_t steps = 0;
  for (bool changed = true;
       changed;) {  // preorder instead of reverse postorder: more rounds, the same fixed point
    changed = false;
    for (std::uint32_t w = 2; w <= d.count; ++w) {
      std::uint32_t common = idom[w];
      for (std::uint32_t i = r.start[w]; i < r.start[w + 1]; ++i) {
        std::uint32_t u = r.source[i];
        while (u != common) {
          (u > common ? u : common) = idom[u > common ? u : common];
          if (++steps > max_steps) return {};
        }
      }
      changed = changed || common != idom[w];
      idom[w] = common;
    }
  }
  return finish(references, d, idom);
}

}  // namespace holdfast::analysis::lab
