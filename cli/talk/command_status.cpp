#include "cli/talk/command_status.h"

#include "cli/talk/status_view.h"

namespace holdfast::cli {

ExitCode run_status(const StatusCommand& command, Surroundings& surroundings,
                    const AgentDoor& door) {
  return run_for_agent("status", surroundings, [&] {
    const std::uint32_t pid = door.find(command.process);
    AgentConnection agent(agent_socket(door, pid), pid);
    const control::Answer& answer =
        agent.ask(request_for(control::Command::kStatus), control::AnswerKind::kStatus);
    const control::Status& status = answer.status;
    surroundings.err << left_out_line(pid, answer);
    surroundings.out << (command.json
                             ? status_json(status)
                             : status_text(status, choose_columns(0, surroundings),
                                           choose_colour(ColourChoice::kAuto, surroundings)));
    return written("status", surroundings);
  });
}

}  // namespace holdfast::cli
