// What else could explain the bytes of a suspect: sentences for people, from what the report has.
// Why: a suspect is the likeliest explanation, not the only one; who is to change a program should see the next ones beside it.
//   - other ways to what is behind the holder's field, from other GC roots or over other fields
//   - another suspect whose accumulation point is the same object, lies on this one's path, or has this one's on its path
//   - other objects that the same accumulation point holds, when they are more than a tenth of what it holds
//   - instances of the same class that are held elsewhere, when they are more than a tenth
// Shape:  O(suspects x path + tree + classes).   Zone: offline.
// Errors: none; empty when nothing rivals it. Of the other ways the report has a few.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

// Names shortened to `name_columns` (kFullNames: not at all).
std::vector<std::string> rivals_of(const ReportView& view, const SuspectView& suspect,
                                   std::size_t name_columns);

}  // namespace holdfast::cli
