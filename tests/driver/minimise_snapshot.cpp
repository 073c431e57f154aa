// minimise_snapshot IN.hfs DEFECT OUT.hfs OUT.dot: the smallest graph on which a pass is still wrong, of a snapshot on which it is.
// Without words it says which defects there are. Prints what is left; exit codes: analysis/lab/delta/minimise_command.h.
#include <iostream>

#include "analysis/lab/delta/minimise_command.h"

int main(int count, char** words) {
  using namespace holdfast::analysis::lab;
  return minimise_command({words + 1, words + count}, pass_defects(), std::cout, std::cerr);
}
