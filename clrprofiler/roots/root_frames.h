// Which thread and frame a stack root belongs to: the runtime tells a root's function alone, stacks were taken a moment before.
// Why an alignment: roots come thread by thread in the order of the stacks, the leaf first; but between the stacks and the roots
//      threads run on, end and begin. Whoever walks both forward and trusts each meeting is led astray by the first function that has
//      left its thread and stands in a later one. The longest common chain is not.
// Shape:  equal neighbours are one: a run of frames (a recursion; its roots get the topmost frame) and a group of roots. A chain
//         pairs groups with runs of the same function, both growing. The longest one wins, of equal ones the one that ends
//         topmost. Hunt and Szymanski, O((frames + pairs) log pairs), 16 B a frame and 12 B a pair that lengthens or
//         improves a chain. Of the runs of one function in one thread the topmost kMostRuns count; after kMostPairs pairs
//         the rest of the roots stays without frames.
//         Threads with equal stacks that hold nothing in equal frames cannot be told apart; the first one gets the roots.
// Zone:   capture, application running.
// Errors: kOutOfBudget, and no root has a frame.
// Source: Hunt, Szymanski: A Fast Algorithm for Computing Longest Common Subsequences (1977).
#pragma once

#include <cstdint>
#include <span>

#include "common/arena.h"

namespace holdfast::clr {

// Frames of one thread: functions[first, first + count), the leaf first. No function is 0.
struct FrameStretch {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct RootFrame {
  static constexpr std::uint32_t kNoStack = 0xFFFFFFFFu;
  std::uint32_t stack = kNoStack;
  std::uint32_t depth = 0;  // 0: the leaf

  bool found() const noexcept { return stack != kNoStack; }
  friend bool operator==(const RootFrame&, const RootFrame&) noexcept = default;
};

// `roots`: functions of the stack roots, in the order in which they came; 0: not known. Stretches grow and do not overlap.
// Answers how many got a frame.
Result<std::uint32_t> match_root_frames(std::span<const std::uint64_t> functions,
                                        std::span<const FrameStretch> stacks,
                                        std::span<const std::uint64_t> roots,
                                        std::span<RootFrame> found, Arena& scratch) noexcept;

}  // namespace holdfast::clr
