// Does the layout tell the truth? Objects that JNI made are read through the tables, in a child, before anything rests on it.
// Why a child: a wrong offset reads wild memory, and only a child may crash.
// Shape:  an array of bytes, an array of references, a weak reference, a string, the static field System.out; sizes against
//         GetObjectSize, classes and references against what JNI put there; every class object's references must be objects
//         of known classes; in each constant pool one table must confirm another; and flags of three methods
//         are what their declarations say. The heap is not iterated. O(classes).
// Zone:   make(): capture. run(): child.
// Errors: make(): the VM's. run(): which step failed, 0 none; step_text() names it.
#pragma once

#include "jvmti/hotspot/freeze.h"

namespace holdfast::jvmti {

class SelfCheck {
 public:
  // The objects, as local references of the caller's frame.
  Result<void> make(JNIEnv& jni, jvmtiEnv& env) noexcept;
  // In the child: 0, or the step that failed.
  int run(Freeze& freeze) const noexcept;
  static const char* step_text(int step) noexcept;

 private:
  static constexpr jint kBytes = 1003;

  struct Sized {
    Address handle = 0;
    jlong bytes = 0;
  };
  Sized bytes_, references_, weak_, text_, system_out_;
  Address object_class_ = 0;  // java.lang.Object has no static fields
  Address system_class_ = 0;
  struct Method {
    Address id = 0;
    std::uint16_t flags = 0;
  };
  Method methods_[3];
};

}  // namespace holdfast::jvmti
