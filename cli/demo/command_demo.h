// `holdfast demo`: a leaking service, dumped as any other, its report and its page.
// Shape:  starts the service of demo_service.h, has it leak, dumps it as `holdfast dump` does, shows the report as `holdfast report` does,
//         writes the page and opens it. Report and page stay in the demo's directory; nothing else does, and nothing runs on.
// Zone:   offline.
// Errors: one line on err: 2 no Java, built without the service, a directory that cannot be; 4 the service or the dump refused, Ctrl-C.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "cli/surroundings.h"
#include "cli/talk/agent_door.h"

namespace holdfast::cli {

struct DemoCommand {
  std::string html;       // --html; empty: beside the report
  std::string directory;  // -o; empty: a new one in TMPDIR or /tmp
  std::string library;    // --library
  bool no_open = false;
};

ExitCode run_demo(const DemoCommand& command, Surroundings& surroundings, const AgentDoor& door);

}  // namespace holdfast::cli
