// The VM below: JNI of this thread, two environments of JVMTI, what they allocate.
// Why two environments: objects are told apart by the tags of one; the other gives all of them the same tag, because asking for the
// objects of n tags takes HotSpot n steps an object.
// Shape:  plain accessors; a frame of local references closes with its scope.
// Zone:   tests.   Errors: what JVMTI must not refuse ends the process ("jvmpi_host: broken: ...").
#pragma once

#include <jni.h>
#include <jvmti.h>

#include <memory>
#include <string>

namespace holdfast::jvmpi_host {

struct Vm {
  JavaVM* java = nullptr;
  jvmtiEnv* jvmti = nullptr;    // events, everything that is asked, one tag an object
  jvmtiEnv* markers = nullptr;  // one tag for all objects
};
Vm& vm();

// False: this VM has no JVMTI of our kind.
bool open_vm(JavaVM* java);

// Of this thread; nullptr: it is not attached.
JNIEnv* current_env();

[[noreturn]] void broken(const char* what, int error);
void must(jvmtiError error, const char* what);

class LocalFrame {
 public:
  explicit LocalFrame(JNIEnv* env);
  ~LocalFrame() { env_->PopLocalFrame(nullptr); }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

 private:
  JNIEnv* env_;
};

struct JvmtiFree {
  void operator()(void* memory) const {
    vm().jvmti->Deallocate(static_cast<unsigned char*>(memory));
  }
};
template <class T>
using JvmtiPointer = std::unique_ptr<T, JvmtiFree>;

// Takes a text that JVMTI allocated.
std::string taken(char* text);

}  // namespace holdfast::jvmpi_host
