#include "jvmpi/primitive_classes.h"

#include "jvmpi/java_exception.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::array kWrappers = {"java/lang/Boolean", "java/lang/Character", "java/lang/Float",
                                  "java/lang/Double",  "java/lang/Byte",      "java/lang/Short",
                                  "java/lang/Integer", "java/lang/Long",      "java/lang/Void"};
constexpr jint kPrimitiveReferences = 4;

jweak hold(JNIEnv& jni, const char* wrapper) noexcept {
  if (jni.PushLocalFrame(kPrimitiveReferences) != JNI_OK) {
    threw(jni);
    return nullptr;
  }
  jweak held = nullptr;
  jclass of = jni.FindClass(wrapper);
  const bool found = !threw(jni) && of != nullptr;
  const jfieldID type = found ? jni.GetStaticFieldID(of, "TYPE", "Ljava/lang/Class;") : nullptr;
  if (!threw(jni) && type != nullptr) {
    jobject primitive = jni.GetStaticObjectField(of, type);
    if (!threw(jni) && primitive != nullptr) held = jni.NewWeakGlobalRef(primitive);
    threw(jni);
  }
  jni.PopLocalFrame(nullptr);
  return held;
}

}  // namespace

void PrimitiveClasses::open(JNIEnv& jni, const JVMPI_Interface& vm) noexcept {
  if (vm.jobject2jobjectID == nullptr) return;
  static_assert(kWrappers.size() == kCount);
  vm_ = &vm;
  jni_ = &jni;
  for (std::size_t i = 0; i < kCount; ++i) held_[i] = hold(jni, kWrappers[i]);
}

void PrimitiveClasses::close(JNIEnv& jni) noexcept {
  for (jweak& held : held_) {
    if (held != nullptr) jni.DeleteWeakGlobalRef(held);
    held = nullptr;
  }
  jni_ = nullptr;
}

// By a reference of the ordinary kind: what a weak one looks like is each VM's own affair.
void PrimitiveClasses::learn_ids() noexcept {
  for (std::size_t i = 0; jni_ != nullptr && i < kCount; ++i) {
    if (held_[i] == nullptr) continue;
    jobject primitive = jni_->NewLocalRef(held_[i]);
    if (threw(*jni_) || primitive == nullptr) continue;
    ids_[i] = reinterpret_cast<std::uintptr_t>(vm_->jobject2jobjectID(primitive));
    jni_->DeleteLocalRef(primitive);
  }
}

}  // namespace holdfast::jvmpi
