// The few Java members that JVMTI has no call for: heap figures of Runtime, a loader's own name, a thread's id.
// Why looked up once: a failed look-up makes an exception object, and during a dump there may be no heap to make it in.
// Shape:  one global reference (the Runtime object) and eight ids; none of the calls allocates Java objects.
// Zone:   open(): capture thread, right after VM init. Everything else: capture.
// Errors: kUnsupported when Runtime cannot be asked. A missing field only leaves its answer empty.
#pragma once

#include <jni.h>

#include <cstdint>
#include <string_view>

#include "common/vm_adapter.h"

namespace holdfast::jvmti {

class JavaAccess {
 public:
  static constexpr std::size_t kMaxLoaderName = 256;
  struct LoaderName {
    char text[kMaxLoaderName + 4] = "";  // and room for a cut multi-byte character
    std::string_view view() const noexcept { return text; }
  };

  Result<void> open(JNIEnv& jni) noexcept;
  void close(JNIEnv& jni) noexcept;
  Result<HeapFigures> heap_figures(JNIEnv& jni) const noexcept;
  // The `name` that a loader was given (JDK 9 and later); empty when it has none.
  LoaderName loader_name(JNIEnv& jni, jobject loader) const noexcept;
  std::uint64_t thread_id(JNIEnv& jni, jobject thread) const noexcept;  // 0 unknown

 private:
  jobject runtime_ = nullptr;
  jmethodID total_memory_ = nullptr;
  jmethodID free_memory_ = nullptr;
  jmethodID max_memory_ = nullptr;
  jfieldID loader_name_ = nullptr;
  jfieldID thread_id_ = nullptr;
};

}  // namespace holdfast::jvmti
