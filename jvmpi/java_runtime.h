// What JVMPI does not tell and Java does: who the VM is, and how full its heap.
// Shape:  one global reference (the Runtime object) and three ids; a call each. read_vm_facts() makes a few strings in the heap, once.
//         application_name(): by the arguments of the process, since no old VM has a property for it.
// Zone:   open(), read_vm_facts(), heap_figures(): capture, while collections may run. application_name(): load.
// Errors: kUnsupported when Runtime cannot be asked. What is not known stays empty or 0; no exception is left behind.
#pragma once

#include <jni.h>

#include <string_view>

#include "common/vm_adapter.h"

namespace holdfast::jvmpi {

class JavaRuntime {
 public:
  Result<void> open(JNIEnv& jni) noexcept;
  void close(JNIEnv& jni) noexcept;
  Result<HeapFigures> heap_figures(JNIEnv& jni) const noexcept;

 private:
  jobject runtime_ = nullptr;
  jmethodID total_memory_ = nullptr;
  jmethodID free_memory_ = nullptr;
  jmethodID max_memory_ = nullptr;  // from Java 1.4 on
};

void read_vm_facts(JNIEnv& jni, VmFacts& facts) noexcept;

// `arguments`: of a launcher, NUL between them. "java -cp x shop.Main 80" -> "shop.Main", "java -jar /opt/shop.jar" -> "shop.jar"; the
// executable's name where it is no launcher of Java.
std::string_view application_name(std::string_view arguments) noexcept;

}  // namespace holdfast::jvmpi
