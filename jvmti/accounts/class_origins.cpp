#include "jvmti/accounts/class_origins.h"

#include <cstring>

#include "jvmti/java_members.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

jmethodID find_method(JNIEnv& jni, const char* type, const char* name,
                      const char* signature) noexcept {
  jclass found = find_class(jni, type);
  jmethodID id = found == nullptr ? nullptr : jni.GetMethodID(found, name, signature);
  return threw(jni) ? nullptr : id;
}

// What `field` of `object` holds; `object` itself goes. nullptr goes through.
jobject follow(JNIEnv& jni, jobject object, jfieldID field) noexcept {
  if (object == nullptr) return nullptr;
  jobject held = jni.GetObjectField(object, field);
  jni.DeleteLocalRef(object);
  return held;
}

// The text of a Java string, which goes.
template <std::size_t Bytes>
std::size_t take_text(JNIEnv& jni, jobject text, char (&out)[Bytes]) noexcept {
  out[0] = '\0';
  if (text == nullptr) return 0;
  // A UTF-16 unit is up to three bytes of UTF-8, so this many always fit.
  constexpr auto kMaxUnits = static_cast<jsize>((Bytes - 4) / 3);
  const jsize length = jni.GetStringLength(static_cast<jstring>(text));
  // Of a path the end counts.
  const jsize start = length > kMaxUnits ? length - kMaxUnits : 0;
  jni.GetStringUTFRegion(static_cast<jstring>(text), start, length - start, out);
  if (threw(jni)) out[0] = '\0';
  jni.DeleteLocalRef(text);
  return std::strlen(out);
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// "%20" -> " "
std::size_t decode(char* text, std::size_t bytes) noexcept {
  std::size_t out = 0;
  for (std::size_t i = 0; i < bytes; ++i, ++out) {
    const int high = text[i] == '%' && i + 2 < bytes ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) i += 2;
    text[out] = low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
  }
  return out;
}

}  // namespace

std::string_view jar_name(char* text, std::size_t bytes) noexcept {
  std::string_view whole(text, bytes);
  while (whole.ends_with('/') || whole.ends_with('!')) whole.remove_suffix(1);
  const std::size_t slash = whole.rfind('/');
  const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  return {text + start, decode(text + start, whole.size() - start)};
}

Result<void> ClassOrigins::open_modules(JNIEnv& jni) noexcept {
  const LocalFrame frame(jni);
  if (!frame.open()) return make_error(ErrorCode::kOutOfMemory);
  module_name_ = find_field(jni, "java/lang/Module", "name", "Ljava/lang/String;");
  if (module_name_ != nullptr)
    module_ = find_field(jni, "java/lang/Class", "module", "Ljava/lang/Module;");
  return module_ != nullptr ? Result<void>{} : Result<void>{make_error(ErrorCode::kUnsupported)};
}

Result<void> ClassOrigins::open_jars(JNIEnv& jni) noexcept {
  const LocalFrame frame(jni);
  if (!frame.open()) return make_error(ErrorCode::kOutOfMemory);
  path_ = find_field(jni, "java/net/URL", "path", "Ljava/lang/String;");
  location_ = find_field(jni, "java/security/CodeSource", "location", "Ljava/net/URL;");
  code_source_ =
      find_field(jni, "java/security/ProtectionDomain", "codesource", "Ljava/security/CodeSource;");
  if (path_ == nullptr || location_ == nullptr || code_source_ == nullptr)
    return make_error(ErrorCode::kUnsupported);
  constexpr char kDomain[] = "Ljava/security/ProtectionDomain;";
  domain_ = find_field(jni, "java/lang/Class", "protectionDomain", kDomain);
  if (domain_ == nullptr)
    ask_domain_ = find_method(jni, "java/lang/Class", "getProtectionDomain0",
                              "()Ljava/security/ProtectionDomain;");
  const bool known = domain_ != nullptr || ask_domain_ != nullptr;
  return known ? Result<void>{} : Result<void>{make_error(ErrorCode::kUnsupported)};
}

bool ClassOrigins::calling_java(const JNIEnv* jni) const noexcept {
  if (caller_count_.load(std::memory_order_relaxed) == 0) return false;
  for (const std::atomic<const JNIEnv*>& caller : callers_)
    if (caller.load(std::memory_order_relaxed) == jni) return true;
  return false;
}

// A thread asks only for itself, so what it stored itself is all that it has to see again.
jobject ClassOrigins::protection_domain(JNIEnv& jni, jclass type, bool& told) noexcept {
  told = true;
  if (domain_ != nullptr) return jni.GetObjectField(type, domain_);
  for (std::atomic<const JNIEnv*>& caller : callers_) {
    const JNIEnv* nobody = nullptr;
    if (!caller.compare_exchange_strong(nobody, &jni, std::memory_order_relaxed)) continue;
    caller_count_.fetch_add(1, std::memory_order_relaxed);
    jobject domain = jni.CallObjectMethod(type, ask_domain_);
    told = !threw(jni);
    caller_count_.fetch_sub(1, std::memory_order_relaxed);
    caller.store(nullptr, std::memory_order_relaxed);
    return told ? domain : nullptr;
  }
  told = false;
  return nullptr;
}

// `domain`, a local reference, goes.
void ClassOrigins::read_jar(JNIEnv& jni, jobject domain, Origin& out) const noexcept {
  jobject location = follow(jni, follow(jni, domain, code_source_), location_);
  const std::size_t bytes = take_text(jni, follow(jni, location, path_), out.jar_text);
  out.names.jar = jar_name(out.jar_text, bytes);
}

// `module`, a local reference, goes.
void ClassOrigins::read_module(JNIEnv& jni, jobject module, Origin& out) const noexcept {
  const std::size_t bytes = take_text(jni, follow(jni, module, module_name_), out.module_text);
  out.names.module = {out.module_text, bytes};
}

bool ClassOrigins::read(JNIEnv& jni, jclass type, Origin& out) noexcept {
  out.names = {};
  if (jni.ExceptionCheck() != JNI_FALSE) return false;  // the application's: nothing may clear it
  if (module_ != nullptr) read_module(jni, jni.GetObjectField(type, module_), out);
  if (!tells_jars() || (domain_ == nullptr && ask_domain_ == nullptr)) return true;
  bool told = false;
  jobject domain = protection_domain(jni, type, told);
  read_jar(jni, domain, out);
  return told;
}

void ClassOrigins::read_loading(JNIEnv& jni, jobject module, jobject domain,
                                Origin& out) const noexcept {
  out.names = {};
  if (jni.ExceptionCheck() != JNI_FALSE) return;
  if (module_name_ != nullptr && module != nullptr) read_module(jni, jni.NewLocalRef(module), out);
  if (tells_jars() && domain != nullptr) read_jar(jni, jni.NewLocalRef(domain), out);
}

}  // namespace holdfast::jvmti
