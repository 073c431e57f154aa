// A forest of objects seen level by level in groups: all children of all members of a group, grouped again by key.
// Why best first: a tree of groups is as large as the heap; of every size the part with the most weight is kept, and what is
//      left out is a figure, so that each level adds up.
// Shape:  node.weight == node.own + sum of weight over its child nodes + node.rest_weight; parents stand before children,
//         siblings by falling weight. Members of a group are a linked list through next[item]: each item is in one group.
//         O(items + groups log groups); sizeof(GroupNode) + 20 B a node, 12 B + sizeof(Sum) a key. Items are what the source numbers.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct GroupLimits {
  std::uint32_t nodes = 1000;
  std::uint32_t depth = 0xFFFFFFFFu;  // levels
};

template <class Sum>
struct GroupNode {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t key = kNone;
  std::uint32_t parent = kNone;  // index of a node; kNone: top level
  std::uint32_t depth = 0;       // 1 at the top level
  bool expanded = false;  // its children were grouped; else all that is below is in rest_weight
  std::uint32_t rest_groups = 0;  // of an expanded node: groups of children that are not nodes
  std::uint64_t rest_weight = 0;
  Sum sum;
};

// Source:  using Sum;                               with weight() and own(), weight >= own
//          std::uint32_t key_count();
//          std::uint32_t key_of(item);
//          void add(Sum&, item);
//          void visit_children(item, visit);        kTop: of what is above the top level
//          std::span<std::uint32_t> next();         [items]; a child's place is overwritten once it was visited
template <class Source>
class GroupTree {
 public:
  using Sum = typename Source::Sum;
  using Node = GroupNode<Sum>;
  static constexpr std::uint32_t kTop = 0xFFFFFFFEu;
  static constexpr std::uint32_t kNone = Node::kNone;

  GroupTree(Source& source, const GroupLimits& limits, const CancelToken& cancel) noexcept
      : source_(source), limits_(limits), cancel_(cancel) {}

  // `nodes` has room for limits.nodes; answers how many were made. `start`: keys from the top level down to the group whose
  // children are to be the top level (empty: all).
  Result<std::uint32_t> run(std::span<Node> nodes, std::span<const std::uint32_t> start,
                            Arena& arena) noexcept {
    nodes_ = nodes;
    HF_TRY(groups, arena.make_filled<Group>(source_.key_count(), Group{}));
    HF_TRY(touched, arena.make<std::uint32_t>(source_.key_count()));
    HF_TRY(first, arena.make<std::uint32_t>(nodes.size()));
    HF_TRY(open, arena.make<Open>(nodes.size()));
    groups_ = groups;
    touched_ = touched;
    first_ = first;
    open_ = open;
    HF_TRY(list, descend(start));
    HF_CHECK_OK(expand(list, kNone));
    while (open_count_ > 0 && count_ < nodes_.size()) {
      std::pop_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_count_));
      const std::uint32_t node = open_[--open_count_].node;
      HF_CHECK_OK(expand(first_[node], node));
    }
    return count_;
  }
  // Of the group that `start` names, the whole forest's for none: its sum, and what its children did not show.
  const Sum& start_sum() const noexcept { return start_sum_; }
  std::uint64_t rest_weight() const noexcept { return rest_weight_; }
  std::uint32_t rest_groups() const noexcept { return rest_groups_; }

 private:
  static constexpr std::uint32_t kCancelStride = 4096;
  struct Group {
    std::uint32_t first = kNone;
    Sum sum;
  };
  struct Open {
    std::uint64_t weight;
    std::uint32_t node;
    friend bool operator<(const Open& a, const Open& b) noexcept {
      return a.weight != b.weight ? a.weight < b.weight : a.node > b.node;
    }
  };

  Result<std::uint32_t> descend(std::span<const std::uint32_t> start) noexcept {
    std::uint32_t list = kTop;
    for (const std::uint32_t key : start) {
      HF_CHECK_OK(group_children(list));
      const Group found = key < groups_.size() ? groups_[key] : Group{};
      clear();
      list = found.first;
      start_sum_ = found.sum;
    }
    return list;
  }

  Result<void> group_children(std::uint32_t list) noexcept {
    if (list == kTop) {
      Result<void> ok;
      source_.visit_children(kTop, [&](std::uint32_t child) { take(child, ok); });
      return ok;
    }
    Result<void> ok;
    for (std::uint32_t item = list; item != kNone && ok; item = source_.next()[item])
      source_.visit_children(item, [&](std::uint32_t child) { take(child, ok); });
    return ok;
  }

  void take(std::uint32_t child, Result<void>& ok) noexcept {
    if (++steps_ % kCancelStride == 0) ok = cancel_.check();
    const std::uint32_t key = source_.key_of(child);
    Group& group = groups_[key];
    if (group.first == kNone) touched_[touched_count_++] = key;
    source_.next()[child] = group.first;
    group.first = child;
    source_.add(group.sum, child);
  }

  Result<void> expand(std::uint32_t list, std::uint32_t parent) noexcept {
    HF_CHECK_OK(group_children(list));
    const auto keys = touched_.first(touched_count_);
    std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t wa = groups_[a].sum.weight();
      const std::uint64_t wb = groups_[b].sum.weight();
      return wa != wb ? wa > wb : a < b;
    });
    const std::uint32_t depth = parent == kNone ? 1 : nodes_[parent].depth + 1;
    const std::size_t taken =
        depth > limits_.depth ? 0 : std::min<std::size_t>(keys.size(), nodes_.size() - count_);
    for (const std::uint32_t key : keys.first(taken)) add_node(key, parent, depth);
    std::uint64_t rest = 0;
    for (const std::uint32_t key : keys.subspan(taken)) rest += groups_[key].sum.weight();
    settle(parent, rest, static_cast<std::uint32_t>(keys.size() - taken));
    clear();
    return {};
  }

  void add_node(std::uint32_t key, std::uint32_t parent, std::uint32_t depth) noexcept {
    Node& node = nodes_[count_] = Node{};
    node.key = key;
    node.parent = parent;
    node.depth = depth;
    node.sum = groups_[key].sum;
    node.rest_weight = node.sum.weight() - node.sum.own();
    first_[count_] = groups_[key].first;
    if (node.rest_weight > 0 && depth < limits_.depth) {
      open_[open_count_++] = {node.sum.weight(), count_};
      std::push_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_count_));
    }
    ++count_;
  }

  void settle(std::uint32_t parent, std::uint64_t rest, std::uint32_t groups) noexcept {
    if (parent == kNone) {
      rest_weight_ = rest;
      rest_groups_ = groups;
      return;
    }
    nodes_[parent].expanded = true;
    nodes_[parent].rest_weight = rest;
    nodes_[parent].rest_groups = groups;
  }

  void clear() noexcept {
    for (std::size_t i = 0; i < touched_count_; ++i) groups_[touched_[i]] = Group{};
    touched_count_ = 0;
  }

  Source& source_;
  GroupLimits limits_;
  const CancelToken& cancel_;
  std::span<Node> nodes_;
  std::span<Group> groups_;           // [keys] of the children at hand
  std::span<std::uint32_t> touched_;  // the keys that have some
  std::span<std::uint32_t> first_;    // [nodes] their lists
  std::span<Open> open_;
  std::size_t touched_count_ = 0;
  std::size_t open_count_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t steps_ = 0;
  Sum start_sum_;
  std::uint64_t rest_weight_ = 0;
  std::uint32_t rest_groups_ = 0;
};

}  // namespace holdfast::analysis
