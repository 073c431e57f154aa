// What a person who waits for a dump is told on stderr: the pause before it comes, the pause as it was, and in between how far it is.
// Shape:  lines that stay: the prediction, the measured pause, the end, warnings. On a terminal one line below them is rewritten,
//         with the time; elsewhere nothing else appears. `quiet` leaves only warnings.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "cli/surroundings.h"
#include "common/dump_progress.h"

namespace holdfast::cli {

class DumpTeller {
 public:
  DumpTeller(Surroundings& surroundings, std::uint32_t pid, bool quiet);
  ~DumpTeller() { clear(); }
  DumpTeller(const DumpTeller&) = delete;
  DumpTeller& operator=(const DumpTeller&) = delete;

  void say(const std::string& text);    // a line that stays
  void warn(const std::string& text);   // the same, also with --quiet
  void tell(const DumpProgress& dump);  // what changed since the last time
  void tick(std::uint64_t waited_ns);   // time has passed: only a terminal shows it

 private:
  void tell_plan(const DumpProgress& dump);
  void tell_pause(const DumpProgress& dump);
  void tell_expectation(const DumpProgress& dump);
  void tell_basic(const DumpProgress& dump);
  void tell_note(const DumpProgress& dump);
  void clear();

  std::ostream& out_;
  const bool live_;
  const bool quiet_;
  const std::string who_;
  DumpProgress last_;
  bool pause_told_ = false;
  bool basic_told_ = false;
  std::uint64_t expectation_told_ns_ = 0;
  bool line_shown_ = false;
};

}  // namespace holdfast::cli
