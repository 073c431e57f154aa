// What the VM itself holds in cells that it exports nowhere (preallocated exceptions, thread groups, its own threads' objects),
// found once, at load, and kept by weak handles.
// Why at load: the standard interface tells them last, and up to JDK 19 a walk that goes so far pays for every object of the heap.
//      At load the heap is small. What such a VM comes to hold later, and nothing else does, is not found.
// Shape:  at most kMost weak global references, one JNI handle each.   Zone: capture.
// Errors: none kept where the VM refuses; the freeze then asks for all roots.
#pragma once

#include <cstdint>
#include <span>

#include "jvmti/class_scan.h"

namespace holdfast::jvmti {

class KeptRoots {
 public:
  static constexpr std::size_t kMost = 512;

  // `thread` is attached. False when they could not be found, or are too many.
  bool take(JavaVM& vm, JNIEnv& jni) noexcept;
  void release(JNIEnv& jni) noexcept;
  std::span<const std::uint64_t> handles() const noexcept { return {handles_, count_}; }

 private:
  std::uint64_t handles_[kMost] = {};  // jweak
  std::size_t count_ = 0;
};

}  // namespace holdfast::jvmti
