#include "cli/talk/command_order.h"

#include "cli/talk/agent_options.h"
#include "cli/text/display_text.h"
#include "common/control/run_time_options.h"

namespace holdfast::cli {
namespace {

using control::AnswerKind;
using control::Command;

ExitCode give_order(const char* name, Command order, const OrderCommand& command,
                    Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent(name, surroundings, [&] {
    const std::uint32_t pid = door.find(command.process);
    AgentConnection agent(agent_socket(door, pid), pid);
    const control::Answer& answer = agent.ask(request_for(order), AnswerKind::kDone);
    surroundings.out << printable(answer.text) << '\n';
    return written(name, surroundings);
  });
}

// A slip, or what only a start can choose, is found before an agent is put into anybody's process for it.
void check_options(const std::string& text) {
  Options options;
  OptionError error;
  std::uint32_t changed = 0;
  if (!control::change_run_time_options(text, options, changed, error))
    throw Stop{ExitCode::kWrongUsage, error.text};
}

int socket_for_set(const SetCommand& command, const AgentDoor& door, std::uint32_t pid) {
  const int descriptor = door.connect(pid);
  if (descriptor != AgentDoor::kNoAgent) return descriptor;
  check_options(command.options);
  return door.attach(pid, {command.library, start_options(pid, {}), kAttachTimeoutNs});
}

}  // namespace

ExitCode run_set(const SetCommand& command, Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent("set", surroundings, [&] {
    const std::uint32_t pid = door.find(command.process);
    AgentConnection setting(socket_for_set(command, door, pid), pid);
    control::Request request = request_for(Command::kSet);
    request.options = command.options;
    setting.ask(request, AnswerKind::kDone);
    AgentConnection asking(agent_socket(door, pid), pid);
    const control::Answer& answer = asking.ask(request_for(Command::kStatus), AnswerKind::kStatus);
    for (const control::NamedText& option : answer.status.options)
      surroundings.out << printable(option.name) << '=' << printable(option.text) << '\n';
    return written("set", surroundings);
  });
}

ExitCode run_cancel(const OrderCommand& command, Surroundings& surroundings,
                    const AgentDoor& door) {
  return give_order("cancel", Command::kCancel, command, surroundings, door);
}

ExitCode run_detach(const OrderCommand& command, Surroundings& surroundings,
                    const AgentDoor& door) {
  return give_order("detach", Command::kDetach, command, surroundings, door);
}

}  // namespace holdfast::cli
