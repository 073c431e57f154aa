// Reachable sizes, components and cuts of a report as plain values, for report_view.cpp.
// Shape:  O(rows).   Zone: offline.   Errors: none, the reader has checked the indices.
#pragma once

#include "cli/report/report_view_names.h"

namespace holdfast::cli {

ReachableView reachable_view(const ReportNames& names, const report::ReachableFacts& from);
CutsView cuts_view(const ReportNames& names, const report::CutFacts& from);

}  // namespace holdfast::cli
