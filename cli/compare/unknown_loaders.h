// Classes whose loader one of two reports does not know, because it lists its largest loaders only.
// Why:    such a row has the name of a class and no loader; the other report's row of that name has one. Neither of them is new or
//         gone: they may be the same.
// Shape:  where each report has one row of the name, they become one. Where there are more, nobody knows which belong together:
//         what the one report lacks is then unlisted, bounded by the row without a loader, and the other way round.
//         O(rows log rows).
// Zone:   offline.   Errors: none.
#pragma once

#include "cli/compare/comparison.h"

namespace holdfast::cli {

// `before_cut`, `after_cut`: that report does not list all of its loaders.
void match_unknown_loaders(ListChange& classes, bool before_cut, bool after_cut);

}  // namespace holdfast::cli
