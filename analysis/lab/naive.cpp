#include "analysis/lab/naive.h"

#include <algorithm>

namespace holdfast::analysis::lab {

std::vector<NaiveEdge> naive_row(const Snapshot& s, std::uint32_t object) {
  std::vector<NaiveEdge> row;
  for (std::uint32_t i = s.first_ref[object]; i < s.first_ref[object + 1]; ++i)
    row.push_back({s.target[i].value, strength_of(s.label[i])});
  const ObjectId class_object = s.implied_class_object(ObjectId{object});
  if (class_object.valid()) row.push_back({class_object.value, Strength::kStrong, true});
  return row;
}

namespace {

template <class CountsRoot, class Counts>
std::vector<bool> marked_where(const Snapshot& s, StrengthSet holding,
                               const std::vector<bool>& removed, CountsRoot counts_root,
                               Counts counts) {
  std::vector<bool> marked(s.object_count());
  std::vector<std::uint32_t> queue;
  const auto mark = [&](std::uint32_t v) {
    if (marked[v] || removed[v]) return;
    marked[v] = true;
    queue.push_back(v);
  };
  for (const RootRecord& root : s.roots)
    if (counts_root(root)) mark(root.object.value);
  while (!queue.empty()) {
    const std::uint32_t v = queue.back();
    queue.pop_back();
    for (const NaiveEdge& e : naive_row(s, v))
      if ((holding & strength_bit(e.strength)) != 0 && counts(v, e.to)) mark(e.to);
  }
  return marked;
}

}  // namespace

NaiveHolding::NaiveHolding(const Snapshot& snapshot, StrengthSet holding)
    : snapshot_(&snapshot), lifespan_(snapshot.object_count(), Lifespan::kPossible) {
  for (auto lifespan = kLifespans.rbegin(); lifespan != kLifespans.rend(); ++lifespan) {
    const std::vector<bool> reached = marked_where(
        snapshot, holding, std::vector<bool>(snapshot.object_count()),
        [&](const RootRecord& root) { return snapshot.lifespan(root) == *lifespan; },
        [](std::uint32_t, std::uint32_t) { return true; });
    for (std::uint32_t v = 0; v < snapshot.object_count(); ++v)
      if (reached[v]) lifespan_[v] = *lifespan;
  }
}

std::vector<bool> naive_marked(const Snapshot& s, StrengthSet holding,
                               const std::vector<bool>& removed) {
  return naive_marked(s, holding, removed, NaiveHolding(s, holding));
}

std::vector<bool> naive_marked(const Snapshot& s, StrengthSet holding,
                               const std::vector<bool>& removed, const NaiveHolding& held) {
  return marked_where(
      s, holding, removed, [&](const RootRecord& root) { return held.counts(root); },
      [&](std::uint32_t from, std::uint32_t to) { return held.counts(from, to); });
}

std::uint64_t naive_retained(const Snapshot& s, StrengthSet holding,
                             const std::vector<bool>& members) {
  const std::vector<bool> before = naive_marked(s, holding, std::vector<bool>(s.object_count()));
  const std::vector<bool> after = naive_marked(s, holding, members);
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (before[v] && !after[v]) sum += s.shallow_bytes(ObjectId{v});
  return sum;
}

NaiveDominators naive_dominators(const Snapshot& s, StrengthSet holding) {
  const std::uint32_t n = s.object_count();
  const std::vector<bool> held = naive_marked(s, holding, std::vector<bool>(n));
  NaiveDominators found{std::vector<std::uint32_t>(n, ObjectId::kNoneValue),
                        std::vector<std::uint64_t>(n)};
  std::vector<std::vector<bool>> without(n);
  std::vector<std::uint32_t> dominator_count(n);
  for (std::uint32_t d = 0; d < n; ++d) {
    if (!held[d]) continue;
    std::vector<bool> removed(n);
    removed[d] = true;
    without[d] = naive_marked(s, holding, removed);
    for (std::uint32_t v = 0; v < n; ++v) {
      if (!held[v] || without[d][v]) continue;
      ++dominator_count[v];
      found.retained_bytes[d] += s.shallow_bytes(ObjectId{v});
    }
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    if (!held[v]) continue;
    found.idom[v] = Dominators::kRoot;
    for (std::uint32_t d = 0; d < n; ++d)
      if (d != v && held[d] && !without[d][v] && dominator_count[d] + 1 == dominator_count[v])
        found.idom[v] = d;
  }
  return found;
}

NaiveReachability naive_reachability(const Snapshot& s) {
  const std::uint32_t n = s.object_count();
  const NaiveHolding sure(s, kStrongOnly);
  NaiveReachability found{std::vector<Strength>(n, Strength::kUnreachable),
                          std::vector<std::uint32_t>(n)};
  for (const RootRecord& root : s.roots) {
    const std::uint32_t v = root.object.value;
    const bool begins = sure.counts(root);
    found.strength[v] = Strength::kStrong;
    if (begins || found.distance[v] == 0) found.distance[v] = begins ? 1 : n + 1;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t u = 0; u < n; ++u) {
      if (found.distance[u] == 0) continue;
      for (const NaiveEdge& e : naive_row(s, u)) {
        const Strength level = std::max(found.strength[u], e.strength);
        if (level >= found.strength[e.to]) continue;
        found.strength[e.to] = level;
        found.distance[e.to] = n + 1;
        changed = true;
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t u = 0; u < n; ++u) {
      if (found.distance[u] == 0) continue;
      for (const NaiveEdge& e : naive_row(s, u)) {
        if (std::max(found.strength[u], e.strength) != found.strength[e.to]) continue;
        if (!sure.counts(u, e.to)) continue;
        if (found.distance[u] + 1 >= found.distance[e.to]) continue;
        found.distance[e.to] = found.distance[u] + 1;
        changed = true;
      }
    }
  }
  return found;
}

}  // namespace holdfast::analysis::lab
