// The command line: which sub-command, with which options; and what happens to everything that goes wrong.
// Why here: usage errors and our own faults look the same for every command.
// Shape:  arguments without the program's name.   Zone: offline.
// Errors: exit codes 2, 4 and 5, one line on err each.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/manual/manual_page.h"
#include "cli/surroundings.h"
#include "cli/talk/agent_door.h"

namespace holdfast::cli {

ExitCode run_command_line(const std::vector<std::string>& arguments, Surroundings& surroundings,
                          const AgentDoor& door = system_door());
// holdfast itself, and each command that is built: what manual pages are made from.
std::vector<CommandText> command_texts();

}  // namespace holdfast::cli
