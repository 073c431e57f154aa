#include "tests/driver/jvmpi_host/jni_guard.h"

#include <cstdarg>

#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

namespace {

using Functions = jniNativeInterface;
Functions original;

template <auto Slot>
struct Guarded;

template <class Result, class... Arguments,
          Result (JNICALL* Functions::*Slot)(JNIEnv*, Arguments...)>
struct Guarded<Slot> {
  static inline const char* name = nullptr;
  static Result JNICALL call(JNIEnv* env, Arguments... arguments) {
    check_allocation(name);
    return (original.*Slot)(env, arguments...);
  }
};

template <auto Slot>
void guard(Functions& table, const char* name) {
  Guarded<Slot>::name = name;
  table.*Slot = &Guarded<Slot>::call;
}

jobject JNICALL new_object(JNIEnv* env, jclass of, jmethodID constructor, ...) {
  check_allocation("NewObject");
  std::va_list arguments;
  va_start(arguments, constructor);
  const jobject made = original.NewObjectV(env, of, constructor, arguments);
  va_end(arguments);
  return made;
}

#define HF_GUARD(function) guard<&Functions::function>(table, #function)

void guard_all(Functions& table) {
  table.NewObject = &new_object;
  HF_GUARD(NewObjectV);
  HF_GUARD(NewObjectA);
  HF_GUARD(AllocObject);
  HF_GUARD(NewString);
  HF_GUARD(NewStringUTF);
  HF_GUARD(NewObjectArray);
  HF_GUARD(NewBooleanArray);
  HF_GUARD(NewByteArray);
  HF_GUARD(NewCharArray);
  HF_GUARD(NewShortArray);
  HF_GUARD(NewIntArray);
  HF_GUARD(NewLongArray);
  HF_GUARD(NewFloatArray);
  HF_GUARD(NewDoubleArray);
  HF_GUARD(FindClass);
  HF_GUARD(DefineClass);
}

}  // namespace

void guard_jni() {
  jniNativeInterface* table = nullptr;
  must(vm().jvmti->GetJNIFunctionTable(&table), "GetJNIFunctionTable");
  const JvmtiPointer<jniNativeInterface> owner(table);
  original = *table;
  guard_all(*table);
  must(vm().jvmti->SetJNIFunctionTable(table), "SetJNIFunctionTable");
}

}  // namespace holdfast::jvmpi_host
