// A process that is stopped, by a signal or a debugger, answers nobody; whoever stopped it may let it go on.
// Shape:  its state as /proc says it now.   Zone: offline.
// Errors: exit code 4 and one line: it is stopped, or has ended.
#pragma once

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

// Nobody wants to wait long for whoever stopped it.
inline constexpr std::uint64_t kStoppedPatienceNs = 1'000'000'000;

// kDead also where its number is another process' by now.
platforms::OtherProcess state_now(const platforms::OtherProcess& process);
AttachOutcome stopped_text(const platforms::OtherProcess& process);
AttachOutcome wait_until_running(const platforms::OtherProcess& process, const Patience& patience);

// True for a process that is stopped, and has been for longer than one waits for it.
class LongStopped {
 public:
  bool operator()(platforms::ProcessState state);

 private:
  Patience since_{kStoppedPatienceNs};
};

}  // namespace holdfast::cli
