#include "analysis/reachable/shared_bits.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNone = SharingGraph::kNone;

struct Entry {
  std::uint64_t referrers_hash;
  std::uint32_t dominator;  // node
  std::uint32_t member;
  std::uint32_t leader;  // lowest member of the same bit
};

// SplitMix64's last steps.
std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::uint64_t hash_of(std::span<const std::uint32_t> referrers) noexcept {
  std::uint64_t hash = referrers.size();
  for (const std::uint32_t r : referrers) hash = mixed(hash + 0x9E3779B97F4A7C15ull + r);
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

// Entries in the order of their bits.
Result<std::span<Entry>> sorted_entries(const SharingGraph& graph, const DagDominators& dominators,
                                        Arena& arena) noexcept {
  HF_TRY(entries, arena.make<Entry>(graph.shared_count));
  std::size_t count = 0;
  for (std::uint32_t m = 0; m < graph.member_count(); ++m) {
    if (!graph.is_shared(m) || graph.referrers(m).empty()) continue;
    entries[count++] = {hash_of(graph.referrers(m)), dominators.idom[graph.node[m]], m, m};
  }
  const std::span<Entry> found = entries.first(count);
  std::sort(found.begin(), found.end(), before_by_hash);
  for (std::size_t i = 1; i < count; ++i) {
    const Entry& leader = found[i - 1];
    const auto theirs = graph.referrers(leader.leader), ours = graph.referrers(found[i].member);
    if (leader.dominator == found[i].dominator && leader.referrers_hash == found[i].referrers_hash &&
        std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end()))
      found[i].leader = leader.leader;
  }
  std::sort(found.begin(), found.end(), before_by_leader);
  return found;
}


std::uint32_t member_of(const SharingGraph& graph, std::uint32_t node) noexcept {
  if (node == DagDominators::kRoot) return kNone;
  const std::uint32_t member = graph.outside[node];
  return member != kNone && graph.node[member] == node ? member : kNone;
}

}  // namespace

Result<SharedBits> make_shared_bits(const SharingGraph& graph, const DagDominators& dominators,
                                    Arena& arena, const CancelToken& cancel) noexcept {
  HF_CHECK_OK(cancel.check());
  HF_TRY(bit_of, arena.make_filled<std::uint32_t>(graph.member_count(), kNone));
  HF_TRY(bytes, arena.make_filled<std::uint64_t>(graph.shared_count, 0));
  HF_TRY(dominator, arena.make<std::uint32_t>(graph.shared_count));
  HF_TRY(first_member, arena.make<std::uint32_t>(std::size_t{graph.shared_count} + 1));
  HF_TRY(member, arena.make<std::uint32_t>(graph.shared_count));
  ArenaScope scratch(arena);
  HF_TRY(entries, sorted_entries(graph, dominators, arena));
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    if (e.leader == e.member) {
      first_member[bits] = i;
      dominator[bits++] = member_of(graph, e.dominator);
    }
    member[i] = e.member;
    bit_of[e.member] = bits - 1;
    bytes[bits - 1] += dominators.retained_bytes[graph.node[e.member]];
  }
  first_member[bits] = static_cast<std::uint32_t>(entries.size());
  return SharedBits{bit_of, bytes.first(bits), dominator.first(bits),
                    first_member.first(std::size_t{bits} + 1), member.first(entries.size())};
}

}  // namespace holdfast::analysis
