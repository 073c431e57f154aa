// How an attempt to get the agent into a process ended, as the command will say it.
// Shape:  one line of text without a name before it; empty when all is well.   Zone: offline.   Errors: is one.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace holdfast::cli {

struct AttachOutcome {
  ExitCode code = ExitCode::kDone;
  std::string text = {};
  int agent_code = 0;     // what the agent answered its VM; 0: loaded
  std::string note = {};  // what a person should know, though it worked
  bool good() const { return code == ExitCode::kDone; }
};

inline AttachOutcome refused(std::string text) { return {ExitCode::kRefused, std::move(text)}; }

}  // namespace holdfast::cli
