// Why a class or a method stayed as it was.
// Why an enum with a count: nothing is dropped silently; the agent adds these up and the report shows them.
// Shape:  reasons of a whole class first, then those of one method, whose class is rewritten all the same.
// Zone:   any.   Errors: is one.
// Source: docs/design/java.md, "Rewriting class files", explains each to readers of a report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::jvmti {

enum class LeftAlone : std::uint8_t {
  kNo,
  // the class
  kMalformedClass,  // does not follow the format; the VM will say so itself
  kOtherVersion,    // older than 45.3, or of a VM that did not exist when this was written
  kNoScratch,       // needs more memory than there is
  kNoRoom,          // would outgrow the output
  kPoolFull,        // the constant pool has no 65,535 entries left
  // one method
  kMalformedCode,       // instructions, exception table or an attribute of the code
  kMalformedFrames,     // stack map frames
  kCodeTooLong,         // would outgrow 65,535 bytes
  kFrameTooLarge,       // locals or operand stack would outgrow 65,535
  kUnclearConstructor,  // where this() or super() is called cannot be told for sure
  kBranchTooFar,        // a conditional branch out of reach, and no place for a stepping stone
  kCount,
};

inline constexpr std::size_t kLeftAloneReasons = static_cast<std::size_t>(LeftAlone::kCount);

inline constexpr std::array<std::string_view, kLeftAloneReasons> kLeftAloneNames = {
    "not left alone", "malformed class",       "version not known",   "out of scratch memory",
    "out of room",    "constant pool full",    "malformed code",      "malformed stack map",
    "code too long",  "stack frame too large", "unclear constructor", "branch too far",
};

constexpr std::string_view left_alone_name(LeftAlone reason) noexcept {
  return kLeftAloneNames[static_cast<std::size_t>(reason)];
}
constexpr bool concerns_class(LeftAlone reason) noexcept {
  return reason > LeftAlone::kNo && reason < LeftAlone::kMalformedCode;
}

}  // namespace holdfast::jvmti
