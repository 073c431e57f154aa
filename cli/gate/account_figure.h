// What a report says of one memory account: a figure, or between which bounds it lies.
// Why bounds: what is made of samples is an estimate. A gate takes three standard errors on both sides, beyond which a figure is
//      once in 400 times.
// Shape:  O(accounts).   Zone: offline.   Errors: none; what is not known says why.
#pragma once

#include "cli/gate/figure.h"

namespace holdfast::cli {

Figure account_figure(const Assertion& assertion, const ReportView& view);

}  // namespace holdfast::cli
