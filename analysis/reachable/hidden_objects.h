// What retained sizes hide: objects that retain little and reach much, because others lead there as well.
// Which:  the held objects of which the reachable size exceeds the retained size most, and is at least twice that; kMaxHiddenOfClass
//         of a class. Left out:
//         - what reaches more than half of the held bytes and nearly as much as any object does, nine tenths: what leads to class
//           loaders, threads and registries reaches nearly everything; but not what gathers: the table of a leaking buffer reaches
//           most of a heap, and nothing that it refers to reaches half as much;
//         - what a retained size shows: the first dominator that retains as much as the object reaches retains less than twice of that
//           (the list of a node that leads to all other nodes); but not what gathers, where its class is not the platform's: a
//           buffer and a result list of one server that hold the same objects are the case that retained sizes hide;
//         - what goes on from an object that is no such case and reaches little more, at most 5/4: of a chain
//           (holder -> map -> table) the uppermost;
//         - differences below a two-hundredth of the held bytes.
//         For the objects of a component, which all reach the same, stands the one that retains most.
// Shape:  `hidden` is the room, filled from the front. Scratch 4 B a node + 4 B a level of the dominator tree. O(held + rows * log depth).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], chapter 2, figure 2.3; section 5.3.1.
#pragma once

#include "analysis/reachable/reachable_size.h"

namespace holdfast::analysis {

inline constexpr std::uint32_t kMaxHiddenObjects = 20;
inline constexpr std::uint32_t kMaxHiddenOfClass = 2;

// Answers how many there are.
Result<std::uint32_t> find_hidden_objects(const Snapshot& snapshot, const Dominators& dominators,
                                          const ReachableSizes& sizes, std::span<ObjectId> hidden,
                                          Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
