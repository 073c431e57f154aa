// What a report says of ages: how many classes pile up, what loiters, how much of a class is old.
// Why bounds: what is made of samples is an estimate (three standard errors on both sides, as of accounts), a class of which nothing was
//      sampled may have a little, and a program that was followed for a few collections alone has had no time to show anything.
// Shape:  O(rows).   Zone: offline.   Errors: none; what is not known says why.
#pragma once

#include "cli/gate/figure.h"

namespace holdfast::cli {

// What piles up is named within so many collections where it does (docs/decisions/015-aging-classes.md).
inline constexpr std::uint64_t kCollectionsToTell = 30;

Figure piling_up_figure(const Assertion& assertion, const ReportView& view);
Figure loitering_figure(const Assertion& assertion, const ReportView& view);
// Of all objects that the dump saw.
Figure old_figure(const Assertion& assertion, const ReportView& view);
Figure sampled_old_figure(const Assertion& assertion, const ReportView& view);

}  // namespace holdfast::cli
