// First look at everything the VM has loaded: classes, threads, loaders; numbered, tagged, counted and related to each other.
// Why a pass of its own: tables are sized by exact counts before they are filled, and a class' superclass or loader may stand
//      anywhere in the list, so numbers come first.
// Shape:  object numbers: class objects 0 .. C-1, threads C .. C+T-1, loaders C+T .. C+T+L-2 (the boot loader is no object).
//         The tag of an object is its number + 1. 8 + 4 x 5 + 1 B a class of scratch, O(C) calls, ten or so for each class.
// Zone:   capture, application running.
// Errors: the VM's; kOutOfBudget; kTooMany beyond kMaxClasses.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/java/class_layout.h"
#include "common/result.h"
#include "jvmti/java_access.h"

namespace holdfast::jvmti {

inline constexpr jint kMaxClasses = 1 << 24;

// The VM as the capture thread sees it during one dump. `env` is the dump's own and holds its tags.
struct VmAccess {
  jvmtiEnv& env;
  JNIEnv& jni;
  const JavaAccess& java;
};

struct ClassScan {
  std::span<jclass> classes;             // [C] local references of the frame that the caller opened
  std::span<jthread> threads;            // [T] likewise
  std::span<jobject> loaders;            // [L], [0] is the boot loader: nullptr
  std::span<std::uint32_t> superclass;   // [C] class index or java::kNoClass
  std::span<std::uint32_t> loader;       // [C] index into loaders
  std::span<std::uint32_t> field_count;  // [C]
  std::span<std::uint32_t> first_interface;  // [C + 1]
  std::span<std::uint32_t> interfaces;
  std::span<std::uint8_t> prepared;  // [C]
  std::uint64_t field_total = 0;
  std::uint64_t name_bytes = 0;  // of all class signatures
  java::KnownClasses known;

  std::uint32_t class_count() const noexcept { return static_cast<std::uint32_t>(classes.size()); }
  std::uint32_t thread_count() const noexcept { return static_cast<std::uint32_t>(threads.size()); }
  std::uint32_t loader_count() const noexcept { return static_cast<std::uint32_t>(loaders.size()); }
  std::uint32_t first_thread() const noexcept { return class_count(); }
  std::uint32_t first_loader() const noexcept { return class_count() + thread_count(); }
  std::uint32_t preassigned() const noexcept { return first_loader() + loader_count() - 1; }
  java::ClassRelations relations() const noexcept {
    return {superclass, first_interface, interfaces, prepared};
  }
};

constexpr jlong tag_of(std::uint32_t number) noexcept { return jlong{number} + 1; }

// The number behind an object's tag, kNoClass for an untagged one.
Result<std::uint32_t> number_of(jvmtiEnv& env, jobject object) noexcept;

// `out.classes` and `out.threads` are given; everything else is filled from `scratch`.
Result<void> scan_classes(const VmAccess& vm, Arena& scratch, ClassScan& out) noexcept;

}  // namespace holdfast::jvmti
