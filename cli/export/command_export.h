// `holdfast export FILE... --format FORMAT`: a report in a format that other programs read.
// Why all files are checked first: of a thousand reports one may be damaged, and then nothing is written rather than a part.
// Shape:  one report at a time is in memory. Text goes to standard output, bytes only where it is no terminal; on a terminal
//         everything is made printable.
// Zone:   offline.
// Errors: exit codes 2, 3 and 4 by input_error.h and output_file.h, one line on err.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/export/export_format.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct ExportCommand {
  std::vector<std::string> files;
  std::string format;
  std::string rows;     // empty: classes
  std::string stacks;   // empty: tree
  std::size_t top = 0;  // of openmetrics; 0: 50
  std::string output;   // empty: standard output
};

ExitCode run_export(const ExportCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
