// `holdfast watch PID`: the classes of a running process, like top.
// Shape:  on a terminal a screen of its own that is drawn anew with each sample, key and change of size; else a block of lines a
//         sample; with --json a line of JSON each. --once is a single histogram. The agent takes samples only while somebody watches.
// Zone:   offline.   Errors: one line on err: 2 no such process, 3 a damaged answer, 4 no agent, refused, the process ended.
#pragma once

#include <cstdint>
#include <string>

#include "cli/talk/agent_command.h"
#include "cli/talk/watched_classes.h"

namespace holdfast::cli {

struct WatchCommand {
  std::string process;
  std::uint64_t interval_ns = 0;  // 0: the agent chooses
  std::size_t top = 0;            // 0: what fits, 20, or all in JSON
  WatchOrder order = WatchOrder::kGrowth;
  bool ordered = false;  // --sort was given
  std::string filter;
  std::string holders;  // whose holders are shown, as `filter`; empty: nobody's
  bool once = false;
  bool json = false;
  std::uint64_t count = 0;  // 0: until somebody ends it
};

ExitCode run_watch(const WatchCommand& command, Surroundings& surroundings, const AgentDoor& door);

}  // namespace holdfast::cli
