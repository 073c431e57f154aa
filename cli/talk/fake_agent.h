// An agent of a test's own: answers requests over socket pairs, by a script; and the door that leads to it.
// Shape:  a connection is a socket pair and a thread that reads one request, hands it to the script, and hangs up when that returns.
// Zone:   tests.   Errors: none; a request that cannot be read ends its connection.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/talk/agent_door.h"
#include "common/control/messages.h"

namespace holdfast::cli {

// The agent's end of one connection.
class FakePeer {
 public:
  explicit FakePeer(int descriptor) : descriptor_(descriptor) {}
  bool answer(const control::Answer& answer) const;  // false: the client is gone
  bool raw(std::string_view bytes) const;
  bool client_there(int milliseconds) const;  // waits so long for it to leave

 private:
  int descriptor_;
};

class FakeAgent {
 public:
  using Script = std::function<void(const control::Request& request, FakePeer& peer)>;

  explicit FakeAgent(Script script, std::uint32_t pid = 0);  // 0: the test's own
  ~FakeAgent();
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  AgentDoor door();
  std::vector<control::Command> heard();
  // What an agent that is not there yet was started with; the door attaches where `present` is false.
  std::atomic<bool> present{true};
  AgentWishes wishes;

 private:
  int connect();
  void serve(int descriptor);

  Script script_;
  const std::uint32_t pid_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::vector<control::Command> heard_;
};

// -- answers --
control::Answer refusal(control::RefusalKind kind, std::string_view text);
control::Answer done(std::string_view text);
control::Answer progress(const DumpProgress& dump);

}  // namespace holdfast::cli
