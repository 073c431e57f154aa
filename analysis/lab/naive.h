// The slow definitions that the passes are tested against: nothing but "remove it, then mark".
// Shape:  O(n (n + m)) for dominators; plain breadth-first search for marking.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis::lab {

struct NaiveEdge {
  std::uint32_t to;
  Strength strength;
  bool implied = false;  // from an object to its class object
};
// All references of an object, the implied one to its class object included.
std::vector<NaiveEdge> naive_row(const Snapshot& snapshot, std::uint32_t object);

// Which roots and references hold: none of what a root of a longer lifespan reaches.
class NaiveHolding {
 public:
  NaiveHolding(const Snapshot& snapshot, StrengthSet holding);
  bool counts(const RootRecord& root) const {
    return snapshot_->lifespan(root) <= lifespan_[root.object.value];
  }
  bool counts(std::uint32_t from, std::uint32_t to) const {
    return lifespan_[from] <= lifespan_[to];
  }

 private:
  const Snapshot* snapshot_;
  std::vector<Lifespan> lifespan_;  // the longest of the roots that reach the object
};

// What is marked from the roots when the objects of `removed` do not exist.
std::vector<bool> naive_marked(const Snapshot& snapshot, StrengthSet holding,
                               const std::vector<bool>& removed);
// The same, with what holds as another graph has it.
std::vector<bool> naive_marked(const Snapshot& snapshot, StrengthSet holding,
                               const std::vector<bool>& removed, const NaiveHolding& held);
// Shallow bytes that become unreachable without the members, the members themselves included.
std::uint64_t naive_retained(const Snapshot& snapshot, StrengthSet holding,
                             const std::vector<bool>& members);

struct NaiveDominators {
  std::vector<std::uint32_t> idom;  // as Dominators::idom
  std::vector<std::uint64_t> retained_bytes;
};
NaiveDominators naive_dominators(const Snapshot& snapshot, StrengthSet holding);

struct NaiveReachability {
  std::vector<Strength> strength;
  std::vector<std::uint32_t>
      distance;  // objects on the way, 1 for a root; 0 unreachable. A possible
                 // stack slot is a root for what no other holds strongly
};
// Relaxes until nothing changes: the definition in reachability.h.
NaiveReachability naive_reachability(const Snapshot& snapshot);

}  // namespace holdfast::analysis::lab
