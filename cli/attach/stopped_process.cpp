#include "cli/attach/stopped_process.h"

namespace holdfast::cli {

using platforms::OtherProcess;
using platforms::ProcessState;

OtherProcess state_now(const OtherProcess& process) {
  OtherProcess state;
  const bool same = platforms::read_other_process(process.pid, state) == 0 &&
                    state.started_ticks == process.started_ticks;
  if (!same) state.state = ProcessState::kDead;
  return state;
}

AttachOutcome stopped_text(const OtherProcess& process) {
  return refused(named(process) +
                 " is stopped (by a signal or a debugger) and cannot answer; kill -CONT " +
                 std::to_string(process.pid) + " lets it go on");
}

AttachOutcome wait_until_running(const OtherProcess& process, const Patience& patience) {
  ProcessState state = ProcessState::kLiving;
  patience.at_most(kStoppedPatienceNs).wait([&] {
    state = state_now(process).state;
    return state != ProcessState::kStopped;
  });
  if (state == ProcessState::kDead) return ended_text(process);
  return state == ProcessState::kStopped ? stopped_text(process) : AttachOutcome{};
}

bool LongStopped::operator()(ProcessState state) {
  if (state != ProcessState::kStopped) since_ = Patience(kStoppedPatienceNs);
  return state == ProcessState::kStopped && since_.over();
}

}  // namespace holdfast::cli
