// A colour for each object that has no partner yet: equal colours look alike as far as their references were followed.
// Why: what only a root without a name holds (a VM handle, a frame of a virtual thread) is told from its like by where it leads to.
// Shape:  8 B an object; each of kColourRounds rounds reads the references of the objects without a partner.
// Zone:   offline.   Errors: none.
// Source: colour refinement (Weisfeiler and Leman).
#pragma once

#include <cstdint>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

inline constexpr int kColourRounds = 6;

// `name_of_pair[v]` is the same number for both halves of a pair, and 0 where there is none.
std::vector<std::uint64_t> colour_objects(const Snapshot& s,
                                          const std::vector<std::uint64_t>& name_of_pair);

}  // namespace holdfast::analysis::lab
