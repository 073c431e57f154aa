// Progress of a long command on a terminal: one line that is rewritten, with objects per second and the time that is left.
// Shape:  at most ten lines a second; nothing at all where stderr is no terminal, or with --quiet.
// Zone:   offline.   Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/surroundings.h"

namespace holdfast::cli {

class Progress {
 public:
  Progress(Surroundings& surroundings, bool quiet)
      : out_(surroundings.err), on_(surroundings.err_is_terminal && !quiet) {}
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void begin(std::uint64_t total_bytes);
  // `pass` goes through the input once; `bytes` of it are done.
  void tell(const char* pass, std::uint64_t bytes, std::uint64_t objects);
  void phase(const char* name);
  void end();  // nothing of it is left; so does whatever ends the command

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& line);

  std::ostream& out_;
  const bool on_;
  bool shown_ = false;
  std::uint64_t total_bytes_ = 0;
  std::string pass_;
  Clock::time_point pass_began_, last_shown_;
};

}  // namespace holdfast::cli
