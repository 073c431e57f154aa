#include "analysis/cuts/biconnected.h"

#include <algorithm>
#include <utility>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kComponentAhead = 32;  // references between the prefetch and the use
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// Follows links to the one that is its own, and halves the way for the next time.
std::uint32_t find(std::span<std::uint32_t> link, std::uint32_t v) noexcept {
  while (link[v] != v) {
    link[v] = link[link[v]];
    v = link[v];
  }
  return v;
}

bool test_and_set(std::span<std::uint64_t> bits, std::uint32_t v) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (v & 63);
  const bool was_set = (bits[v >> 6] & bit) != 0;
  bits[v >> 6] |= bit;
  return was_set;
}

// The tree reference to a node from its parent goes by the node's number. A component is named by one of its references at its
// top, so parent[name] is its top node; a node that is no tree's root is inside the component of its own number, at the top of others.
class ComponentMerge {
 public:
  ComponentMerge(const Condensation& condensation, const CancelToken& cancel) noexcept
      : c_(condensation), count_(condensation.count()), cancel_(cancel) {}

  Result<BiconnectedComponents> run(std::span<std::uint64_t> articulation, Arena& arena) noexcept {
    HF_TRY(parent, arena.make<std::uint32_t>(count_));
    HF_TRY(link, arena.make<std::uint32_t>(count_));
    HF_TRY(depth, arena.make<std::uint32_t>(count_));
    parent_ = parent;
    link_ = link;
    depth_ = depth;
    HF_CHECK_OK(grow_trees());
    if (trees_ > 1) HF_CHECK_OK(join_trees());
    HF_CHECK_OK(measure_depths());
    HF_CHECK_OK(merge_cycles());
    return count_components(articulation);
  }

 private:
  Result<void> look(std::uint64_t steps) noexcept {
    steps_ += steps + 1;
    if (steps_ < kCancelStride) return {};
    steps_ = 0;
    return cancel_.check();
  }

  // visit(node, referent, index) for all references, from the last node down: referrers come before what they refer to.
  template <class Visit>
  Result<void> for_each_reference(Visit visit) noexcept {
    std::uint32_t i = c_.first_ref[count_];
    for (std::uint32_t v = count_; v-- > 0;) {
      const std::uint32_t first = c_.first_ref[v];
      HF_CHECK_OK(look(i - first));
      for (; i > first; --i) visit(v, c_.target[i - 1], i - 1);
    }
    return {};
  }

  // A tree below every source: the first referrer that is met is the parent. link[v] is the source, depth[source] its tree's size.
  Result<void> grow_trees() noexcept {
    std::fill(parent_.begin(), parent_.end(), kNone);
    std::fill(depth_.begin(), depth_.end(), 0u);
    HF_CHECK_OK(for_each_reference([&](std::uint32_t v, std::uint32_t w, std::uint32_t i) {
      if (i >= kComponentAhead) prefetch(&parent_[c_.target[i - kComponentAhead]]);
      if (parent_[w] == kNone) parent_[w] = v;
    }));
    for (std::uint32_t v = count_; v-- > 0;) {
      HF_CHECK_OK(look(0));
      link_[v] = parent_[v] == kNone ? v : link_[parent_[v]];
      trees_ += parent_[v] == kNone ? 1 : 0;
      ++depth_[link_[v]];
    }
    return {};
  }

  // References between trees make them one; the smaller one is turned so that it hangs from its end of the reference.
  Result<void> join_trees() noexcept {
    return for_each_reference([&](std::uint32_t v, std::uint32_t w, std::uint32_t i) {
      if (i >= kComponentAhead) prefetch(&link_[c_.target[i - kComponentAhead]]);
      if (link_[v] == link_[w]) return;
      const std::uint32_t above = find(link_, v);
      const std::uint32_t below = find(link_, w);
      if (above == below) return;
      --trees_;
      if (depth_[above] >= depth_[below]) {
        hang(w, v);
        unite(below, above);
      } else {
        hang(v, w);
        unite(above, below);
      }
    });
  }

  // Turns the way from the node to its tree's root round, and hangs the node below `above`.
  void hang(std::uint32_t node, std::uint32_t above) noexcept {
    while (node != kNone) {
      const std::uint32_t next = std::exchange(parent_[node], above);
      above = node;
      node = next;
    }
  }
  void unite(std::uint32_t smaller, std::uint32_t larger) noexcept {
    link_[smaller] = larger;
    depth_[larger] += depth_[smaller];
  }

  Result<void> measure_depths() noexcept {
    std::fill(depth_.begin(), depth_.end(), kNone);
    for (std::uint32_t v = count_; v-- > 0;) HF_CHECK_OK(measure_depth(v));
    return {};
  }

  Result<void> measure_depth(std::uint32_t node) noexcept {
    std::uint32_t steps = 0;
    std::uint32_t at = node;
    for (; depth_[at] == kNone && parent_[at] != kNone; at = parent_[at]) ++steps;
    if (depth_[at] == kNone) depth_[at] = 0;
    std::uint32_t depth = depth_[at] + steps;
    for (at = node; depth_[at] == kNone; at = parent_[at]) depth_[at] = depth--;
    return look(steps);
  }

  Result<void> merge_cycles() noexcept {
    for (std::uint32_t v = 0; v < count_; ++v) link_[v] = v;
    return for_each_reference([&](std::uint32_t v, std::uint32_t w, std::uint32_t i) {
      if (i >= kComponentAhead) {
        prefetch(&parent_[c_.target[i - kComponentAhead]]);
        prefetch(&link_[c_.target[i - kComponentAhead]]);
        prefetch(&depth_[c_.target[i - kComponentAhead]]);
      }
      if (parent_[w] != v && parent_[v] != w) merge_cycle(v, w);
    });
  }

  // Climbs from both ends, component by component, until they meet. A jump may lead past the lowest node that is above both ends:
  // then the component that was jumped over reaches past it, and the other end jumps the same way.
  void merge_cycle(std::uint32_t v, std::uint32_t w) noexcept {
    std::uint32_t merged = kNone;
    while (v != w) {
      if (depth_[v] < depth_[w]) std::swap(v, w);
      const std::uint32_t passed = find(link_, v);
      merged = merged == kNone ? passed : merge(merged, passed);
      v = parent_[passed];
      ++steps_;
    }
  }

  // The name of the one with the higher top stays.
  std::uint32_t merge(std::uint32_t a, std::uint32_t b) noexcept {
    if (depth_[a] > depth_[b]) std::swap(a, b);
    link_[b] = a;
    return a;
  }

  // A top that has a parent is in the component above it, too; a tree's root must be the top of two.
  Result<BiconnectedComponents> count_components(std::span<std::uint64_t> articulation) noexcept {
    BiconnectedComponents found;
    found.parts = trees_;
    std::fill(depth_.begin(), depth_.end(), 0u);  // from here on: references of a name's component
    for (std::uint32_t v = count_; v-- > 0;) {
      HF_CHECK_OK(look(0));
      if (parent_[v] == kNone) continue;
      const std::uint32_t name = find(link_, v);
      found.largest_nodes = std::max(found.largest_nodes, ++depth_[name] + 1);
      if (name != v) continue;
      ++found.components;
      mark_top(parent_[v], articulation, found);
    }
    found.articulation = articulation;
    return found;
  }

  // No component is named by a root: its link tells whether it has been a top before.
  void mark_top(std::uint32_t top, std::span<std::uint64_t> articulation,
                BiconnectedComponents& found) noexcept {
    if (parent_[top] == kNone && std::exchange(link_[top], kNone) != kNone) return;
    if (!test_and_set(articulation, top)) ++found.articulation_points;
  }

  const Condensation& c_;
  std::uint32_t count_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> parent_, link_, depth_;  // [count]
  std::uint32_t trees_ = 0;
  std::uint64_t steps_ = 0;
};

Result<BiconnectedComponents> find_components(const Condensation& condensation, Arena& arena,
                                              const CancelToken& cancel) noexcept {
  const std::size_t words = (std::size_t{condensation.count()} + 63) / 64;
  HF_TRY(articulation, arena.make_filled<std::uint64_t>(words, 0));
  ArenaScope scratch(arena);
  return ComponentMerge(condensation, cancel).run(articulation, arena);
}

}  // namespace

Result<BiconnectedComponents> biconnected_components(const Condensation& condensation, Arena& arena,
                                                     const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = find_components(condensation, arena, cancel);
  if (!found) arena.rewind(before);
  return found;
}

}  // namespace holdfast::analysis
