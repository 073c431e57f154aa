#include "jvmti/java_access.h"

#include "jvmti/java_members.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

std::uint64_t bytes_of(jlong value) noexcept {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

Result<void> JavaAccess::open(JNIEnv& jni) noexcept {
  LocalFrame frame(jni);
  if (!frame.open()) return make_error(ErrorCode::kOutOfMemory);
  jclass type = jni.FindClass("java/lang/Runtime");
  if (threw(jni) || type == nullptr) return make_error(ErrorCode::kUnsupported);
  const jmethodID get = jni.GetStaticMethodID(type, "getRuntime", "()Ljava/lang/Runtime;");
  if (threw(jni) || get == nullptr) return make_error(ErrorCode::kUnsupported);
  total_memory_ = jni.GetMethodID(type, "totalMemory", "()J");
  if (threw(jni) || total_memory_ == nullptr) return make_error(ErrorCode::kUnsupported);
  free_memory_ = jni.GetMethodID(type, "freeMemory", "()J");
  if (threw(jni) || free_memory_ == nullptr) return make_error(ErrorCode::kUnsupported);
  max_memory_ = jni.GetMethodID(type, "maxMemory", "()J");
  if (threw(jni) || max_memory_ == nullptr) return make_error(ErrorCode::kUnsupported);
  jobject runtime = jni.CallStaticObjectMethod(type, get);
  if (threw(jni) || runtime == nullptr) return make_error(ErrorCode::kUnsupported);
  runtime_ = jni.NewGlobalRef(runtime);
  loader_name_ = find_field(jni, "java/lang/ClassLoader", "name", "Ljava/lang/String;");
  thread_id_ = find_field(jni, "java/lang/Thread", "tid", "J");
  return runtime_ != nullptr ? Result<void>{} : Result<void>{make_error(ErrorCode::kOutOfMemory)};
}

void JavaAccess::close(JNIEnv& jni) noexcept {
  if (runtime_ != nullptr) jni.DeleteGlobalRef(runtime_);
  runtime_ = nullptr;
}

Result<HeapFigures> JavaAccess::heap_figures(JNIEnv& jni) const noexcept {
  if (runtime_ == nullptr) return make_error(ErrorCode::kVmNotReady);
  const jlong committed = jni.CallLongMethod(runtime_, total_memory_);
  if (threw(jni)) return make_error(ErrorCode::kVm);
  const jlong free = jni.CallLongMethod(runtime_, free_memory_);
  if (threw(jni)) return make_error(ErrorCode::kVm);
  const jlong most = jni.CallLongMethod(runtime_, max_memory_);
  if (threw(jni)) return make_error(ErrorCode::kVm);
  // Two calls, between which the heap may have shrunk.
  const jlong used = committed > free ? committed - free : 0;
  return HeapFigures{bytes_of(used), bytes_of(committed), bytes_of(most)};
}

JavaAccess::LoaderName JavaAccess::loader_name(JNIEnv& jni, jobject loader) const noexcept {
  LoaderName out;
  if (loader_name_ == nullptr) return out;
  auto* name = static_cast<jstring>(jni.GetObjectField(loader, loader_name_));
  if (threw(jni) || name == nullptr) return out;
  // A UTF-16 unit is up to three bytes of UTF-8, so this many always fit.
  constexpr jsize kMaxUnits = static_cast<jsize>(kMaxLoaderName / 3);
  const jsize length = jni.GetStringLength(name);
  jni.GetStringUTFRegion(name, 0, length < kMaxUnits ? length : kMaxUnits, out.text);
  if (threw(jni)) out.text[0] = '\0';
  jni.DeleteLocalRef(name);
  return out;
}

std::uint64_t JavaAccess::thread_id(JNIEnv& jni, jobject thread) const noexcept {
  if (thread_id_ == nullptr) return 0;
  const jlong id = jni.GetLongField(thread, thread_id_);
  return threw(jni) ? 0 : bytes_of(id);
}

}  // namespace holdfast::jvmti
