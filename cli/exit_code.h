// The exit codes of the command, the same for every sub-command.
// Shape:  which failure gives which code is decided in input_error.cpp and command_line.cpp; table: docs/reference/exit-codes.md.
// Zone:   offline.   Errors: these are them.
#pragma once

namespace holdfast::cli {

enum class ExitCode : int {
  kDone = 0,
  kAssertionFailed = 1,  // only ever `holdfast assert`
  kWrongUsage = 2,       // also: no such file
  kBadInput = 3,         // damaged, cut, foreign or newer
  kRefused = 4,          // a limit, a permission
  kOurFault = 5,
};

}  // namespace holdfast::cli
