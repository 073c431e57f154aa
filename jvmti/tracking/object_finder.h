// Finds an object again in the running program: along the way that the child told, and only if what is there is the same object.
// Why so careful: fields change, and a jfieldID of another class reads what is no reference. So each step is checked before it is gone: the
//      object's class has such a field, and it is a reference; the array is one of references, and long enough.
// Shape:  a few calls a step; local references of the caller's frame.
// Zone:   capture, application running.   Errors: nullptr where it is not found: moved, gone, another one in its place.
// Source: JNI specification (field access); HotSpot: a local reference is a cell that holds the object's address.
#pragma once

#include <jvmti.h>

#include <span>

#include "jvmti/tracking/named_record.h"

namespace holdfast::jvmti {

class ObjectFinder {
 public:
  ObjectFinder(jvmtiEnv& env, JNIEnv& jni) noexcept : env_(env), jni_(jni) {}

  jobject find(jobject anchor, const NamedHead& head, std::span<const NamedStep> steps) noexcept;

 private:
  jobject go(jobject from, const NamedStep& step) noexcept;
  jobject element(jobject array, std::uint64_t index) noexcept;
  bool has_reference_field(jclass type, jfieldID field, bool is_static) noexcept;
  bool declares(jclass type, jfieldID field) noexcept;
  bool is_the_one(jobject found, const NamedHead& head) noexcept;

  jvmtiEnv& env_;
  JNIEnv& jni_;
};

}  // namespace holdfast::jvmti
