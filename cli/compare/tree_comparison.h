// The upper dominator trees of two reports, matched by path: the classes from the root down.
// Why by class: objects have no identity that outlives a dump. Nodes of one class below the same parent are one, whether the
// report shows them one by one or as a group: next time it may do the other.
// Shape:  O(nodes log nodes). A path that a report does not show: absent where its parent has no children left over; else not
//         listed, and at most what the parent's remaining children retain.
// Zone:   offline.   Errors: none; the reader has checked that parents stand before children.
#pragma once

#include "cli/compare/comparison.h"

namespace holdfast::cli {

// What a class is called for matching.
using NameOf = std::string_view (*)(std::string_view name);

std::vector<PathChange> compare_trees(const ReportView& before, const ReportView& after,
                                      NameOf name_of);

}  // namespace holdfast::cli
