// Live estimates of accounts, scaled by what the dump counted itself.
// Why: a dump knows the exact number of a class's instances and bytes, samples know who allocated them. Together they are better than
//      each: a class's live estimates over all rows are scaled so that they come to the exact figure.
// Where live amounts are counted (exact-live) they are only kept below what the dump counted a moment later.
// What it is not: objects that were there before accounting began were allocated by nobody that we know, and go to the accounts that
//      allocated the class later; so the scaled amounts are at most an upper bound where that was. A class of which no sample lives
//      is given to nobody. Without a graph the dump counts unreachable objects, too; with one it does not, and live estimates shrink.
// Shape:  a class is matched by its name, over all loaders. rows[i] belongs to figures.rows[i]; for each class, sum over its rows <= what
//         the dump counted. 16 B a row stay; scratch 60 B a class name + 4 B a row. O((rows + classes) log rows).
// Zone:   worker, child.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/accounts/account_sums.h"
#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct LiveCalibration {
  std::span<CalibratedAmount> rows;
  CalibratedAmount heap;       // all that the dump counted
  CalibratedAmount explained;  // sum over rows
};

// `counted`: [class count + 1] as Findings::classes.
Result<LiveCalibration> calibrate_live(const AccountFigures& figures, const Catalog& catalog,
                                       std::span<const ClassFigures> counted, Arena& arena,
                                       const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
