#include "cli/talk/dump_conversation.h"

#include <algorithm>
#include <array>

#include "cli/talk/dump_words.h"
#include "cli/text/number_text.h"
#include "platforms/clock.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kTickNs = 100'000'000;
constexpr std::uint64_t kCancelTimeoutNs = 2'000'000'000;

ExitCode code_of(const Error& error) {
  return error.code == ErrorCode::kInconsistent ? ExitCode::kOurFault : ExitCode::kRefused;
}

}  // namespace

DumpConversation::DumpConversation(const AgentDoor& door, std::uint32_t pid, DumpTeller& teller,
                                   platforms::Interrupts& interrupts, OnInterrupt on_interrupt)
    : door_(door),
      pid_(pid),
      teller_(teller),
      interrupts_(interrupts),
      on_interrupt_(on_interrupt) {}

DumpProgress DumpConversation::hold(int descriptor, const control::Request& request,
                                    std::uint64_t timeout_ns) {
  AgentConnection agent(descriptor, pid_);
  agent.send(request);
  const std::uint64_t began = platforms::monotonic_ns();
  const std::array<int, 1> wakers = {interrupts_.descriptor()};
  while (!ended(dump_)) {
    const std::uint64_t now = platforms::monotonic_ns();
    const std::uint64_t allowed = answered_ ? timeout_ns : std::min(kAnswerTimeoutNs, timeout_ns);
    if (now - began >= allowed) too_late(timeout_ns);
    teller_.tick(now - began);
    const auto heard = agent.next(std::min(now + kTickNs, began + allowed), wakers);
    if (heard == AgentConnection::Heard::kAnswer) hear(agent.answer());
    if (!ended(dump_)) heed_interrupt(agent);
  }
  if (dump_.stage == DumpStage::kReported) return dump_;
  throw Stop{code_of(dump_.error),
             "process " + std::to_string(pid_) + " leaves no report: " + failure_text(dump_)};
}

void DumpConversation::hear(const control::Answer& answer) {
  if (answer.kind != control::AnswerKind::kProgress)
    throw Stop{ExitCode::kBadInput,
               "process " + std::to_string(pid_) + ": the agent answers something else than asked"};
  answered_ = true;
  dump_ = answer.progress;
  teller_.tell(dump_);
  if (answer.last && !ended(dump_))
    throw Stop{ExitCode::kRefused, "process " + std::to_string(pid_) + ": its dump ended as '" +
                                       std::string(stage_word(dump_.stage)) +
                                       "', which only a newer holdfast knows"};
}

void DumpConversation::too_late(std::uint64_t timeout_ns) const {
  if (!answered_) throw no_answer(pid_, std::min(kAnswerTimeoutNs, timeout_ns));
  const std::string number = std::to_string(pid_);
  throw Stop{ExitCode::kRefused, "process " + number + ": no report within " +
                                     human_duration(timeout_ns) +
                                     " (--timeout); the dump goes on, 'holdfast status " + number +
                                     "' tells how far it is"};
}

void DumpConversation::heed_interrupt(AgentConnection& agent) {
  switch (interrupts_.take()) {
    case platforms::Interrupt::kEnd:
      return give_up(agent);
    case platforms::Interrupt::kStop:
      return interrupts_.stop_process();
    case platforms::Interrupt::kResized:
    case platforms::Interrupt::kNone:
      break;
  }
}

// The number of our dump comes with the first answer. Without it nothing is cancelled: a cancel of number 0 is one of all dumps.
void DumpConversation::learn_number(AgentConnection& agent) {
  const std::uint64_t deadline = platforms::monotonic_ns() + kCancelTimeoutNs;
  if (dump_.number == 0 && agent.next(deadline) == AgentConnection::Heard::kAnswer)
    hear(agent.answer());
  if (dump_.number != 0) return;
  const std::string number = std::to_string(pid_);
  throw Stop{ExitCode::kRefused, "process " + number +
                                     ": given up before the agent answered; nothing is cancelled, "
                                     "so a dump may follow ('holdfast status " +
                                     number + "' tells)"};
}

// Who else waits for the same dump keeps it. One that has ended meanwhile is told as if nobody had given it up.
void DumpConversation::give_up(AgentConnection& agent) {
  if (on_interrupt_ == OnInterrupt::kLeave)
    throw Stop{ExitCode::kRefused, "process " + std::to_string(pid_) + ": given up"};
  interrupts_.close();  // from now on Ctrl-C ends the command
  learn_number(agent);
  if (ended(dump_)) return;
  if (dump_.merged > 0)
    throw Stop{ExitCode::kRefused, "process " + std::to_string(pid_) +
                                       ": given up; the dump goes on, for others wait for it too"};
  cancel();
}

void DumpConversation::cancel() {
  const std::string who = "process " + std::to_string(pid_);
  const int descriptor = door_.connect(pid_);
  if (descriptor == AgentDoor::kNoAgent)
    throw Stop{ExitCode::kRefused, who + ": given up; there is no agent any more"};
  AgentConnection agent(descriptor, pid_);
  control::Request request = request_for(control::Command::kCancel);
  request.number = dump_.number;
  agent.send(request);
  bool heard = false;
  try {
    heard =
        agent.next(platforms::monotonic_ns() + kCancelTimeoutNs) == AgentConnection::Heard::kAnswer;
  } catch (const Stop& stop) {
    // Not cancelled: only the agent knows who else asked for it since we last heard of it.
    if (agent.answer().kind != control::AnswerKind::kRefused) throw;
    throw Stop{ExitCode::kRefused,
               stop.text + "; it is not cancelled and goes on, unless it has ended"};
  }
  throw Stop{ExitCode::kRefused,
             who + (heard ? ": cancelled; no report is left, and the application runs on"
                          : ": given up; the agent does not answer, so the dump may go on")};
}

}  // namespace holdfast::cli
