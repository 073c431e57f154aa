// Whatever Java threw is taken away again: nothing of ours may come up in the application.
// Shape:  true: something was thrown, by the call before.   Zone: capture, wherever JNI may be called.   Errors: none.
#pragma once

#include <jni.h>

namespace holdfast::jvmpi {

inline bool threw(JNIEnv& jni) noexcept {
  const jthrowable thrown = jni.ExceptionOccurred();
  if (thrown == nullptr) return false;
  jni.ExceptionClear();
  jni.DeleteLocalRef(thrown);
  return true;
}

}  // namespace holdfast::jvmpi
