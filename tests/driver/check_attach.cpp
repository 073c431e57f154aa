// What attach_test.py and namespace_test.py run: the command's way into a process, without a command around it.
//   check_attach load PID LIBRARY OPTIONS SECONDS   loads the agent; says the outcome as JSON
//   check_attach connect PID                        connects to the agent's socket, and says what it sends first
//   check_attach ensure PID LIBRARY OPTIONS SECONDS both
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/attach/attach.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace {

using namespace holdfast;
using nlohmann::json;

constexpr unsigned kGreetingMs = 2000;
constexpr double kNsPerSecond = 1e9;

cli::AttachWishes wishes_of(char** words) {
  cli::AttachWishes wishes;
  wishes.library = words[0];
  wishes.options = words[1];
  wishes.patience_ns = static_cast<std::uint64_t>(std::atof(words[2]) * kNsPerSecond);
  return wishes;
}

std::string greeting(const cli::AgentSocket& socket) {
  char text[256];
  platforms::wait_for_stream(socket.stream.get(), platforms::StreamWait::kReadable, kGreetingMs);
  const std::int64_t bytes = platforms::receive_some(socket.stream.get(), text, sizeof text);
  return bytes > 0 ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
}

json described(const cli::AttachOutcome& outcome) {
  return {{"code", static_cast<int>(outcome.code)},
          {"text", outcome.text},
          {"agent_code", outcome.agent_code},
          {"note", outcome.note}};
}

json described(const cli::AgentSocket& socket) {
  json all = described(socket.refusal);
  all["presence"] = static_cast<int>(socket.presence);
  all["inner_pid"] = socket.inner_pid;
  if (socket.stream.valid()) all["greeting"] = greeting(socket);
  return all;
}

}  // namespace

int main(int count, char** words) {
  const std::string word = count > 2 ? words[1] : "";
  const auto pid = count > 2 ? static_cast<std::uint32_t>(std::strtoul(words[2], nullptr, 10)) : 0;
  json answer;
  if (word == "load" && count == 6)
    answer = described(cli::load_agent(pid, wishes_of(words + 3)));
  else if (word == "ensure" && count == 6)
    answer = described(cli::ensure_agent(pid, wishes_of(words + 3)));
  else if (word == "connect" && count == 3)
    answer = described(cli::connect_to_agent(pid));
  else
    return 2;
  std::cout << answer.dump() << '\n';
  return 0;
}
