// Signals that a person or the system sends to a command, as something to wait for beside a descriptor.
// Why: a handler may do next to nothing; what Ctrl-C means is decided where the command waits.
// Shape:  one for the whole process at a time: while one is open, another open() answers EBUSY. A pipe of which the handler fills
//         one end; more than its 64 KB of unread signals are dropped. Dispositions are put back by close(). A signal that was ignored before
//         (nohup) stays ignored, but for SIGWINCH.
// Zone:   offline.   Errors: open() answers an errno value; 0 when it worked.
#pragma once

#include <cstdint>

namespace holdfast::platforms {

enum class Interrupt : std::uint8_t {
  kNone,     // nothing came
  kEnd,      // SIGINT, SIGTERM, SIGHUP
  kResized,  // SIGWINCH
  kStop,     // SIGTSTP: Ctrl-Z
};

class Interrupts {
 public:
  Interrupts() = default;
  ~Interrupts() { close(); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int open() noexcept;
  void close() noexcept;
  int descriptor() const noexcept { return reading_; }  // readable: take() has something
  Interrupt take() noexcept;
  // Takes all that came, and does what Ctrl-Z asks for. True from the first kEnd since open() on, also one that take() answered.
  bool end_wanted() noexcept;
  // Does what Ctrl-Z asks for; returns when the process was continued.
  void stop_process() noexcept;

 private:
  int reading_ = -1;
  bool end_taken_ = false;
};

}  // namespace holdfast::platforms
