// The three tables' owners behind the fake VM; only for its own two files.
// Zone:   offline.   Errors: none.
#pragma once

#include <set>
#include <unordered_map>

#include "jvmti/fake_vm.h"

namespace holdfast::jvmti {

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

}  // namespace holdfast::jvmti
