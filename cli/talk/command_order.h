// `holdfast set`, `cancel` and `detach`: one order, one answer.
// Why set attaches: triggers can then be armed in a process that was started without the agent; it starts with on=off and the wish
//      comes second, so that a wrong wish arms nothing.
// Shape:  set prints the options in force afterwards, key=value, a line each; the others print what the agent says it did.
// Zone:   offline.   Errors: exit codes 2 (a wrong key or value: the agent's own line), 4 and 5, one line on err.
#pragma once

#include <string>

#include "cli/talk/agent_command.h"

namespace holdfast::cli {

struct OrderCommand {
  std::string process;
};
struct SetCommand {
  std::string process;
  std::string options;
  std::string library;
};

ExitCode run_set(const SetCommand& command, Surroundings& surroundings, const AgentDoor& door);
ExitCode run_cancel(const OrderCommand& command, Surroundings& surroundings, const AgentDoor& door);
ExitCode run_detach(const OrderCommand& command, Surroundings& surroundings, const AgentDoor& door);

}  // namespace holdfast::cli
