// bin/minimise_snapshot, but for its main(): a snapshot file, the name of a defect that shows on it, where what is left of it goes.
// Shape:  minimise_snapshot IN.hfs DEFECT OUT.hfs OUT.dot; a defect's name may be of two words ("crash dominators"). Each test runs in
//         a child of its own. Ends after 20 minutes with the smallest so far.
// Zone:   offline.
// Errors: exit code 0: written; 1: the defect does not show on the whole graph; 2: one line on what was wrong with the words or a
//         file.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/lab/delta/pass_defects.h"

namespace holdfast::analysis::lab {

struct MinimiseLimits {
  std::chrono::milliseconds each{60'000};  // of a test; what takes longer hangs
  std::chrono::milliseconds all{20 * 60'000};
};

int minimise_command(const std::vector<std::string>& words, const std::vector<Defect>& defects,
                     std::ostream& out, std::ostream& err, const MinimiseLimits& limits = {});

}  // namespace holdfast::analysis::lab
