// Holds back what would end this process (SIGINT, SIGTERM, SIGHUP, SIGQUIT) while something must be tidied up first.
// Why no handler: what was held back arrives by itself at the end of the scope, and then does what it always does.
// And SIGPIPE: where something must be tidied up, a reader that went away is an error of the write and not the end of the process.
// Shape:  the calling thread's signal mask; of SIGPIPE what the process does.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>

namespace holdfast::platforms {

class HeldSignals {
 public:
  HeldSignals() noexcept;
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  // One waits: hurry.
  static bool waiting() noexcept;

 private:
  std::uint64_t blocked_before_;  // bit n - 1: signal n
};

// For the rest of the process: what could not be written is tried again when it ends.
void ignore_pipe_signal() noexcept;

}  // namespace holdfast::platforms
