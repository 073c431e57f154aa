// The upper dominator tree of a report as stacks: what pprof files and flame graphs are made of.
// Why own bytes: every byte of the heap is in exactly one sample, so flat values add up to the heap and the cumulative value of
//      a node is its retained size.
// Shape:  names[]: each once; names[0] is "heap", the root of every stack. samples[0] is the heap's own: what hangs on no node.
//         sum of samples[].bytes == whole_bytes(), sum of samples[].objects == whole_objects(), as long as the report's sums are right.
//         bytes of a node: its shallow size and all it retains that no node below it has; objects: the node itself, or the
//         members of a group. Where the other objects lie a report does not say: they are counted at the heap.
//         A node deeper than kMaxDepth is counted at its ancestor there (a list of a million links is one long chain).
//         Without a tree (a simple dump): a stack of two for each class, shallow sizes.
//         O(nodes * depth).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

// What stacks are made of: the dominator tree; what accounts allocated since accounting began; what of that lives.
enum class StackKind : std::uint8_t { kTree, kAllocated, kLive };
inline constexpr std::string_view kStackKindWords[] = {"tree", "allocated", "live"};

struct StackSample {
  std::vector<std::uint32_t> frames;  // indices into names, the leaf first
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
  std::string_view loader;  // of the leaf's class; empty: not known, or the members of a group
};

struct TreeStacks {
  static constexpr std::uint32_t kMaxDepth = 256;
  std::vector<std::string> names;
  std::vector<StackSample> samples;
};

TreeStacks tree_stacks(const ReportView& view);
// Of any kind; the report has it (account_stacks.h).
TreeStacks stacks_of(const ReportView& view, StackKind kind);

}  // namespace holdfast::cli
