#include "jvmti/dump_environment.h"

#include "jvmti/error_map.h"

namespace holdfast::jvmti {

DumpEnvironment::~DumpEnvironment() {
  if (env_ != nullptr) env_->DisposeEnvironment();
}

Result<void> DumpEnvironment::open(JavaVM& vm) noexcept {
  void* env = nullptr;
  const jint answer = vm.GetEnv(&env, JVMTI_VERSION_1_2);
  if (answer != JNI_OK || env == nullptr) return make_error(ErrorCode::kUnsupported, answer);
  env_ = static_cast<jvmtiEnv*>(env);
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  return check(env_->AddCapabilities(&wanted));
}

}  // namespace holdfast::jvmti
