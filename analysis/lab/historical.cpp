#include "analysis/lab/historical.h"

#include "analysis/lab/naive.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/results.h"

namespace holdfast::analysis::lab {

namespace {

// Vertices are objects; vertex n is the virtual root.
FlowGraph flow_of(const CountedReferences& references, StrengthSet holding) {
  const Snapshot& s = references.snapshot();
  const NaiveHolding held(s, holding);
  std::vector<std::uint32_t> roots;
  for (const RootRecord& root : s.roots)
    if (held.counts(root)) roots.push_back(root.object.value);
  return flow_graph(s.object_count(), roots, [&](std::uint32_t v, auto visit) {
    references.visit_row(v, holding, [&](std::uint32_t target, Strength) {
      if (held.counts(v, target)) visit(target);
    });
  });
}

// Retained sizes by children lists' shortcut: idom < v in preorder.
HistoricalDominators finish(const CountedReferences& references, const FlowGraph& f,
                            const std::vector<std::uint32_t>& idom) {
  const Snapshot& s = references.snapshot();
  HistoricalDominators made;
  made.idom.assign(s.object_count(), ObjectId::kNoneValue);
  made.retained_bytes.assign(s.object_count(), 0);
  std::vector<std::uint64_t> bytes(f.count + 1, 0);
  for (std::uint32_t v = f.count; v >= 2; --v) {
    const std::uint32_t object = f.vertex[v];
    bytes[v] += s.shallow_bytes(ObjectId{object});
    bytes[idom[v]] += bytes[v];
    made.retained_bytes[object] = bytes[v];
    made.idom[object] = idom[v] == 1 ? Dominators::kRoot : f.vertex[idom[v]];
  }
  return made;
}

}  // namespace

HistoricalDominators lengauer_tarjan(const CountedReferences& references, StrengthSet holding) {
  const FlowGraph f = flow_of(references, holding);
  return finish(references, f, immediate_dominators(f, LinkEval::kSimple));
}

HistoricalDominators cooper_harvey_kennedy(const CountedReferences& references, StrengthSet holding,
                                           std::uint64_t max_steps) {
  const FlowGraph f = flow_of(references, holding);
  std::vector<std::uint32_t> idom(f.parent);
  std::uint64_t steps = 0;
  for (bool changed = true;
       changed;) {  // preorder instead of reverse postorder: more rounds, the same fixed point
    changed = false;
    for (std::uint32_t w = 2; w <= f.count; ++w) {
      std::uint32_t common = idom[w];
      for (std::uint32_t i = f.first_referrer[w]; i < f.first_referrer[w + 1]; ++i) {
        std::uint32_t u = f.referrer[i];
        while (u != common) {
          (u > common ? u : common) = idom[u > common ? u : common];
          if (++steps > max_steps) return {};
        }
      }
      changed = changed || common != idom[w];
      idom[w] = common;
    }
  }
  return finish(references, f, idom);
}

}  // namespace holdfast::analysis::lab
