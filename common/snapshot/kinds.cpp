#include "common/snapshot/kinds.h"

namespace holdfast {

std::string_view root_kind_name(RootKind kind) noexcept {
  switch (kind) {
    case RootKind::kSystemClass:
      return "system class";
    case RootKind::kThread:
      return "thread";
    case RootKind::kStackLocal:
      return "stack local";
    case RootKind::kJniLocal:
      return "JNI local";
    case RootKind::kJniGlobal:
      return "JNI global";
    case RootKind::kMonitor:
      return "monitor";
    case RootKind::kHandle:
      return "handle";
    case RootKind::kFinalizer:
      return "finalizer queue";
    case RootKind::kOther:
      return "VM internal";
    case RootKind::kStaticField:
      return "static field";
    case RootKind::kPinnedHandle:
      return "pinned handle";
    case RootKind::kPossibleStackSlot:
      return "possible stack slot";
  }
  return "unknown";
}

std::string_view strength_name(Strength strength) noexcept {
  switch (strength) {
    case Strength::kStrong:
      return "strong";
    case Strength::kSoft:
      return "soft";
    case Strength::kWeak:
      return "weak";
    case Strength::kFinal:
      return "final";
    case Strength::kPhantom:
      return "phantom";
    case Strength::kUnreachable:
      return "unreachable";
  }
  return "unknown";
}

}  // namespace holdfast
