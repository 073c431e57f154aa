// `holdfast doctor [PID]`: what works here or in a process, and why something does not.
// Shape:  reads facts (system_look, process_look), judges them (system_findings, process_findings), shows findings. Changes nothing: no
//         agent is loaded, no signal is sent; an agent that is there is asked for its status.
// Zone:   offline.
// Errors: exit code 4: something speaks against a dump; 2: no such process; one line on err then.
#pragma once

#include <cstddef>
#include <string>

#include "cli/exit_code.h"
#include "cli/surroundings.h"
#include "cli/talk/agent_door.h"

namespace holdfast::cli {

struct DoctorCommand {
  std::string process;  // empty: this machine
  std::string library;  // --library
  bool json = false;
  std::size_t width = 0;
  ColourChoice colour = ColourChoice::kAuto;
};

ExitCode run_doctor(const DoctorCommand& command, Surroundings& surroundings,
                    const AgentDoor& door);

}  // namespace holdfast::cli
