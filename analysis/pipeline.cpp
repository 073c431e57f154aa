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

// The report names the snapshot that it is embedded in; where there is none in the end, it is built again and says why. `before`
// are the notes without the name. Once the snapshot stands, the dump is no longer cancelled: nobody shall find one without the
// other.
template <class Keep>
Result<std::span<const std::byte>> report_inside(AnalysisInput& input, const Findings& findings,
                                                 const Notes& before, const Keep& keep) noexcept {
  const Arena::Mark mark = input.arena.mark();
  HF_TRY(image, report_alone(input, findings));
  const Result<void> kept = keep(image);
  if (kept) return image;
  input.arena.rewind(mark);
  Notes& notes = input.record.notes;
  notes = before;
  const std::string_view why = error_text(kept.error().code);
  notes.add("no snapshot kept: %.*s (%" PRId64 ")", static_cast<int>(why.size()), why.data(),
            kept.error().detail);
  return report_alone(input, findings);
}

Result<std::span<const std::byte>> report_and_snapshot(AnalysisInput& input,
                                                       const Findings& findings,
                                                       const FileName& report_name) noexcept {
  Notes& notes = input.record.notes;
  if (!input.capture.has_graph) {
    notes.add("no snapshot kept: this dump has no graph");
    return report_alone(input, findings);
  }
  const FileName name = snapshot_name(report_name);
  const Notes before = notes;
  notes.add("snapshot kept: %.160s, with this report inside", name.text);
  return report_inside(input, findings, before, [&](std::span<const std::byte> image) {
    return keep_snapshot(input, name, image);
  });
}

Result<void> stream_snapshot(AnalysisInput& input, const FileName& name,
                             const SnapshotStreamFacts& facts, const GraphSource& source,
                             std::span<const std::byte> image) noexcept {
  const ArenaScope scratch(input.arena);
  SnapshotStream stream;
  HF_CHECK_OK(stream.open(input, name, facts, image));
  HF_CHECK_OK(source.feed(source.context, stream));
  return stream.finish();
}

Result<AnalysisOutcome> publish(const AnalysisInput& input, const FileName& name,
                                std::span<const std::byte> image, std::uint64_t began_ns) noexcept {
  AnalysisOutcome outcome;
  HF_CHECK_OK(publish_report(input, name, image, outcome));
  outcome.analysis_ns = platforms::monotonic_ns() - began_ns;
  return outcome;
}

}  // namespace

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Findings findings;
  HF_CHECK_OK(run_passes(input, findings));

  HF_TRY(name, choose_report_name(input));
  const bool snapshot = input.options.snapshot || input.record.request.snapshot;
  HF_TRY(image,
         snapshot ? report_and_snapshot(input, findings, name) : report_alone(input, findings));
  return publish(input, name, image, began);
}

Result<AnalysisOutcome> stream_and_report(AnalysisInput& input, const SnapshotStreamFacts& facts,
                                          const GraphSource& source) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Findings findings;
  HF_CHECK_OK(run_passes(input, findings));

  HF_TRY(name, choose_report_name(input));
  const FileName snapshot = snapshot_name(name);
  const Notes before = input.record.notes;
  input.record.notes.add(
      "the object graph was written, not analysed here; run: holdfast analyze %.180s",
      snapshot.text);
  HF_TRY(image, report_inside(input, findings, before, [&](std::span<const std::byte> inside) {
           return stream_snapshot(input, snapshot, facts, source, inside);
         }));
  return publish(input, name, image, began);
}

void tidy_reports(const AnalysisInput& input) noexcept { tidy_directory(input); }

}  // namespace holdfast::analysis
