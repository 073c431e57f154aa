#include "analysis/snapshot_copy.h"

namespace holdfast::analysis {

void keep_snapshot(AnalysisInput& input, const FileName&) noexcept {
  input.record.notes.add("snapshot=on: not built yet");
}

}  // namespace holdfast::analysis
