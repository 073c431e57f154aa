#include "common/vm_adapter.h"

namespace holdfast {

const char* capture_rung_name(CaptureRung rung) noexcept {
  switch (rung) {
    case CaptureRung::kFrozen:
      return "frozen";
    case CaptureRung::kFrozenWritten:
      return "frozen, written";
    case CaptureRung::kImported:
      return "imported";
    case CaptureRung::kWalk:
      return "walk";
    case CaptureRung::kHistogram:
      return "histogram";
  }
  return "unknown";
}

PictureUse picture_use(const CapturePlan& plan) noexcept {
  if (!plan.graph) return PictureUse::kCounts;
  return plan.rung == CaptureRung::kFrozenWritten ? PictureUse::kWrittenGraph : PictureUse::kGraph;
}

}  // namespace holdfast
