#include "analysis/joint_holders.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/dominator_tree.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t kMaxSiblings = 6;      // that are tried with each other
constexpr std::uint64_t kLeastShareOf = 10;  // of the group's bytes: worth a sentence
constexpr std::uint32_t kCancelStride = 8192;
// Who leads to a member: a bit for each of the siblings, or
constexpr std::uint8_t kByMembers = 0x40;
constexpr std::uint8_t kByOthers = 0x80;
constexpr StrengthSet kAnyStrength = ~StrengthSet{0};

class JointSearch {
 public:
  JointSearch(const SuspectInput& input, const SuspectFinding& finding, const ClassSums& sums,
              const CancelToken& cancel) noexcept
      : references_(input.references),
        s_(input.references.snapshot()),
        d_(input.dominators),
        finding_(finding),
        sums_(sums),
        cancel_(cancel),
        first_(finding.holder + 1),
        end_(subtree_end(d_, finding.holder)) {}

  Result<JointHolders> run(Arena& arena) noexcept {
    ArenaScope scratch(arena);
    HF_CHECK_OK(find_siblings());
    if (count_ < 2) return JointHolders{};
    HF_TRY(ways, arena.make_filled<std::uint8_t>(end_ - first_, std::uint8_t{0}));
    ways_ = ways;
    HF_CHECK_OK(note_ways());
    // Members that lead to each other go together, or keep each other: counted as if they did not at first, then as if they did.
    for (const std::uint8_t ignored : {kByMembers, std::uint8_t{0}}) {
      const std::uint8_t best = best_set(ignored);
      if (best == 0) continue;
      HF_TRY(freed, freed_without(best, arena));
      const JointHolders found = worth(best, freed);
      if (found.count != 0) return found;
    }
    return JointHolders{};
  }

 private:
  struct Sibling {
    std::uint32_t position = 0;
    std::uint64_t bytes = 0;  // of the members that its subtree refers to, as often as it does
  };

  bool is_member(std::uint32_t position) const noexcept {
    const std::uint32_t object = d_.order[position];
    return d_.idom[object] == d_.order[finding_.holder] &&
           sums_.row_of(object) == finding_.start.first_row &&
           d_.retained_bytes[object] < finding_.start.too_big_bytes;
  }
  std::uint64_t bytes_at(std::uint32_t position) const noexcept {
    return retained_at(d_, position);
  }

  // visit(position of the member) for each reference from the subtree at `child` to one.
  template <class Visit>
  Result<void> for_each_reference(std::uint32_t child, Visit visit) noexcept {
    const std::uint32_t end = subtree_end(d_, child);
    for (std::uint32_t at = child; at < end; ++at) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      references_.visit_row(d_.order[at], kAnyStrength, [&](std::uint32_t to, Strength) {
        const std::uint32_t position = d_.position[to];
        if (position >= first_ && position < end_ && is_member(position)) visit(position);
      });
    }
    return {};
  }

  Result<void> find_siblings() noexcept {
    for (std::uint32_t child = first_; child < end_; child = next_child(d_, child)) {
      if (is_member(child)) {
        group_bytes_ += bytes_at(child);
        continue;
      }
      Sibling sibling{child};
      HF_CHECK_OK(for_each_reference(
          child, [&](std::uint32_t member) { sibling.bytes += bytes_at(member); }));
      if (sibling.bytes != 0) keep(sibling);
    }
    while (count_ > 0 && siblings_[count_ - 1].bytes < group_bytes_ / kLeastShareOf) --count_;
    return {};
  }
  void keep(const Sibling& sibling) noexcept {
    if (count_ == kMaxSiblings && siblings_[count_ - 1].bytes >= sibling.bytes) return;
    count_ = std::min(count_ + 1, kMaxSiblings);
    siblings_[count_ - 1] = sibling;
    std::sort(siblings_.begin(), siblings_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const Sibling& a, const Sibling& b) {
                return a.bytes != b.bytes ? a.bytes > b.bytes : a.position < b.position;
              });
  }

  Result<void> note_ways() noexcept {
    for (std::uint32_t child = first_; child < end_; child = next_child(d_, child)) {
      const std::uint8_t bit = is_member(child) ? kByMembers : bit_of(child);
      HF_CHECK_OK(
          for_each_reference(child, [&](std::uint32_t member) { ways_[member - first_] |= bit; }));
    }
    references_.visit_row(d_.order[finding_.holder], kAnyStrength, [&](std::uint32_t to, Strength) {
      const std::uint32_t position = d_.position[to];
      if (position >= first_ && position < end_) ways_[position - first_] |= kByOthers;
    });
    for (std::uint32_t child = first_; child < end_; child = next_child(d_, child))
      if (is_member(child)) bytes_by_ways_[ways_[child - first_]] += bytes_at(child);
    return {};
  }
  std::uint8_t bit_of(std::uint32_t child) const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if (siblings_[i].position == child) return static_cast<std::uint8_t>(1u << i);
    return kByOthers;
  }

  std::uint64_t sum_of(std::uint8_t set) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t ways = 1; ways < bytes_by_ways_.size(); ++ways)
      if ((ways & ~std::size_t{set}) == 0) sum += bytes_by_ways_[ways];
    return sum;
  }

  // The pair with most of the members, or three where they have a quarter more.
  std::uint8_t best_set(std::uint8_t ignored) const noexcept {
    std::array<std::uint8_t, 2> best{};
    std::array<std::uint64_t, 2> most{};
    for (std::uint8_t set = 1; set < (1u << count_); ++set) {
      const int size = std::popcount(set);
      if (size != 2 && size != 3) continue;
      const auto at = static_cast<std::size_t>(size - 2);
      const std::uint64_t sum = sum_of(set | ignored);
      if (sum <= most[at]) continue;
      best[at] = set;
      most[at] = sum;
    }
    const std::size_t at = most[1] / 5 * 4 > most[0] ? 1 : 0;
    return most[at] >= group_bytes_ / kLeastShareOf ? best[at] : std::uint8_t{0};
  }

  bool is_in(std::uint8_t set, std::uint32_t position) const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if ((set >> i & 1) != 0 && siblings_[i].position == position) return true;
    return false;
  }

  // What is below the accumulation point and not reached from it without the siblings of the set.
  Result<std::uint64_t> freed_without(std::uint8_t set, Arena& arena) noexcept {
    HF_TRY(marked, arena.make_filled<std::uint64_t>((end_ - first_) / 64 + 1, std::uint64_t{0}));
    HF_TRY(stack, arena.make<std::uint32_t>(end_ - first_));
    std::size_t depth = 0;
    std::uint64_t kept = 0;
    const auto mark = [&](std::uint32_t object, Strength) {
      const std::uint32_t position = d_.position[object];
      if (position < first_ || position >= end_ || is_in(set, position)) return;
      std::uint64_t& word = marked[(position - first_) / 64];
      const std::uint64_t bit = std::uint64_t{1} << ((position - first_) % 64);
      if ((word & bit) != 0) return;
      word |= bit;
      kept += s_.shallow_bytes(ObjectId{object});
      stack[depth++] = object;
    };
    const std::uint32_t holder = d_.order[finding_.holder];
    references_.visit_row(holder, kAnyStrength, mark);
    while (depth > 0) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      references_.visit_row(stack[--depth], kAnyStrength, mark);
    }
    return d_.retained_bytes[holder] - s_.shallow_bytes(ObjectId{holder}) - kept;
  }

  JointHolders worth(std::uint8_t set, std::uint64_t freed) const noexcept {
    JointHolders found;
    for (std::size_t i = 0; i < count_; ++i) {
      if ((set >> i & 1) == 0) continue;
      found.sibling[found.count++] = ObjectId{d_.order[siblings_[i].position]};
      found.alone_bytes = std::max(found.alone_bytes, bytes_at(siblings_[i].position));
    }
    found.freed_bytes = freed;
    const bool is_worth = freed >= group_bytes_ / kLeastShareOf && freed / 2 >= found.alone_bytes;
    return is_worth ? found : JointHolders{};
  }

  const CountedReferences& references_;
  const Snapshot& s_;
  const Dominators& d_;
  const SuspectFinding& finding_;
  const ClassSums& sums_;
  const CancelToken& cancel_;
  const std::uint32_t first_, end_;             // positions below the accumulation point
  std::array<Sibling, kMaxSiblings> siblings_;  // the one with most first
  std::size_t count_ = 0;
  std::uint64_t group_bytes_ = 0;
  std::span<std::uint8_t> ways_;  // of members, by position: bits of the siblings that lead there
  std::array<std::uint64_t, 256> bytes_by_ways_{};
  std::uint32_t steps_ = 0;
};

}  // namespace

Result<JointHolders> find_joint_holders(const SuspectInput& input, const SuspectFinding& finding,
                                        const ClassSums& sums, Arena& arena,
                                        const CancelToken& cancel) noexcept {
  if (finding.kind != FindingKind::kGroup || finding.holder == kRootPosition ||
      finding.start.position != finding.holder)
    return JointHolders{};
  return JointSearch(input, finding, sums, cancel).run(arena);
}

}  // namespace holdfast::analysis
