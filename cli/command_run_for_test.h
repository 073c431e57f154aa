// A command line run as main() runs it, and what came of it.
// Shape:  one call a command; no process, no terminal.   Zone: tests.   Errors: none of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace holdfast::cli {

struct Outcome {
  ExitCode code;
  std::string out, err;
};

struct RunAt {
  bool terminal = false;
  bool utf8 = true;
};

Outcome run_command(const std::vector<std::string>& arguments, RunAt at = {});

// Nothing on standard output, and one line on the other, which names holdfast first and contains all of `said`.
void check_refusal(const Outcome& outcome, ExitCode code, const std::vector<std::string>& said);

}  // namespace holdfast::cli
