// What the commands that talk to a running process have in common: the process, its agent, and the line for what goes wrong.
// Shape:  plain functions.   Zone: offline.   Errors: Stop; run_for_agent() makes a line and an exit code of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/surroundings.h"
#include "cli/talk/agent_connection.h"
#include "cli/talk/agent_door.h"

namespace holdfast::cli {

// "holdfast NAME: why" on err where `body` throws a Stop.
ExitCode run_for_agent(std::string_view name, Surroundings& surroundings,
                       const std::function<ExitCode()>& body);

// The socket of an agent that must be there already.
int agent_socket(const AgentDoor& door, std::uint32_t pid);

// Answers 4 where standard output takes no more (a full disk, a reader that went away).
ExitCode written(std::string_view name, Surroundings& surroundings);

}  // namespace holdfast::cli
