// Look-ups of Java classes and members that may not be there: none leaves an exception behind.
// Why dropped: what is looked for differs between JDKs, and our threads have no Java frame that could catch anything.
// Shape:  three calls of JNI each; classes are local references.
// Zone:   load, event, capture; without a pending exception of the application's.   Errors: nullptr: there is none.
#pragma once

#include <jni.h>

namespace holdfast::jvmti {

// Whether Java threw.
inline bool threw(JNIEnv& jni) noexcept {
  if (jni.ExceptionCheck() == JNI_FALSE) return false;
  jni.ExceptionClear();
  return true;
}

inline jclass find_class(JNIEnv& jni, const char* name) noexcept {
  jclass found = jni.FindClass(name);
  return threw(jni) ? nullptr : found;
}

inline jfieldID find_field(JNIEnv& jni, jclass type, const char* name,
                           const char* signature) noexcept {
  jfieldID id = type == nullptr ? nullptr : jni.GetFieldID(type, name, signature);
  return threw(jni) ? nullptr : id;
}

inline jfieldID find_field(JNIEnv& jni, const char* type, const char* name,
                           const char* signature) noexcept {
  return find_field(jni, find_class(jni, type), name, signature);
}

}  // namespace holdfast::jvmti
