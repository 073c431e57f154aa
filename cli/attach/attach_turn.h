// One command at a time loads an agent into a process: two that found none would each bring a copy of the library, and so an agent.
// Why this lock: only the process' user and root can open /proc/PID/fd, so that nobody else can keep us waiting, and no file is left. Commands
//      that see different /proc (one of them inside the container) do not see each other's lock.
// Shape:  a lock of that directory until the end of the scope.   Zone: offline.
// Errors: exit code 4: another command had it for all of our patience. Where the system has no such lock there is none.
#pragma once

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

class AttachTurn {
 public:
  AttachOutcome take(const platforms::OtherProcess& process, const Patience& patience);

 private:
  platforms::Descriptor lock_;
};

}  // namespace holdfast::cli
