// The memory accounts of a report as stacks: account, method where methods are told, class.
// Why callers are no frames: a report tells pairs of accounts, and classes of an account, but not which class comes from which pair.
// Shape:  as tree_stacks.h: names[0] is the root, "allocated" or "live". Every byte is in one sample: what an account has beyond its
//         listed classes (methods) is its own, what is in accounts that are not listed the root's. O(rows of accounts x accounts).
// Zone:   offline.   Errors: why_no_account_stacks() is the line that says why there are none.
#pragma once

#include <string>

#include "cli/export/tree_stacks.h"

namespace holdfast::cli {

// Empty: there are some.
std::string why_no_account_stacks(const ReportView& view, StackKind kind);
TreeStacks account_stacks(const ReportView& view, StackKind kind);

}  // namespace holdfast::cli
