// The parent's eye on a dump's child: until it ends, is withdrawn, takes too long, or memory runs short.
// Why every millisecond: the child writes to a copy of the application's memory, and a cgroup at its limit takes the application
//      with it, whatever the child's OOM score says; only ending the child in time saves both.
// Shape:  a loop of poll, look, sleep; one page of stack. `memory` is open: best since before the child began.
// Zone:   capture.
// Errors: the verdict says what became of it. The child is gone and reaped when watch_child() answers.
#pragma once

#include <cstdint>

#include "common/cancel.h"
#include "common/child_mailbox.h"
#include "platforms/memory_watch.h"

namespace holdfast {

enum class ChildVerdict : std::uint8_t {
  kEnded,      // by itself; the mailbox has its result
  kCrashed,    // by a signal, or without a result
  kNoMemory,   // ended by us
  kCancelled,  // ended by us
  kTooLong,    // ended by us, or by its own watchdog
};
const char* child_verdict_text(ChildVerdict verdict) noexcept;

struct ChildEndReport {
  ChildVerdict verdict = ChildVerdict::kCrashed;
  int status = 0;                 // exit status, or the signal
  bool faulted = false;           // it read what is not there, or ran into nonsense
  std::uint64_t cpu_ns = 0;       // of its whole life
  std::uint64_t memory_used = 0;  // of the system or the cgroup, at most, since the watch began
};

ChildEndReport watch_child(std::int64_t process, const ChildMailbox& mailbox,
                           platforms::MemoryWatch& memory, const CancelToken& cancel,
                           std::uint64_t deadline_ns) noexcept;

}  // namespace holdfast
