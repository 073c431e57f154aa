// Chooses the cuts that are shown: important_nodes.h says which.
// Shape:  one pass over the dominator tree in preorder with the cuts that lie above, at most kMaxNesting of them: each frees less
//         than 4/5 of the one above it, and none less than least_cut_bytes. Scratch 32 B a shown cut. O(held + candidates * (shown + row)).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/cuts/important_nodes.h"

namespace holdfast::analysis {

// Held bytes are less than 2^17 times this, so fewer than ln(2^17) / ln(5/4) + 1 = 54 cuts lie in one another.
constexpr std::uint64_t least_cut_bytes(std::uint64_t held_bytes) noexcept {
  return held_bytes >= 65'536 ? held_bytes / 65'536 : 1;
}
inline constexpr std::uint32_t kMaxNesting = 54;

// `candidates`: a bit an object whose immediate dominator, or only root, holds it alone, and that retains least_cut_bytes.
// root_of[object]: the root of a candidate without a dominator. Fills `cuts` from the front, the largest first; returns how many.
Result<std::uint32_t> choose_cuts(const ImportantNodesInput& input,
                                  std::span<const std::uint64_t> candidates,
                                  std::span<const std::uint32_t> root_of, std::span<Cut> cuts,
                                  Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
