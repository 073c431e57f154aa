#include "cli/doctor/command_doctor.h"

#include "cli/doctor/doctor_output.h"
#include "cli/doctor/process_look.h"
#include "cli/doctor/system_look.h"
#include "cli/talk/agent_command.h"
#include "platforms/process.h"

namespace holdfast::cli {
namespace {

std::string machine_name() {
  constexpr std::size_t kMaxHost = 256;
  char host[kMaxHost];
  platforms::host_name(host, sizeof host);
  return host;
}

ExitCode show(const DoctorCommand& command, const DoctorSubject& subject, const Findings& findings,
              Surroundings& surroundings) {
  surroundings.out << (command.json ? doctor_json(subject, findings)
                                    : doctor_text(subject, findings,
                                                  choose_columns(command.width, surroundings),
                                                  choose_colour(command.colour, surroundings)));
  const ExitCode code = written("doctor", surroundings);
  return code == ExitCode::kDone && speaks_against_dump(findings) ? ExitCode::kRefused : code;
}

}  // namespace

ExitCode run_doctor(const DoctorCommand& command, Surroundings& surroundings,
                    const AgentDoor& door) {
  return run_for_agent("doctor", surroundings, [&] {
    if (command.process.empty())
      return show(command, {0, machine_name()}, system_findings(look_at_system(command.library)),
                  surroundings);
    const std::uint32_t pid = door.find(command.process);
    const ProcessLook look = look_at_one(pid, command.library, door);
    const std::string main = short_main(look.target.command_line);
    return show(command, {pid, main.empty() ? std::string(look.target.process.name) : main},
                process_findings(look), surroundings);
  });
}

}  // namespace holdfast::cli
