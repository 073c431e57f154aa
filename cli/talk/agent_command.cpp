#include "cli/talk/agent_command.h"

#include "cli/text/display_text.h"

namespace holdfast::cli {

ExitCode run_for_agent(std::string_view name, Surroundings& surroundings,
                       const std::function<ExitCode()>& body) {
  try {
    return body();
  } catch (const Stop& stop) {
    surroundings.err << "holdfast " << name << ": " << printable(stop.text) << '\n' << std::flush;
    return stop.code;
  }
}

int agent_socket(const AgentDoor& door, std::uint32_t pid) {
  const int descriptor = door.connect(pid);
  if (descriptor != AgentDoor::kNoAgent) return descriptor;
  const std::string number = std::to_string(pid);
  throw Stop{ExitCode::kRefused, "process " + number + " has no agent; 'holdfast dump " + number +
                                     "' and 'holdfast set " + number + " ...' put one in"};
}

ExitCode written(std::string_view name, Surroundings& surroundings) {
  if (surroundings.out.flush()) return ExitCode::kDone;
  surroundings.err << "holdfast " << name
                   << ": cannot write to standard output (is the disk full?)\n";
  return ExitCode::kRefused;
}

}  // namespace holdfast::cli
