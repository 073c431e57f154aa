// What a pass can do wrong on a graph, by name: two ways to the same answer that differ, a crash, a pass that does not end.
// Why here: a graph from the field on which a pass is wrong is minimised by one command, bin/minimise_snapshot.
// Shape:  the test of a defect runs passes, which may crash: run_isolated() or ends_as(test, shows_as). "crash PASS" and "hang PASS"
//         have the same test. A new pass is a row in pass_defects.cpp, a new comparison another.
// Zone:   offline.   Errors: a pass that answers an error where another one has none is a difference.
#pragma once

#include <string>
#include <vector>

#include "analysis/lab/delta/isolation.h"

namespace holdfast::analysis::lab {

struct Defect {
  std::string name;
  std::string meaning;
  GraphTest test;
  IsolatedEnd shows_as = IsolatedEnd::kTrue;
};

std::vector<Defect> pass_defects();

}  // namespace holdfast::analysis::lab
