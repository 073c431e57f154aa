#include "jvmpi/fake_java.h"

#include <cstring>

#include "jvmpi/fake_vm.h"

namespace holdfast::jvmpi {

namespace {

FakeJava* java = nullptr;
JVMPI_Interface* interface_of_vm = nullptr;
thread_local bool attached_here = false;

// Handles are numbers that nobody follows.
template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}
constexpr std::uintptr_t kNoWrapper = 0x100;
enum Method : std::uintptr_t { kTotal = 0x10, kFree = 0x20, kMost = 0x30, kOther = 0x40 };

const JNINativeInterface_& jni_table() {
  static const JNINativeInterface_ kTable = [] {
    JNINativeInterface_ t{};
    t.ExceptionOccurred = [](JNIEnv*) -> jthrowable {
      return java->exception ? handle<jthrowable>(1) : nullptr;
    };
    t.ExceptionClear = [](JNIEnv*) { java->exception = false; };
    t.PushLocalFrame = [](JNIEnv*, jint) -> jint { return JNI_OK; };
    t.PopLocalFrame = [](JNIEnv*, jobject) -> jobject { return nullptr; };
    t.FindClass = [](JNIEnv*, const char* name) -> jclass {
      const auto found = java->primitive_classes.find(name);
      return handle<jclass>(found != java->primitive_classes.end() ? found->second : kNoWrapper);
    };
    t.GetStaticFieldID = [](JNIEnv*, jclass of, const char*, const char*) -> jfieldID {
      if (of != handle<jclass>(kNoWrapper)) return handle<jfieldID>(1);
      java->exception = true;
      return nullptr;
    };
    t.GetStaticObjectField = [](JNIEnv*, jclass of, jfieldID) -> jobject { return of; };
    t.NewWeakGlobalRef = [](JNIEnv*, jobject object) -> jweak {
      ++java->weak_references;
      return object;
    };
    t.DeleteWeakGlobalRef = [](JNIEnv*, jweak) { --java->weak_references; };
    t.NewLocalRef = [](JNIEnv*, jobject object) -> jobject { return object; };
    t.GetStaticMethodID = [](JNIEnv*, jclass, const char*, const char*) -> jmethodID {
      return handle<jmethodID>(kOther);
    };
    t.GetMethodID = [](JNIEnv*, jclass, const char* name, const char*) -> jmethodID {
      return handle<jmethodID>(std::strcmp(name, "totalMemory") == 0  ? kTotal
                               : std::strcmp(name, "freeMemory") == 0 ? kFree
                                                                      : kMost);
    };
    t.CallStaticObjectMethodV = [](JNIEnv*, jclass, jmethodID, va_list) -> jobject {
      return handle<jobject>(0x200);
    };
    t.CallLongMethodV = [](JNIEnv*, jobject, jmethodID method, va_list) -> jlong {
      return method == handle<jmethodID>(kTotal)  ? java->total_bytes
             : method == handle<jmethodID>(kFree) ? java->free_bytes
                                                  : jlong{256} << 20;
    };
    t.NewGlobalRef = [](JNIEnv*, jobject object) -> jobject {
      ++java->global_references;
      return object;
    };
    t.DeleteGlobalRef = [](JNIEnv*, jobject) { --java->global_references; };
    t.DeleteLocalRef = [](JNIEnv*, jobject) {};
    t.NewStringUTF = [](JNIEnv*, const char*) -> jstring { return handle<jstring>(0x300); };
    t.GetStringUTFChars = [](JNIEnv*, jstring, jboolean*) -> const char* { return "Fake VM 1.4"; };
    t.ReleaseStringUTFChars = [](JNIEnv*, jstring, const char*) {};
    return t;
  }();
  return kTable;
}

const JNIInvokeInterface_& vm_table() {
  static const JNIInvokeInterface_ kTable = [] {
    JNIInvokeInterface_ t{};
    t.GetEnv = [](JavaVM*, void** out, jint version) -> jint {
      *out = nullptr;
      if (version >= kVersion1) {
        if (interface_of_vm == nullptr || version > java->newest_jvmpi) return JNI_EVERSION;
        // As HotSpot does it: nobody wants any event from then on.
        for (const jint event : {kJvmInitDone, kJvmShutDown, kDataDumpRequest, kGcStart, kGcFinish})
          interface_of_vm->DisableEvent(event, nullptr);
        *out = interface_of_vm;
        return JNI_OK;
      }
      if (version > java->newest_jni) return JNI_EVERSION;
      if (!FakeVm::made_by_vm && !attached_here) return JNI_EDETACHED;
      *out = &java->jni;
      return JNI_OK;
    };
    t.AttachCurrentThread = [](JavaVM*, void** out, void*) -> jint {
      if (java->refuse_attach) return JNI_ERR;
      ++java->attached;
      attached_here = true;
      *out = &java->jni;
      return JNI_OK;
    };
    t.AttachCurrentThreadAsDaemon = [](JavaVM* vm, void** out, void* arguments) -> jint {
      const jint answer = vm->functions->AttachCurrentThread(vm, out, arguments);
      if (answer == JNI_OK) ++java->daemons;
      return answer;
    };
    t.DetachCurrentThread = [](JavaVM*) -> jint {
      if (attached_here) --java->attached;
      attached_here = false;
      return JNI_OK;
    };
    return t;
  }();
  return kTable;
}

}  // namespace

FakeJava::FakeJava(JVMPI_Interface* jvmpi) {
  java = this;
  interface_of_vm = jvmpi;
  jni.functions = &jni_table();
  vm_.functions = &vm_table();
}

}  // namespace holdfast::jvmpi
