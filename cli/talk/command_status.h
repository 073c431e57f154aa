// `holdfast status PID`: what the agent in a process is, waits for, has done and costs.
// Shape:  one question, one answer.   Zone: offline.   Errors: exit codes as agent_connection.h, one line on err.
#pragma once

#include <string>

#include "cli/talk/agent_command.h"

namespace holdfast::cli {

struct StatusCommand {
  std::string process;
  bool json = false;
};

ExitCode run_status(const StatusCommand& command, Surroundings& surroundings,
                    const AgentDoor& door);

}  // namespace holdfast::cli
