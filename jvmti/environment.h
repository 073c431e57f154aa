// The agent's long-lived jvmtiEnv: few capabilities, none of which costs while nothing happens, and the events it listens to.
// Why few: sampling is exclusive to one environment, tags belong to each dump's own; what is held here is free when idle.
// Zone:   load (event).
// Errors: kUnsupported when the VM has no JVMTI; a capability that is not granted is left out and told by granted_oom().
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/result.h"

namespace holdfast::jvmti {

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  Result<void> open(JavaVM& vm) noexcept;
  // `owner` comes back from owner_of() in the callbacks. `triggers` are TriggerBits: what is not asked for is not listened to.
  Result<void> listen(const jvmtiEventCallbacks& callbacks, void* owner, std::uint32_t triggers,
                      bool vm_is_live) noexcept;
  // Gives the environment back; for a load that did not come to anything.
  void close() noexcept;

  bool granted_oom() const noexcept { return granted_oom_; }
  bool live() const noexcept;
  jvmtiEnv& env() noexcept { return *env_; }
  static void* owner_of(jvmtiEnv& env) noexcept;

 private:
  Result<void> enable(jvmtiEvent event) noexcept;
  jvmtiEnv* env_ = nullptr;
  bool granted_oom_ = false;
};

}  // namespace holdfast::jvmti
