// The talk with an agent about one dump: asks for it, tells how it goes, gives it up when the person does.
// Why apart from the command: attaching before it and the report after it are other things that can go wrong.
// Shape:  one connection for the dump, a second one to cancel it.   Zone: offline.
// Errors: Stop: refused, given up, the process ended, not in time.
#pragma once

#include <cstdint>

#include "cli/talk/agent_command.h"
#include "cli/talk/dump_teller.h"
#include "platforms/interrupts.h"

namespace holdfast::cli {

enum class OnInterrupt : std::uint8_t {
  kCancel,  // the dump is cancelled; the next Ctrl-C ends the command, for the interrupts are closed
  kLeave,   // only the wait ends
};

class DumpConversation {
 public:
  DumpConversation(const AgentDoor& door, std::uint32_t pid, DumpTeller& teller,
                   platforms::Interrupts& interrupts, OnInterrupt on_interrupt);
  // The dump as it ended: with a report.
  DumpProgress hold(int descriptor, const control::Request& request, std::uint64_t timeout_ns);

 private:
  void hear(const control::Answer& answer);
  void heed_interrupt(AgentConnection& agent);
  void give_up(AgentConnection& agent);
  void learn_number(AgentConnection& agent);
  [[noreturn]] void cancel();
  [[noreturn]] void too_late(std::uint64_t timeout_ns) const;

  const AgentDoor& door_;
  const std::uint32_t pid_;
  DumpTeller& teller_;
  platforms::Interrupts& interrupts_;
  const OnInterrupt on_interrupt_;
  DumpProgress dump_;
  bool answered_ = false;
};

}  // namespace holdfast::cli
