#include "analysis/snapshot_copy.h"

#include <cstdio>
#include <string_view>

#include "analysis/snapshot_file/snapshot_writer.h"

namespace holdfast::analysis {
namespace {

constexpr std::string_view kReportEnding = ".hfr";
constexpr std::string_view kSnapshotEnding = ".hfs";

}  // namespace

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

Result<void> keep_snapshot(AnalysisInput& input, const FileName& name,
                           std::span<const std::byte> report_image) noexcept {
  SnapshotExtras extras;
  extras.report = report_image;
  HF_CHECK_OK(write_snapshot_file(input.capture.snapshot, input.record, input.arena, input.cancel,
                                  input.options.dir, name.text, extras));
  return {};
}

}  // namespace holdfast::analysis
