// The jvmtiEnv of one dump: owns the tags, and nothing of it stays when the dump is over.
// Why one for each dump: disposing it releases all tags while the application runs (120 to 320 ns each), an untagging pass would
//      stop it for seconds; and between dumps the agent holds no capability that costs.
// Zone:   capture.   Errors: kUnsupported when the VM grants no tags.
#pragma once

#include <jvmti.h>

#include <utility>

#include "common/result.h"

namespace holdfast::jvmti {

class DumpEnvironment {
 public:
  DumpEnvironment() = default;
  ~DumpEnvironment();
  DumpEnvironment(DumpEnvironment&& other) noexcept : env_(std::exchange(other.env_, nullptr)) {}
  DumpEnvironment& operator=(DumpEnvironment&& other) noexcept {
    std::swap(env_, other.env_);
    return *this;
  }

  Result<void> open(JavaVM& vm) noexcept;
  bool is_open() const noexcept { return env_ != nullptr; }
  jvmtiEnv& env() const noexcept { return *env_; }

 private:
  jvmtiEnv* env_ = nullptr;
};

}  // namespace holdfast::jvmti
