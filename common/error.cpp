#include "common/error.h"

namespace holdfast {

std::string_view error_text(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOutOfBudget:
      return "the memory that memory= allows is used up";
    case ErrorCode::kOutOfMemory:
      return "the system refused memory";
    case ErrorCode::kTooMany:
      return "a limit was reached";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDeadline:
      return "the time allowed is over";
    case ErrorCode::kIo:
      return "a file could not be read or written";
    case ErrorCode::kExists:
      return "the file exists already";
    case ErrorCode::kVm:
      return "the VM refused a call";
    case ErrorCode::kVmNotReady:
      return "the VM is not ready for it";
    case ErrorCode::kUnsupported:
      return "this VM or platform cannot do it";
    case ErrorCode::kInconsistent:
      return "a self-check failed";
    case ErrorCode::kDamaged:
      return "the input is damaged";
    case ErrorCode::kNotOurs:
      return "the input is not a holdfast file";
    case ErrorCode::kNewerVersion:
      return "the input was made by a newer version";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kBadOption:
      return "a bad option";
  }
  return "an unknown error";
}

}  // namespace holdfast
