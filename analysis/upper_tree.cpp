#include "analysis/upper_tree.h"

#include <algorithm>

#include "analysis/class_sums.h"
#include "analysis/dominator_tree.h"
#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNoParent = 0xFFFFFFFFu;

struct Open {  // a node whose children are not in the tree yet
  std::uint64_t priority;
  std::uint32_t node;
  std::uint32_t depth;
  friend bool operator<(const Open& a, const Open& b) noexcept {
    return a.priority != b.priority ? a.priority < b.priority : a.node > b.node;
  }
};

class TreeBuilder {
 public:
  TreeBuilder(const Snapshot& snapshot, const Dominators& d, const CancelToken& cancel) noexcept
      : snapshot_(snapshot), d_(d), cancel_(cancel) {}

  Result<std::span<const TreeNodeResult>> run(const TreeLimits& limits, Arena& arena) noexcept {
    HF_TRY(nodes, arena.make<TreeNodeResult>(limits.max_nodes));
    nodes_ = nodes;
    ArenaScope scratch(arena);
    smallest_bytes_ = std::max<std::uint64_t>(1, d_.held_bytes / limits.share_divisor);
    HF_TRY(candidates, arena.make<TreeNodeResult>(d_.held_bytes / smallest_bytes_ + 1));
    HF_TRY(open, arena.make<Open>(limits.max_nodes + 1));
    HF_TRY(sums, ClassSums::make(snapshot_, arena));
    candidates_ = candidates;
    open_ = open;
    sums_ = sums;
    HF_CHECK_OK(expand(kNoParent, 1));
    while (open_count_ != 0 && count_ < nodes_.size()) {
      std::pop_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_count_));
      const Open next = open_[--open_count_];
      HF_CHECK_OK(expand(next.node, next.depth));
    }
    while (open_count_ != 0) HF_CHECK_OK(close(open_[--open_count_].node));
    return std::span<const TreeNodeResult>(nodes_.first(count_));
  }

 private:
  std::uint32_t position_of(std::uint32_t node) const noexcept {
    return node == kNoParent ? kRootPosition : d_.position[nodes_[node].object.value];
  }

  // Children big enough become candidates, the others are summed up by class.
  Result<std::uint64_t> sort_out(std::uint32_t position) noexcept {
    sums_.clear();
    candidate_count_ = 0;
    std::uint64_t children = 0;
    for (std::uint32_t c = first_child(position); c < subtree_end(d_, position);
         c = next_child(d_, c)) {
      if (++children % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      prefetch_ahead(d_, c, snapshot_.class_of, d_.retained_bytes);
      const std::uint32_t object = d_.order[c];
      const std::uint64_t retained = d_.retained_bytes[object];
      if (retained < smallest_bytes_) {
        sums_.add(object, retained);
        continue;
      }
      TreeNodeResult& node = candidates_[candidate_count_++] = TreeNodeResult{};
      node.object = ObjectId{object};
      node.shallow_bytes = snapshot_.shallow_bytes(node.object);
      node.retained_bytes = retained;
    }
    return children;
  }

  void add_groups() noexcept {
    for (const std::uint32_t row : sums_.touched()) {
      const ClassSum& sum = sums_[row];
      if (sum.objects < 2 || sum.retained_bytes < smallest_bytes_) continue;
      TreeNodeResult& node = candidates_[candidate_count_++] = TreeNodeResult{};
      node.group_class = sums_.class_of_row(row);
      node.group_instances = sum.objects;
      node.shallow_bytes = sum.shallow_bytes;
      node.retained_bytes = sum.retained_bytes;
      node.rest_retained_bytes = sum.retained_bytes - sum.shallow_bytes;
    }
  }

  Result<void> expand(std::uint32_t parent, std::uint32_t depth) noexcept {
    HF_TRY(children, sort_out(position_of(parent)));
    add_groups();
    const auto candidates = candidates_.first(candidate_count_);
    std::sort(candidates.begin(), candidates.end(),
              [](const TreeNodeResult& a, const TreeNodeResult& b) {
                if (a.retained_bytes != b.retained_bytes)
                  return a.retained_bytes > b.retained_bytes;
                return a.object != b.object ? a.object < b.object : a.group_class < b.group_class;
              });
    std::uint64_t taken_bytes = 0;
    std::uint64_t taken_children = 0;
    for (const TreeNodeResult& candidate : candidates) {
      if (count_ == nodes_.size()) break;
      nodes_[count_] = candidate;
      nodes_[count_].parent = parent;
      taken_bytes += candidate.retained_bytes;
      taken_children += candidate.object.valid() ? 1 : candidate.group_instances;
      if (candidate.object.valid()) push_open(candidate.retained_bytes, depth);
      ++count_;
    }
    if (parent != kNoParent) settle(nodes_[parent], children, taken_children, taken_bytes);
    return {};
  }

  void push_open(std::uint64_t retained_bytes, std::uint32_t depth) noexcept {
    open_[open_count_++] = {retained_bytes / depth, count_, depth + 1};
    std::push_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_count_));
  }

  static void settle(TreeNodeResult& node, std::uint64_t children, std::uint64_t taken_children,
                     std::uint64_t taken_bytes) noexcept {
    node.children = children;
    node.rest_children = children - taken_children;
    node.rest_retained_bytes = node.retained_bytes - node.shallow_bytes - taken_bytes;
  }

  // A node that is not expanded for want of room: all its children are rest.
  Result<void> close(std::uint32_t node) noexcept {
    HF_TRY(children, sort_out(position_of(node)));
    settle(nodes_[node], children, 0, 0);
    return {};
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const CancelToken& cancel_;
  std::uint64_t smallest_bytes_ = 1;
  std::span<TreeNodeResult> nodes_;
  std::span<TreeNodeResult>
      candidates_;  // disjoint and each at least smallest_bytes_, so held / smallest are enough
  std::span<Open> open_;
  std::size_t candidate_count_ = 0;
  std::size_t open_count_ = 0;
  std::uint32_t count_ = 0;
  ClassSums sums_;
};

}  // namespace

Result<std::span<const TreeNodeResult>> upper_tree(const Snapshot& snapshot, const Dominators& d,
                                                   const TreeLimits& limits, Arena& arena,
                                                   const CancelToken& cancel) noexcept {
  TreeBuilder builder(snapshot, d, cancel);
  return builder.run(limits, arena);
}

}  // namespace holdfast::analysis
