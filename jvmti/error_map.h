// jvmtiError to our ErrorCode, in one place.
// Why: a VM's codes never travel further than this folder; the report and the log still show the number (detail).
// Zone:   event, capture.   Errors: is about them; every failing code keeps the jvmtiError as detail.
#pragma once

#include <jvmti.h>

#include "common/result.h"

namespace holdfast::jvmti {

ErrorCode error_code(jvmtiError error) noexcept;
Result<void> check(jvmtiError error, std::uint32_t line = __builtin_LINE()) noexcept;

}  // namespace holdfast::jvmti
