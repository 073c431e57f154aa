#include "jvmpi/java_runtime.h"

#include <algorithm>
#include <cstring>

#include "jvmpi/java_exception.h"

namespace holdfast::jvmpi {

namespace {

constexpr jint kLocalReferences = 16;

std::uint64_t bytes_of(jlong value) noexcept {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

jmethodID method(JNIEnv& jni, jclass type, const char* name, const char* signature) noexcept {
  jmethodID found = jni.GetMethodID(type, name, signature);
  return threw(jni) ? nullptr : found;
}

struct SystemProperties {
  jclass type = nullptr;
  jmethodID get = nullptr;

  explicit SystemProperties(JNIEnv& jni) noexcept {
    type = jni.FindClass("java/lang/System");
    if (threw(jni) || type == nullptr) return;
    get = jni.GetStaticMethodID(type, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    if (threw(jni)) get = nullptr;
  }
  void read(JNIEnv& jni, const char* name, char (&out)[kMaxFactText]) const noexcept {
    if (get == nullptr) return;
    jstring key = jni.NewStringUTF(name);
    if (threw(jni) || key == nullptr) return;
    auto* value = static_cast<jstring>(jni.CallStaticObjectMethod(type, get, key));
    const bool found = !threw(jni) && value != nullptr;
    const char* const text = found ? jni.GetStringUTFChars(value, nullptr) : nullptr;
    if (text != nullptr) {
      const std::size_t bytes = std::min(std::strlen(text), kMaxFactText - 1);
      std::memcpy(out, text, bytes);
      out[bytes] = '\0';
      jni.ReleaseStringUTFChars(value, text);
    }
    threw(jni);
    jni.DeleteLocalRef(value);
    jni.DeleteLocalRef(key);
  }
};

std::string_view file_name_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

std::string_view take_word(std::string_view& arguments) noexcept {
  const std::size_t end = std::min(arguments.find('\0'), arguments.size());
  const std::string_view word = arguments.substr(0, end);
  arguments.remove_prefix(std::min(end + 1, arguments.size()));
  return word;
}

}  // namespace

Result<void> JavaRuntime::open(JNIEnv& jni) noexcept {
  if (jni.PushLocalFrame(kLocalReferences) != JNI_OK) {
    threw(jni);
    return make_error(ErrorCode::kOutOfMemory);
  }
  jclass type = jni.FindClass("java/lang/Runtime");
  const bool found = !threw(jni) && type != nullptr;
  const jmethodID get =
      found ? jni.GetStaticMethodID(type, "getRuntime", "()Ljava/lang/Runtime;") : nullptr;
  if (!threw(jni) && get != nullptr) {
    total_memory_ = method(jni, type, "totalMemory", "()J");
    free_memory_ = method(jni, type, "freeMemory", "()J");
    max_memory_ = method(jni, type, "maxMemory", "()J");
    jobject runtime = jni.CallStaticObjectMethod(type, get);
    if (!threw(jni) && runtime != nullptr) runtime_ = jni.NewGlobalRef(runtime);
  }
  jni.PopLocalFrame(nullptr);
  const bool usable = runtime_ != nullptr && total_memory_ != nullptr && free_memory_ != nullptr;
  return usable ? Result<void>{} : Result<void>{make_error(ErrorCode::kUnsupported)};
}

void JavaRuntime::close(JNIEnv& jni) noexcept {
  if (runtime_ != nullptr) jni.DeleteGlobalRef(runtime_);
  runtime_ = nullptr;
}

Result<HeapFigures> JavaRuntime::heap_figures(JNIEnv& jni) const noexcept {
  if (runtime_ == nullptr) return make_error(ErrorCode::kVmNotReady);
  const jlong committed = jni.CallLongMethod(runtime_, total_memory_);
  if (threw(jni)) return make_error(ErrorCode::kVm);
  const jlong free = jni.CallLongMethod(runtime_, free_memory_);
  if (threw(jni)) return make_error(ErrorCode::kVm);
  const jlong most = max_memory_ != nullptr ? jni.CallLongMethod(runtime_, max_memory_) : committed;
  if (threw(jni)) return make_error(ErrorCode::kVm);
  const jlong used = committed > free ? committed - free : 0;
  return HeapFigures{bytes_of(used), bytes_of(committed), bytes_of(most)};
}

void read_vm_facts(JNIEnv& jni, VmFacts& facts) noexcept {
  if (jni.PushLocalFrame(kLocalReferences) != JNI_OK) {
    threw(jni);
    return;
  }
  const SystemProperties properties(jni);
  properties.read(jni, "java.vm.name", facts.vm_name);
  properties.read(jni, "java.vm.version", facts.vm_version);
  properties.read(jni, "java.vm.vendor", facts.vm_vendor);
  jni.PopLocalFrame(nullptr);
}

std::string_view application_name(std::string_view arguments) noexcept {
  const std::string_view executable = file_name_of(take_word(arguments));
  while (!arguments.empty()) {
    const std::string_view word = take_word(arguments);
    if (word == "-jar") return file_name_of(take_word(arguments));
    if (word == "-cp" || word == "-classpath" || word == "-bootclasspath")
      take_word(arguments);
    else if (!word.empty() && word.front() != '-')
      return file_name_of(word);
  }
  return executable;
}

}  // namespace holdfast::jvmpi
