// `holdfast ps [PID]`: which processes have a Java or .NET VM, and which of them have the agent.
// Shape:  one pass over /proc; rows by number. What may not be looked at is counted, and listed with --all.
// Zone:   offline.
// Errors: exit code 2: no such process; 4: one process was named, and it has no VM or may not be looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/exit_code.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct PsCommand {
  std::uint32_t pid = 0;  // 0: all
  bool json = false;
  bool all = false;  // also those that may not be looked at
  std::size_t width = 0;
  ColourChoice colour = ColourChoice::kAuto;
};

ExitCode run_ps(const PsCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
