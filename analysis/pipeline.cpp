// One dump's analysis, from top to bottom: passes, report, and the snapshot where it was asked for.
#include "analysis/pipeline.h"

#include <cinttypes>
#include <string_view>

#include "analysis/passes.h"
#include "analysis/report/writer.h"
#include "analysis/report_file.h"
#include "analysis/snapshot_copy.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

Result<std::span<const std::byte>> report_alone(AnalysisInput& input,
                                                const Findings& findings) noexcept {
  HF_TRY(image, write_report(input, findings));
  HF_CHECK_OK(input.cancel.check());
  return image;
}

// The report names the snapshot that it is embedded in; where there is none in the end, it is built again and says why.
// Once the snapshot stands, the dump is no longer cancelled: nobody shall find one without the other.
Result<std::span<const std::byte>> report_and_snapshot(AnalysisInput& input,
                                                       const Findings& findings,
                                                       const FileName& report_name) noexcept {
  Notes& notes = input.record.notes;
  if (!input.capture.has_graph) {
    notes.add("no snapshot kept: this dump has no graph");
    return report_alone(input, findings);
  }
  const Notes notes_before = notes;
  const Arena::Mark mark = input.arena.mark();
  const FileName name = snapshot_name(report_name);
  notes.add("snapshot kept: %.160s, with this report inside", name.text);
  HF_TRY(image, report_alone(input, findings));
  const auto kept = keep_snapshot(input, name, image);
  if (kept) return image;
  input.arena.rewind(mark);
  notes = notes_before;
  const std::string_view why = error_text(kept.error().code);
  notes.add("no snapshot kept: %.*s (%" PRId64 ")", static_cast<int>(why.size()), why.data(),
            kept.error().detail);
  return report_alone(input, findings);
}

}  // namespace

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Findings findings;
  HF_CHECK_OK(run_passes(input, findings));

  AnalysisOutcome outcome;
  HF_TRY(name, choose_report_name(input));
  const bool snapshot = input.options.snapshot || input.record.request.snapshot;
  HF_TRY(image,
         snapshot ? report_and_snapshot(input, findings, name) : report_alone(input, findings));
  HF_CHECK_OK(publish_report(input, name, image, outcome));
  outcome.analysis_ns = platforms::monotonic_ns() - began;
  return outcome;
}

void tidy_reports(const AnalysisInput& input) noexcept { tidy_directory(input); }

}  // namespace holdfast::analysis
