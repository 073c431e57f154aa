#include "analysis/snapshot_copy.h"

#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "analysis/snapshot_file/snapshot_writer.h"

namespace holdfast::analysis {
namespace {

constexpr std::string_view kReportEnding = ".hfr";
constexpr std::string_view kSnapshotEnding = ".hfs";

// "a.hfr" -> "a.hfs"; a name with another ending gets ours behind it, or cut off in front of it when it is too long.
FileName snapshot_name(const FileName& report) noexcept {
  std::string_view stem = report.text;
  if (stem.ends_with(kReportEnding)) stem.remove_suffix(kReportEnding.size());
  stem = stem.substr(0, kMaxFileName - kSnapshotEnding.size());
  FileName name;
  std::snprintf(name.text, sizeof name.text, "%.*s%s", static_cast<int>(stem.size()), stem.data(),
                kSnapshotEnding.data());
  return name;
}

}  // namespace

void keep_snapshot(AnalysisInput& input, const FileName& report_name) noexcept {
  if (!input.capture.has_graph)
    return input.record.notes.add("no snapshot kept: this dump has no graph");
  const FileName name = snapshot_name(report_name);
  const Result<SnapshotFileInfo> kept =
      write_snapshot_file(input.capture.snapshot, input.record, input.arena, input.cancel,
                          input.options.dir, name.text);
  if (!kept) {
    const std::string_view why = error_text(kept.error().code);
    return input.record.notes.add("no snapshot kept: %.*s (%" PRId64 ")",
                                  static_cast<int>(why.size()), why.data(), kept.error().detail);
  }
  input.record.notes.add("snapshot kept: %.160s, %" PRIu64 " bytes", name.text, kept->file_bytes);
}

}  // namespace holdfast::analysis
