// `holdfast dump PID`: one dump of a running process, and where its report is.
// Why the path alone goes to stdout: `holdfast report $(holdfast dump 42)`; everything else is said on stderr.
// Shape:  process, agent (attached where there is none), request, progress, report; -o copies it, complete or not at all. The agent
//         stays in the process, idle. The first Ctrl-C gives the dump up, the second ends the command at once.
// Zone:   offline.
// Errors: one line on err: 2 no such process or a wrong option, 3 a damaged answer, 4 no agent, no report in time, cancelled, refused.
#pragma once

#include <cstdint>
#include <string>

#include "cli/talk/agent_command.h"
#include "common/options.h"
#include "platforms/interrupts.h"

namespace holdfast::cli {

struct DumpCommand {
  static constexpr std::uint64_t kDefaultTimeoutNs = 600'000'000'000;
  std::string process;
  DumpKind kind = DumpKind::kAuto;
  CaptureChoice capture = CaptureChoice::kAuto;
  std::uint64_t pause_ns = 0;  // --pause; 0: the agent's
  bool snapshot = false;
  std::string analyses;   // --analyses; empty: the agent's
  std::string output;     // -o; empty: the report stays where the agent writes it
  std::string file;       // --file
  std::string directory;  // --dir
  std::string library;    // --library
  std::string options;    // --options
  std::uint64_t timeout_ns = kDefaultTimeoutNs;
  bool quiet = false;
  bool json = false;
  bool report = false;
};

ExitCode run_dump(const DumpCommand& command, Surroundings& surroundings, const AgentDoor& door);

// The same for a command that dumps on its way and waits for signals already: where the report is. Ctrl-C is a Stop at once; the dump
// is not cancelled, and what becomes of it is the caller's matter.
std::string take_dump(const DumpCommand& command, Surroundings& surroundings, const AgentDoor& door,
                      platforms::Interrupts& interrupts);

}  // namespace holdfast::cli
