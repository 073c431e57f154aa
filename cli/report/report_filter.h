// A report cut down to what somebody asked for: --class, --skip, --under, --depth.
//   --class   only classes that match; suspects of which the class, a holder or a step matches; nodes of the dominator tree that
//             match, with those above them; the largest objects; hidden ones; cuts; frames. Packages, loaders and figures of the whole stay.
//   --skip    without those that match; in the tree, what they dominate hangs below whatever dominates them.
//   --under   of the tree, only what hangs below a node: its number, or a pattern for its class (the topmost that match).
//   --depth   of the tree, so many levels.
//   --account of memory accounts, only this one (account_choice.h).
// Why rows that go are summed up: what a list does not show is in its rest, whoever left it out, and shares stay those of the heap.
// Shape:  changes a copy of the view; nodes keep their numbers and are marked. O(rows x patterns).
// Zone:   offline.   Errors: Stop with exit code 2 when --class, --under or --account matches nothing; names the nearest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

struct ReportFilter {
  std::vector<std::string> classes = {}, skip = {};
  std::string under = {};
  std::uint32_t depth = 0;   // 0: all levels
  std::string account = {};  // empty: all

  bool by_name() const { return !classes.empty() || !skip.empty(); }
  bool any() const { return by_name() || !under.empty() || depth > 0 || !account.empty(); }
};

void apply_filter(ReportView& view, const ReportFilter& filter);
// "Only classes that match shop.*; 530 classes are not listed by name." Empty: nothing was left out by name.
std::string filter_remark(const ReportView& view, const ReportFilter& filter);

}  // namespace holdfast::cli
