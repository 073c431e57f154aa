// How long the passes of a dump are going to take: known from the graph's size before the first of them, and corrected by what the
// basic ones took and by what reachable sizes find out about themselves.
// Shape:  CPU time from the beginning of the passes, which is the time on a core that nothing else wants. Objects and references have
//         a price each; which heaps it was measured on is in docs/decisions/022-passes.md.
// Zone:   worker, offline, child.   Errors: none.
#pragma once

#include "common/dump_engine.h"

namespace holdfast::analysis {

class AnalysisClock {
 public:
  // `wanted`: AnalysisBits. `optional_most_ns`: no optional pass goes on after that.
  AnalysisClock(const AnalysisInput& input, std::uint32_t wanted) noexcept;

  // Reports it, and again after each correction. Not where there is no graph.
  void begin(bool is_report_due, std::uint64_t optional_most_ns) noexcept;
  // The optional passes cost as much more, or less, as the basic ones did.
  void basic_done() noexcept;
  // Reachable sizes take `ns` from now on.
  void reachable_takes(std::uint64_t ns) noexcept;

 private:
  void report() const noexcept;
  std::uint64_t spent_ns() const noexcept;

  const AnalysisInput& input_;
  std::uint64_t began_cpu_ns_;
  std::uint64_t basic_ns_, optional_ns_, cuts_ns_;
  std::uint64_t optional_most_ns_ = UINT64_MAX;
  bool is_report_due_ = false;
};

}  // namespace holdfast::analysis
