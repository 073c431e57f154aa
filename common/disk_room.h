// What a dump's files may need on the disk, known before anything is captured.
// Why before: a dump that stops the application and then finds the disk full has cost a pause for nothing, and a graph that fills
//      the disk up to the last byte costs the application its own files.
// Shape:  pure arithmetic over the plan and the predicted heap. A simple report is below kSimpleReportBytes, an extended one below
//         kExtendedReportBytes for any heap (report_bound.h); a snapshot stays below kSnapshotBytesPerObject and -PerReference
//         (snapshot-format.md has measured ones).
// Zone:   capture.   Errors: none.
#pragma once

#include <cstdint>

#include "common/capture_plan.h"

namespace holdfast {

inline constexpr std::uint64_t kSimpleReportBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kExtendedReportBytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kSnapshotBytesPerObject = 6;
inline constexpr std::uint64_t kSnapshotBytesPerReference = 3;

constexpr std::uint64_t most_report_bytes(const CapturePlan& plan) noexcept {
  const bool simple = plan.rung == CaptureRung::kHistogram || !plan.graph;
  return simple ? kSimpleReportBytes : kExtendedReportBytes;
}

constexpr std::uint64_t snapshot_bytes_estimate(const Prediction& heap) noexcept {
  return heap.objects * kSnapshotBytesPerObject + heap.references * kSnapshotBytesPerReference;
}

}  // namespace holdfast
