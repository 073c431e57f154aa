// One dump's analysis, from top to bottom: basic passes and report, the other passes, the full report, and the snapshot where it was
// asked for.
#include "analysis/pipeline.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
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

// The sentence of a basic report whose analysis never came to its end.
void note_missing(const Findings& findings, Notes& notes) noexcept {
  char names[Note::kMaxNoteBytes] = "";
  std::size_t length = 0;
  for (const PassRecord& pass : std::span(findings.passes, findings.pass_count)) {
    if (std::string_view(pass.left_out) != kNotYetRun || length >= sizeof names) continue;
    const int more = std::snprintf(names + length, sizeof names - length, "%s%s",
                                   length == 0 ? "" : ", ", pass.name);
    length += static_cast<std::size_t>(std::max(more, 0));
  }
  notes.add("not complete: the analysis ended before these parts: %.150s", names);
}

// One dump's report on its way to disk.
class Publication {
 public:
  Publication(AnalysisInput& input, const FileName& name, std::uint64_t began_ns) noexcept
      : input_(input), files_(input, name), began_ns_(began_ns) {}

  // Where it fails, the full one is tried all the same. Nothing stays in the arena.
  void publish_basic(Passes& passes, Findings& findings, bool snapshot) noexcept {
    const ArenaScope scratch(input_.arena);
    const Notes before = input_.record.notes;
    passes.list_missing();
    findings.basic = true;
    note_missing(findings, input_.record.notes);
    if (snapshot) input_.record.notes.add("no snapshot kept: the analysis ended before it");
    if (const auto image = write_report(input_, findings);
        image && files_.publish_basic(*image) && input_.published != nullptr)
      input_.published(input_.published_context, outcome());
    findings.basic = false;
    input_.record.notes = before;
  }

  Result<AnalysisOutcome> publish(const Result<std::span<const std::byte>>& image) noexcept {
    if (!image) return give_up(image.error());
    if (const Result<void> done = files_.publish(*image); !done) return give_up(done.error());
    return outcome();
  }

  // What is there stays.
  Result<AnalysisOutcome> give_up(const Error& error) const noexcept {
    if (!files_.has_basic()) return error;
    AnalysisOutcome basic = outcome();
    basic.missing = error;
    return basic;
  }

 private:
  AnalysisOutcome outcome() const noexcept {
    AnalysisOutcome outcome = files_.outcome();
    outcome.analysis_ns = platforms::monotonic_ns() - began_ns_;
    return outcome;
  }

  AnalysisInput& input_;
  ReportFiles files_;
  std::uint64_t began_ns_;
};

}  // namespace

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Findings findings;
  Passes passes(input, findings);
  HF_CHECK_OK(passes.run_basic());

  HF_TRY(name, choose_report_name(input));
  Publication publication(input, name, began);
  const bool snapshot = input.options.snapshot || input.record.request.snapshot;
  if (passes.is_report_due()) publication.publish_basic(passes, findings, snapshot);
  if (const Result<void> done = passes.run_optional(); !done)
    return publication.give_up(done.error());
  return publication.publish(snapshot ? report_and_snapshot(input, findings, name)
                                      : report_alone(input, findings));
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
  Publication publication(input, name, began);
  return publication.publish(
      report_inside(input, findings, before, [&](std::span<const std::byte> inside) {
        return stream_snapshot(input, snapshot, facts, source, inside);
      }));
}

void tidy_reports(const AnalysisInput& input) noexcept { tidy_directory(input); }

}  // namespace holdfast::analysis
