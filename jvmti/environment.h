// The agent's long-lived jvmtiEnv: few capabilities, none of which costs while nothing happens, and the events it listens to.
// Why few: sampling is exclusive to one environment, tags belong to each dump's own; what is held here is free when idle.
// Zone:   load (event); listen_for(): load, then capture.
// Errors: kUnsupported when the VM has no JVMTI; a capability that is not granted is left out and told by granted_*().
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/options.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  Result<void> open(JavaVM& vm) noexcept;
  // `owner` comes back from owner_of() in the callbacks.
  Result<void> listen(const jvmtiEventCallbacks& callbacks, void* owner, const Options& options,
                      bool vm_is_live) noexcept;
  // What the options' triggers do not ask for is not listened to, from now on. In the live phase any thread may call this, one at a
  // time.
  Result<void> listen_for(const Options& options) noexcept;
  // Gives the environment back; for a load that did not come to anything.
  void close() noexcept;

  bool granted_oom() const noexcept { return granted_oom_; }
  bool granted_collections() const noexcept { return granted_collections_; }
  bool live() const noexcept;
  jvmtiEnv& env() noexcept { return *env_; }
  static void* owner_of(jvmtiEnv& env) noexcept;

 private:
  Result<void> enable(jvmtiEvent event) noexcept;
  Result<void> turn(jvmtiEvent event, bool wanted, bool& listening) noexcept;
  platforms::Mutex changing_;  // a detach may come while the capture thread listens anew
  jvmtiEnv* env_ = nullptr;
  bool granted_oom_ = false;
  bool granted_collections_ = false;
  bool hears_dump_requests_ = false;
  bool hears_exhaustion_ = false;
  bool hears_begins_ = false;  // of collections
  bool hears_collections_ = false;
};

}  // namespace holdfast::jvmti
