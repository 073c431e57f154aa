// Runs one pass after another and writes down what each cost, or why it was left out.
// Why: a pass that does not fit in memory must cost the user that pass alone, never the report.
// Shape:  one PassRecord a pass (time, CPU, the arena's peak). A cancelled dump ends everything: check cancelled() at the end.
//         Optional passes have a deadline together: what it cuts off says so.
// Zone:   worker, offline, child.   Errors: none of its own; run() answers false when the pass left nothing.
#pragma once

#include <utility>

#include "analysis/results.h"
#include "common/arena.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

inline constexpr const char* kInputLeftOut = "the pass it builds on was left out";
inline constexpr const char* kNotYetRun = "the report was published before it";

class PassRunner {
 public:
  // `wanted`: AnalysisBits.
  PassRunner(std::uint32_t wanted, Arena& arena, Findings& findings) noexcept
      : wanted_(wanted), arena_(arena), findings_(findings) {}

  // `pass` answers Result<T>; its value goes to `out`. It runs when one of the analyses that it serves is wanted, and has no record
  // otherwise. With `ready` false it is left out unseen.
  template <class T, class Pass>
  bool run(std::uint32_t serves, const char* name, bool ready, T& out, Pass pass) noexcept {
    if (cancelled_ || (serves & wanted_) == 0) return false;
    PassRecord& record = begin(name);
    if (!ready) {
      record.left_out = kInputLeftOut;
      return false;
    }
    arena_.take_peak_bytes();
    const Arena::Mark before = arena_.mark();
    const std::uint64_t wall = platforms::monotonic_ns();
    const std::uint64_t cpu = platforms::thread_cpu_ns();
    auto result = pass();
    record.wall_ns = platforms::monotonic_ns() - wall;
    record.cpu_ns = platforms::thread_cpu_ns() - cpu;
    record.scratch_peak_bytes = arena_.take_peak_bytes() - before;
    if (!result) {
      arena_.rewind(before);
      leave_out(record, result.error());
      return false;
    }
    out = std::move(*result);
    return true;
  }

  // How passes say that time ended them: "the time for optional parts (10 s) was over".
  void set_time_for_optional(std::uint64_t ns, Arena& arena) noexcept;
  // A record for what is wanted and was not run yet.
  void list_as_missing(std::uint32_t serves, const char* name) noexcept {
    if ((serves & wanted_) != 0) begin(name).left_out = kNotYetRun;
  }
  bool wants(std::uint32_t serves) const noexcept { return (serves & wanted_) != 0; }
  bool cancelled() const noexcept { return cancelled_; }

 private:
  PassRecord& begin(const char* name) noexcept;
  void leave_out(PassRecord& record, const Error& error) noexcept;

  std::uint32_t wanted_;
  Arena& arena_;
  Findings& findings_;
  PassRecord overflow_;
  const char* time_over_ = "the time for optional parts was over";
  bool cancelled_ = false;
};

}  // namespace holdfast::analysis
