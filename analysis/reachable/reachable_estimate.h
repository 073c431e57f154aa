// Reachable sizes estimated, for what the exact way leaves over: the smallest of random ranks that a node reaches tells how much it reaches.
// How:    each node draws exponential ranks, the smaller the more bytes it has; minima go from below to all that reach it. The minimum over a set is
//         exponential with the set's bytes as its rate, so (ranks - 1) / (sum of the minima) is an estimate without bias.
//         What only one node refers to, and nobody asks about, draws none: its bytes are its referrer's.
// Shape:  kRanksAtOnce ranks go in one pass over the condensation: 76 B a node + 3 bits, most of it untouched where much is folded;
//         ranks / kRanksAtOnce passes. Where memory is short, 8 or 4 ranks in one pass: 44 or 28 B a node, and as many more passes.
//         Where time is short, fewer passes and so fewer ranks; one at least. Seeded: the same for the same graph and width.
//         Standard error 1 / sqrt(ranks - 2) of the size at most: 8.9 % with 128 ranks, 7 % in the mean; less for what reaches much of all.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled, kDeadline (of the token, in the first pass); the arena is then as
//         before.
// Source: Cohen: Size-estimation framework with applications to transitive closure and reachability.
#pragma once

#include "analysis/reachable/condensation.h"

namespace holdfast::analysis {

inline constexpr std::uint32_t kRanksAtOnce = 16;

// A multiple of kRanksAtOnce, at least that.
constexpr std::uint32_t whole_ranks(std::uint32_t ranks) noexcept {
  return ranks < kRanksAtOnce ? kRanksAtOnce : ranks / kRanksAtOnce * kRanksAtOnce;
}
double estimate_standard_error(std::uint32_t ranks) noexcept;

struct EstimateLimits {
  std::uint32_t ranks = 128;
  std::uint64_t enough_ns = UINT64_MAX;  // no pass is begun that would hardly end before
};

// Replaces bytes[v] for every node v of `wanted` by its estimate, but by no less than it is and no more than all bytes there are.
// Answers the ranks that it was made of.
Result<std::uint32_t> estimate_reachable(const Condensation& condensation,
                                         std::span<const std::uint64_t> wanted,
                                         const EstimateLimits& limits,
                                         std::span<std::uint64_t> bytes, Arena& arena,
                                         const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
