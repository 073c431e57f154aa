// The jvmtiEnv of one dump: owns the tags, and nothing of it stays when the dump is over.
// Why one for each dump: disposing it releases all tags while the application runs (120 to 320 ns each), an untagging pass would
//      stop it for seconds; and between dumps the agent holds no capability that costs.
// Zone:   capture.   Errors: kUnsupported when the VM grants no tags.
#pragma once

#include <jvmti.h>

#include "common/result.h"

namespace holdfast::jvmti {

class DumpEnvironment {
 public:
  DumpEnvironment() = default;
  ~DumpEnvironment();
  DumpEnvironment(const DumpEnvironment&) = delete;
  DumpEnvironment& operator=(const DumpEnvironment&) = delete;

  Result<void> open(JavaVM& vm) noexcept;
  jvmtiEnv& env() noexcept { return *env_; }

 private:
  jvmtiEnv* env_ = nullptr;
};

}  // namespace holdfast::jvmti
