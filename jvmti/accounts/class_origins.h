// Where a class was loaded from: its module's name and the file name of its jar, as far as patterns ask for them.
// Why fields and no methods: a field is read without running Java, and so without waiting for anybody inside the event of an allocation.
//      The one exception is a class's protection domain before JDK 25: a native method, no locks
//      (docs/decisions/040-allocation-sampling-java.md). While a thread is inside it,
//      calling_java() says so, and an allocation that it makes there is left out.
// Shape:  six ids, looked up once; kMaxCallers threads in Java at a time, one more answers "not told".
// Zone:   open_modules(), open_jars(): VM init or attach. The rest: event, on an attached thread
//         without a pending exception.
// Errors: kUnsupported from these two when this VM has not what is needed: module: or jar: then
//         match nothing.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstddef>
#include <string_view>

#include "common/accounts/account_patterns.h"
#include "common/result.h"

namespace holdfast::jvmti {

// The last part of where code was loaded from: "jar:file:/srv/app.jar!/lib/my%20own.jar!/" -> "my own.jar".
// `text` is changed in place, the answer lies in it.
std::string_view jar_name(char* text, std::size_t bytes) noexcept;

class ClassOrigins {
 public:
  struct Origin {
    static constexpr std::size_t kMaxName = 1024;
    char jar_text[kMaxName + 4] = "";  // and room for a cut multi-byte character
    char module_text[kMaxName + 4] = "";
    ClassOrigin names;  // into the texts
  };

  Result<void> open_modules(JNIEnv& jni) noexcept;
  Result<void> open_jars(JNIEnv& jni) noexcept;
  // False: not told now, ask again another time.
  bool read(JNIEnv& jni, jclass type, Origin& out) noexcept;
  // The same of a class that is being loaded, which is no class yet: nullptr where there is none. No Java is run.
  void read_loading(JNIEnv& jni, jobject module, jobject domain, Origin& out) const noexcept;
  bool calling_java(const JNIEnv* jni) const noexcept;

 private:
  static constexpr std::size_t kMaxCallers = 64;

  jobject protection_domain(JNIEnv& jni, jclass type, bool& told) noexcept;
  void read_jar(JNIEnv& jni, jobject domain, Origin& out) const noexcept;
  void read_module(JNIEnv& jni, jobject module, Origin& out) const noexcept;
  bool tells_jars() const noexcept {
    return path_ != nullptr && location_ != nullptr && code_source_ != nullptr;
  }

  jfieldID module_ = nullptr;       // Class.module
  jfieldID module_name_ = nullptr;  // Module.name
  jfieldID domain_ = nullptr;       // Class.protectionDomain, from JDK 25 on
  jmethodID ask_domain_ = nullptr;  // Class.getProtectionDomain0 before
  jfieldID code_source_ = nullptr;  // ProtectionDomain.codesource
  jfieldID location_ = nullptr;     // CodeSource.location
  jfieldID path_ = nullptr;         // URL.path
  std::atomic<const JNIEnv*> callers_[kMaxCallers] = {};
  std::atomic<std::size_t> caller_count_{0};
};

}  // namespace holdfast::jvmti
