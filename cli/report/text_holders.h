// A class and what refers to its instances, as lines: for a report and for `holdfast watch`.
// Shape:  a line for the class, one for each place, one for the rest; names give way to the page's width.
// Zone:   offline.   Errors: none.
#pragma once

#include "cli/report/holders_view.h"
#include "cli/text/page.h"

namespace holdfast::cli {

void write_holder_class(const HolderClassView& row, Page& page);

}  // namespace holdfast::cli
