#include "analysis/reachable/dag_dominators.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kDagAhead = 32;  // references between the prefetch and the use
constexpr std::uint32_t kNoNode = 0xFFFFFFFFu;

// A node's place in the tree: its depth, and a far ancestor of it, so that every walk up takes O(log n) steps.
struct Place {
  std::uint32_t depth;
  std::uint32_t jump;
};
static_assert(sizeof(Place) == sizeof(std::uint64_t));

// While it works, the virtual root is the node `count`: like every ancestor it has a higher number.
class DominatorPush {
 public:
  DominatorPush(const Condensation& condensation, std::span<std::uint32_t> idom,
                std::span<std::uint64_t> retained, const CancelToken& cancel) noexcept
      : c_(condensation), idom_(idom), retained_(retained), cancel_(cancel) {}

  // Falling: every referrer of a node is placed, and has been pushed to it, before the node is.
  Result<std::uint32_t> find_dominators() noexcept {
    const std::uint32_t root = c_.count();
    std::fill(idom_.begin(), idom_.end(), kNoNode);
    idom_[root] = root;
    set_place(root, {0, root});
    std::uint32_t depth = 0;
    for (std::uint32_t v = root; v-- > 0;) {
      HF_CHECK_OK(look(c_.first_ref[v + 1] - c_.first_ref[v]));
      if (idom_[v] == kNoNode) idom_[v] = root;
      set_place(v, place_below(idom_[v]));
      depth = std::max(depth, place(v).depth);
      push(v);
    }
    return depth;
  }

  // Rising: everything below a node is added up before the node is.
  Result<void> add_up() noexcept {
    const std::uint32_t root = c_.count();
    std::copy(c_.shallow_bytes.begin(), c_.shallow_bytes.end(), retained_.begin());
    for (std::uint32_t v = 0; v < root; ++v) {
      HF_CHECK_OK(look(0));
      if (idom_[v] == root)
        idom_[v] = DagDominators::kRoot;
      else
        retained_[idom_[v]] += retained_[v];
    }
    return {};
  }

 private:
  Result<void> look(std::uint32_t references) noexcept {
    steps_ += std::uint64_t{references} + 1;
    if (steps_ < kCancelStride) return {};
    steps_ = 0;
    return cancel_.check();
  }

  void push(std::uint32_t v) noexcept {
    const std::uint32_t first = c_.first_ref[v];
    for (std::uint32_t i = c_.first_ref[v + 1]; i-- > first;) {
      if (i >= kDagAhead) prefetch(&idom_[c_.target[i - kDagAhead]]);
      std::uint32_t& dominator = idom_[c_.target[i]];
      dominator = dominator == kNoNode ? v : common_ancestor(dominator, v);
    }
  }

  std::uint32_t common_ancestor(std::uint32_t a, std::uint32_t b) const noexcept {
    if (a == b || a == c_.count()) return a;
    const std::uint32_t depth = std::min(place(a).depth, place(b).depth);
    a = raised(a, depth);
    b = raised(b, depth);
    // Of equal depths, their jumps lead to equal depths.
    while (a != b) {
      const std::uint32_t a_jump = place(a).jump;
      const std::uint32_t b_jump = place(b).jump;
      const bool far = a_jump != b_jump;
      a = far ? a_jump : idom_[a];
      b = far ? b_jump : idom_[b];
    }
    return a;
  }

  std::uint32_t raised(std::uint32_t v, std::uint32_t depth) const noexcept {
    while (place(v).depth > depth) {
      const std::uint32_t jump = place(v).jump;
      v = place(jump).depth >= depth ? jump : idom_[v];
    }
    return v;
  }

  Place place_below(std::uint32_t above) const noexcept {
    const Place at = place(above);
    const Place far = place(at.jump);
    const bool equal_steps = at.depth - far.depth == far.depth - place(far.jump).depth;
    return {at.depth + 1, equal_steps ? far.jump : above};
  }

  Place place(std::uint32_t v) const noexcept { return std::bit_cast<Place>(retained_[v]); }
  void set_place(std::uint32_t v, Place place) noexcept {
    retained_[v] = std::bit_cast<std::uint64_t>(place);
  }

  const Condensation& c_;
  std::span<std::uint32_t> idom_;      // [count + 1]
  std::span<std::uint64_t> retained_;  // [count + 1] places first, bytes in the end
  const CancelToken& cancel_;
  std::uint64_t steps_ = 0;
};

Result<DagDominators> make_dominators(const Condensation& condensation, Arena& arena,
                                      const CancelToken& cancel) noexcept {
  const std::size_t count = condensation.count();
  HF_TRY(idom, arena.make<std::uint32_t>(count + 1));
  HF_TRY(retained, arena.make<std::uint64_t>(count + 1));
  DominatorPush push(condensation, idom, retained, cancel);
  HF_TRY(depth, push.find_dominators());
  HF_CHECK_OK(push.add_up());
  return DagDominators{idom.first(count), retained.first(count), depth};
}

}  // namespace

Result<DagDominators> dag_dominators(const Condensation& condensation, Arena& arena,
                                     const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto made = make_dominators(condensation, arena, cancel);
  if (!made) arena.rewind(before);
  return made;
}

}  // namespace holdfast::analysis
