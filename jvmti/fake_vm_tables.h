// The three tables' owners behind the fake VM; only for its own files.
// Zone:   offline.   Errors: none.
#pragma once

#include <mutex>
#include <set>
#include <unordered_map>

#include "jvmti/fake_vm.h"

namespace holdfast::jvmti {

using Lock = std::lock_guard<std::recursive_mutex>;

struct FakeEnvironment : _jvmtiEnv {
  FakeVm* vm = nullptr;
  bool disposed = false;
  void* storage = nullptr;
  jvmtiEventCallbacks callbacks{};
  std::set<jvmtiEvent> enabled;
  std::unordered_map<std::uint32_t, jlong> tags;
  bool can_tag = false;
};
struct FakeJni : JNIEnv_ {
  FakeVm* vm = nullptr;
};
struct FakeVmTable : JavaVM_ {
  FakeVm* vm = nullptr;
};

const JNIInvokeInterface_& fake_vm_table();
void add_walk_calls(jvmtiInterface_1_& table);
void add_allocation_calls(jvmtiInterface_1_& table);

inline FakeEnvironment& self(jvmtiEnv* env) { return *static_cast<FakeEnvironment*>(env); }
inline FakeJni& self(JNIEnv* jni) { return *static_cast<FakeJni*>(jni); }

inline jobject handle_of(std::uint32_t object) {
  return reinterpret_cast<jobject>((std::uintptr_t{object} + 1) << 4);
}
inline std::uint32_t object_of(jobject handle) {
  return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(handle) >> 4) - 1);
}

// The first lines of every call: the VM, its lock, and the fault that a test asked for.
#define HF_FAKE(env, name)    \
  FakeVm& vm = *self(env).vm; \
  const Lock lock(vm.mutex_); \
  if (jint error = 0; vm.fails(name, error)) return static_cast<jvmtiError>(error)

}  // namespace holdfast::jvmti
