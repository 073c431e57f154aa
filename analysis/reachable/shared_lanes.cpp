#include "analysis/reachable/shared_lanes.h"

#include <algorithm>

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

static_assert(SharedLanes::kLaneBits <= 1u << SharedLanes::kPlaceShift);

struct Entry {
  std::uint64_t referrers_hash;
  std::uint32_t dominator;  // node
  std::uint32_t member;
  std::uint32_t leader;  // lowest member of the same bit
};

// SplitMix64's last steps.
std::uint64_t mixed_hash(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::uint64_t hash_of(std::span<const std::uint32_t> referrers) noexcept {
  std::uint64_t hash = referrers.size();
  for (const std::uint32_t r : referrers) hash = mixed_hash(hash + 0x9E3779B97F4A7C15ull + r);
  return hash;
}

bool before_by_hash(const Entry& a, const Entry& b) noexcept {
  if (a.dominator != b.dominator) return a.dominator < b.dominator;
  if (a.referrers_hash != b.referrers_hash) return a.referrers_hash < b.referrers_hash;
  return a.member < b.member;
}

bool before_by_leader(const Entry& a, const Entry& b) noexcept {
  if (a.dominator != b.dominator) return a.dominator < b.dominator;
  return a.leader != b.leader ? a.leader < b.leader : a.member < b.member;
}

bool same_referrers(const SharingGraph& graph, const Entry& a, const Entry& b) noexcept {
  if (a.dominator != b.dominator || a.referrers_hash != b.referrers_hash) return false;
  const auto of_a = graph.referrers(a.leader), of_b = graph.referrers(b.leader);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
}

constexpr std::ptrdiff_t kSortedAtOnce = 1 << 18;  // entries, between two looks at the token

// Parts that are too many for one go are halved first. (A heap of millions of entries is sorted for seconds.)
template <class Less>
Result<void> sort_entries(Entry* first, Entry* last, Less less,
                          const CancelToken& cancel) noexcept {
  while (last - first > kSortedAtOnce) {
    HF_CHECK_OK(cancel.check());
    Entry* const middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, less);
    HF_CHECK_OK(sort_entries(first, middle, less, cancel));
    first = middle;
  }
  HF_CHECK_OK(cancel.check());
  std::sort(first, last, less);
  return {};
}

// Entries in the order of their bits.
Result<std::span<Entry>> sorted_entries(const SharingGraph& graph, const DagDominators& dominators,
                                        Arena& arena, const CancelToken& cancel) noexcept {
  HF_TRY(entries, arena.make<Entry>(graph.shared_count));
  std::size_t count = 0;
  for (std::uint32_t m = 0; m < graph.member_count(); ++m) {
    if (m % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    if (!graph.is_shared(m) || graph.referrers(m).empty()) continue;
    entries[count++] = {hash_of(graph.referrers(m)), dominators.idom[graph.node[m]], m, m};
  }
  const std::span<Entry> found = entries.first(count);
  Entry* const begin = found.data();
  HF_CHECK_OK(sort_entries(begin, begin + count, before_by_hash, cancel));
  for (std::size_t i = 1; i < count; ++i)
    if (same_referrers(graph, found[i - 1], found[i])) found[i].leader = found[i - 1].leader;
  HF_CHECK_OK(sort_entries(begin, begin + count, before_by_leader, cancel));
  return found;
}

std::uint32_t member_of(const SharingGraph& graph, std::uint32_t node) noexcept {
  if (node == DagDominators::kRoot) return SharedLanes::kNone;
  const std::uint32_t member = graph.outside[node];
  return member != SharedLanes::kNone && graph.node[member] == node ? member : SharedLanes::kNone;
}

// Lays entries out, one after the other.
class Layout {
 public:
  Layout(const SharingGraph& graph, const DagDominators& dominators) noexcept
      : graph_(graph), dominators_(dominators) {}

  Result<SharedLanes> run(Arena& arena, const CancelToken& cancel) noexcept {
    const std::size_t most = graph_.shared_count;
    HF_TRY(place_of, arena.make_filled<std::uint32_t>(graph_.member_count(), SharedLanes::kNone));
    HF_TRY(bit_bytes, arena.make_filled<std::uint64_t>(most, 0));
    HF_TRY(member, arena.make<std::uint32_t>(most));
    HF_TRY(lanes, arena.make<SharedLanes::Lane>(most + 1));
    {
      ArenaScope scratch(arena);
      HF_TRY(entries, sorted_entries(graph_, dominators_, arena, cancel));
      place_of_ = place_of;
      bit_bytes_ = bit_bytes;
      member_ = member;
      lanes_ = lanes;
      for (std::size_t i = 0; i < entries.size(); ++i) add(entries, i);
      begin_lane(SharedLanes::kNone, entries.size());
    }
    return SharedLanes{place_of, bit_bytes.first(bits_), arena.shrink_last(lanes, lane_count_),
                       member};
  }

 private:
  void add(std::span<const Entry> entries, std::size_t i) noexcept {
    const Entry& e = entries[i];
    if (e.leader == e.member) {
      const bool same = i > 0 && entries[i - 1].dominator == e.dominator;
      if (!same || bits_ - lanes_[lane_count_ - 1].first_bit == SharedLanes::kLaneBits)
        begin_lane(member_of(graph_, e.dominator), i);
      ++bits_;
    }
    SharedLanes::Lane& lane = lanes_[lane_count_ - 1];
    const std::uint64_t bytes = dominators_.retained_bytes[graph_.node[e.member]];
    bit_bytes_[bits_ - 1] += bytes;
    lane.bytes += bytes;
    member_[i] = e.member;
    place_of_[e.member] =
        (lane_count_ - 1) << SharedLanes::kPlaceShift | (bits_ - 1 - lane.first_bit);
  }
  void begin_lane(std::uint32_t dominator, std::size_t first_member) noexcept {
    lanes_[lane_count_++] = {0, dominator, bits_, static_cast<std::uint32_t>(first_member)};
  }

  const SharingGraph& graph_;
  const DagDominators& dominators_;
  std::span<std::uint32_t> place_of_, member_;
  std::span<std::uint64_t> bit_bytes_;
  std::span<SharedLanes::Lane> lanes_;
  std::uint32_t bits_ = 0;
  std::uint32_t lane_count_ = 0;
};

}  // namespace

Result<SharedLanes> make_shared_lanes(const SharingGraph& graph, const DagDominators& dominators,
                                      Arena& arena, const CancelToken& cancel) noexcept {
  return Layout(graph, dominators).run(arena, cancel);
}

}  // namespace holdfast::analysis
