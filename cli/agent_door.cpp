#include "cli/agent_door.h"

#include "cli/output_file.h"

namespace holdfast::cli {

AgentDoor system_door() {
  const auto find = [](const std::string&) -> std::uint32_t {
    throw Stop{ExitCode::kRefused, "not built yet"};
  };
  return {find, [](std::uint32_t) { return AgentDoor::kNoAgent; },
          [](std::uint32_t, const AgentWishes&) { return AgentDoor::kNoAgent; }};
}

}  // namespace holdfast::cli
