// The JavaVM and the JNIEnv of a fake old VM: GetEnv, Runtime's three figures, System.getProperty, TYPE of the classes of primitive types; every
// other call of JNI crashes.
// Shape:  one lives at a time.   Zone: tests.   Errors: those that the test asked for.
#pragma once

#include <jni.h>

#include <atomic>
#include <map>
#include <string>

#include "jvmpi/abi/jvmpi.h"

namespace holdfast::jvmpi {

class FakeJava {
 public:
  // `jvmpi`: nullptr for a VM that has none.
  explicit FakeJava(JVMPI_Interface* jvmpi);
  std::atomic<jint> newest_jvmpi{kVersion1};

  JavaVM& vm() { return vm_; }
  std::atomic<bool> exception{false};  // is thrown by the next call
  std::atomic<bool> refuse_attach{false};
  std::atomic<int> attached{0};
  std::atomic<int> daemons{0};  // of these, ever
  std::atomic<jint> newest_jni{JNI_VERSION_1_4};
  std::atomic<int> global_references{0};
  std::atomic<int> weak_references{0};
  // "java/lang/Integer", and the object that its TYPE is; other classes have no such field.
  std::map<std::string, std::uintptr_t> primitive_classes;
  jlong total_bytes = 64 << 20;
  jlong free_bytes = 60 << 20;

  JNIEnv_ jni{};

 private:
  JavaVM_ vm_{};
};

}  // namespace holdfast::jvmpi
