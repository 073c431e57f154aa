// One dump's analysis, from top to bottom: passes, report, and the snapshot where it was asked for.
#include "analysis/pipeline.h"

#include "analysis/passes.h"
#include "analysis/report/writer.h"
#include "analysis/report_file.h"
#include "analysis/snapshot_copy.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Findings findings;
  HF_CHECK_OK(run_passes(input, findings));

  AnalysisOutcome outcome;
  HF_TRY(name, choose_report_name(input));
  if (input.options.snapshot || input.record.request.snapshot) keep_snapshot(input, name);
  HF_TRY(image, write_report(input, findings));
  HF_CHECK_OK(input.cancel.check());
  HF_CHECK_OK(publish_report(input, name, image, outcome));
  tidy_directory(input);
  outcome.analysis_ns = platforms::monotonic_ns() - began;
  return outcome;
}

}  // namespace holdfast::analysis
