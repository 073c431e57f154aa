#include "jvmti/error_map.h"

namespace holdfast::jvmti {

ErrorCode error_code(jvmtiError error) noexcept {
  switch (error) {
    case JVMTI_ERROR_OUT_OF_MEMORY:
      return ErrorCode::kOutOfMemory;
    case JVMTI_ERROR_WRONG_PHASE:
    case JVMTI_ERROR_UNATTACHED_THREAD:
      return ErrorCode::kVmNotReady;
    case JVMTI_ERROR_MUST_POSSESS_CAPABILITY:
    case JVMTI_ERROR_NOT_AVAILABLE:
    case JVMTI_ERROR_UNSUPPORTED_VERSION:
      return ErrorCode::kUnsupported;
    default:
      return ErrorCode::kVm;
  }
}

Result<void> check(jvmtiError error, std::uint32_t line) noexcept {
  if (error == JVMTI_ERROR_NONE) return {};
  return make_error(error_code(error), error, line);
}

}  // namespace holdfast::jvmti
