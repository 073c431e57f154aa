// What went wrong, in 16 bytes: a code, the source line that said so, and one number of detail.
// Why no text: errors are made where nothing may be allocated; text is made where it is shown (error_text).
// Shape:  detail is an errno, a foreign code, a file offset or a byte count, as the code's comment says.
// Zone:   any.   Errors: is one.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

enum class ErrorCode : std::uint16_t {
  kOutOfBudget,   // detail: bytes wanted; memory= does not allow them
  kOutOfMemory,   // detail: bytes wanted; the system refused pages
  kTooMany,       // detail: the named limit that was reached
  kCancelled,     // the request was withdrawn or the VM exits
  kDeadline,      // detail: ns allowed
  kIo,            // detail: errno
  kExists,        // the file is there already
  kVm,            // detail: the VM's own code (jvmtiError, HRESULT)
  kVmNotReady,    // asked for before VM init or during VM death
  kUnsupported,   // this VM or platform cannot do it
  kInconsistent,  // detail: index at fault; a self-check failed, the result is not used
  kDamaged,       // detail: offset; the input is cut, flipped or forged
  kNotOurs,       // the input is something else
  kNewerVersion,  // detail: the input's major version
  kRefused,       // a limit or a rule forbids it (pause, cooldown)
  kBadOption,     // the option error carries the text
};

struct Error {
  ErrorCode code;
  std::uint16_t reserved = 0;
  std::uint32_t line = 0;
  std::int64_t detail = 0;
};
static_assert(sizeof(Error) == 16);

// The builtin stands for std::source_location, which clang 14 has not.
constexpr Error make_error(ErrorCode code, std::int64_t detail = 0,
                           std::uint32_t line = __builtin_LINE()) noexcept {
  return Error{code, 0, line, detail};
}

// A short English phrase without the detail, e.g. "out of the reserved memory".
std::string_view error_text(ErrorCode code) noexcept;

}  // namespace holdfast
