// What four classes of the JDK are given when the VM loads them, so that counting has a place and a door:
//   java.lang.Thread  fields: its account, and where it counts          java.lang.Class  a field: the place of its counts
//   java.lang.Object  a call in its constructor, which every new object passes
//   java.util.Objects a switch and the doors that rewritten code calls: each asks the switch, and then calls the counting class
// Why these: a field of Thread is the cheapest thread-local there is. The doors must be callable from every class and interface, and
// before the counting class exists, in a class that has no initializer and is loaded by whoever calls first: so none of java.lang's.
// Shape:  pure: bytes of a class in, bytes of a class out, which is at most kMostAddedBytes longer.
// Zone:   event (class file load hook, from the VM's first class on).
// Errors: kUnsupported when Object's constructor is not what it is in OpenJDK, or when the class has what it is to be given already;
//         kTooMany when `out` is too small.
// Source: Java Virtual Machine Specification, sections 4.5 to 4.7; JVMTI, ClassFileLoadHook and can_generate_early_class_hook_events.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "common/result.h"
#include "jvmti/rewriting/class_file.h"

namespace holdfast::jvmti {

inline constexpr std::string_view kDoorClass = "java/util/Objects";
inline constexpr std::string_view kSwitchField = "hf$on";  // boolean: counting
inline constexpr std::string_view kReadyField =
    "hf$ready";  // boolean: the counting class is there, for good
inline constexpr std::size_t kMostAddedBytes = 4096;

enum class CoreClass : std::uint8_t { kNone, kObject, kThread, kClass, kDoors };
CoreClass core_class(std::string_view internal_name) noexcept;

Result<std::span<const std::byte>> add_to_core(CoreClass which, const ClassFile& file,
                                               std::span<std::byte> out) noexcept;

}  // namespace holdfast::jvmti
