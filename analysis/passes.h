// All passes of one dump: what the findings of a report come from. passes.cpp is the list, in order.
// Shape:  O(objects + references) but for dominators (almost linear). A pass that does not fit in memory is left out with its
//         reason in findings.passes; the rest still run. Results and scratch: input.arena only.
//         Two parts. The basic one makes a report that names what leaks. The optional one (holders, reachable sizes, cuts) may take far
//         longer on some graphs, so it has a deadline for all of it, estimates included.
// Zone:   worker, offline, child.
// Errors: kCancelled.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/expected_time.h"
#include "analysis/pass_runner.h"
#include "analysis/results.h"
#include "common/dump_engine.h"

namespace holdfast::analysis {

// Of wall time, for all optional passes together. An import, which no application waits beside, may take as long for them as for the
// basic passes where that is longer; a VM that may be ending, a quarter of exit-wait= at most. Heaps of 10 million objects take 7 s.
inline constexpr std::uint64_t kOptionalWallNs = 10'000'000'000;

// What the optional passes build on, beside the findings.
struct BasicPasses {
  CountedReferences references;
  bool dominated = false, classes = false;
  std::uint32_t passes = 0;  // in the findings
  std::uint64_t wall_ns = 0;
};

class Passes {
 public:
  // Both outlive it.
  Passes(AnalysisInput& input, Findings& findings) noexcept;

  Result<void> run_basic() noexcept;
  // After run_basic(): the optional passes may take so long that the report should be there before.
  bool is_report_due() const noexcept;
  // The findings then say what they miss, until run_optional().
  void list_missing() noexcept;
  Result<void> run_optional() noexcept;

 private:
  bool wants_optional() const noexcept;
  std::uint64_t optional_wall_ns() const noexcept;

  AnalysisInput& input_;
  Findings& findings_;
  PassRunner run_;
  AnalysisClock clock_;
  BasicPasses basic_;
};

// Both parts, where one report is written.
Result<void> run_passes(AnalysisInput& input, Findings& findings) noexcept;

}  // namespace holdfast::analysis
