#include "analysis/snapshot_copy.h"

#include <cstring>
#include <string_view>

#include "analysis/snapshot_file/snapshot_writer.h"

namespace holdfast::analysis {

namespace {

// "App-1.hfr" -> "App-1.hfs"; a name with another ending gets ".hfs" behind it.
bool snapshot_name(const FileName& report_name, FileName& out) noexcept {
  std::string_view stem(report_name.text);
  if (stem.size() > 4 && stem.substr(stem.size() - 4) == ".hfr") stem.remove_suffix(4);
  constexpr std::string_view kEnding = ".hfs";
  if (stem.size() + kEnding.size() > kMaxFileName) return false;
  std::memcpy(out.text, stem.data(), stem.size());
  std::memcpy(out.text + stem.size(), kEnding.data(), kEnding.size());
  out.text[stem.size() + kEnding.size()] = '\0';
  return true;
}

}  // namespace

void keep_snapshot(AnalysisInput& input, const FileName& report_name) noexcept {
  FileName name;
  if (!input.capture.has_graph || !snapshot_name(report_name, name)) {
    input.record.notes.add("no snapshot file: there is no object graph to keep");
    return;
  }
  const Result<SnapshotFileInfo> kept = write_snapshot_file(input.capture.snapshot, input.record, input.arena, input.cancel,
                                                            input.options.dir, name.text);
  if (kept) return;
  const std::string_view why = error_text(kept.error().code);
  input.record.notes.add("no snapshot file: %.*s (detail %lld)", static_cast<int>(why.size()), why.data(),
                         static_cast<long long>(kept.error().detail));
}

}  // namespace holdfast::analysis
