#include "jvmti/environment.h"

#include "common/options.h"
#include "jvmti/error_map.h"

namespace holdfast::jvmti {

Result<void> Environment::open(JavaVM& vm) noexcept {
  void* env = nullptr;
  const jint answer = vm.GetEnv(&env, JVMTI_VERSION_1_2);  // what JDK 8 has; newer ones only add
  if (answer != JNI_OK || env == nullptr) return make_error(ErrorCode::kUnsupported, answer);
  env_ = static_cast<jvmtiEnv*>(env);
  jvmtiCapabilities potential{};
  jvmtiCapabilities wanted{};
  HF_CHECK_OK(check(env_->GetPotentialCapabilities(&potential)));
  wanted.can_generate_resource_exhaustion_heap_events =
      potential.can_generate_resource_exhaustion_heap_events;
  wanted.can_generate_resource_exhaustion_threads_events =
      potential.can_generate_resource_exhaustion_threads_events;
  wanted.can_generate_garbage_collection_events = potential.can_generate_garbage_collection_events;
  HF_CHECK_OK(check(env_->AddCapabilities(&wanted)));
  granted_oom_ = wanted.can_generate_resource_exhaustion_heap_events != 0;
  granted_collections_ = wanted.can_generate_garbage_collection_events != 0;
  return {};
}

Result<void> Environment::enable(jvmtiEvent event) noexcept {
  return check(env_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr));
}

Result<void> Environment::listen(const jvmtiEventCallbacks& callbacks, void* owner,
                                 const Options& options, bool vm_is_live) noexcept {
  HF_CHECK_OK(check(env_->SetEnvironmentLocalStorage(owner)));
  HF_CHECK_OK(check(env_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks))));
  if (!vm_is_live) HF_CHECK_OK(enable(JVMTI_EVENT_VM_INIT));
  HF_CHECK_OK(enable(JVMTI_EVENT_VM_DEATH));
  return listen_for(options);
}

Result<void> Environment::turn(jvmtiEvent event, bool wanted, bool& listening) noexcept {
  if (wanted == listening) return {};
  HF_CHECK_OK(
      check(env_->SetEventNotificationMode(wanted ? JVMTI_ENABLE : JVMTI_DISABLE, event, nullptr)));
  listening = wanted;
  return {};
}

Result<void> Environment::listen_for(const Options& options) noexcept {
  const platforms::MutexLock lock(changing_);
  if (env_ == nullptr) return {};
  const bool signal = (options.on & kOnSignal) != 0;
  const bool oom = (options.on & kOnOom) != 0;
  HF_CHECK_OK(turn(JVMTI_EVENT_DATA_DUMP_REQUEST, signal, hears_dump_requests_));
  HF_CHECK_OK(turn(JVMTI_EVENT_RESOURCE_EXHAUSTED, oom && granted_oom_, hears_exhaustion_));
  const bool collections = wants_collections(options) && granted_collections_;
  HF_CHECK_OK(turn(JVMTI_EVENT_GARBAGE_COLLECTION_START, collections, hears_begins_));
  return turn(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, collections, hears_collections_);
}

void Environment::close() noexcept {
  const platforms::MutexLock lock(changing_);
  if (env_ != nullptr) env_->DisposeEnvironment();
  env_ = nullptr;
}

bool Environment::live() const noexcept {
  jvmtiPhase phase = JVMTI_PHASE_PRIMORDIAL;
  return env_->GetPhase(&phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE;
}

void* Environment::owner_of(jvmtiEnv& env) noexcept {
  void* owner = nullptr;
  return env.GetEnvironmentLocalStorage(&owner) == JVMTI_ERROR_NONE ? owner : nullptr;
}

}  // namespace holdfast::jvmti
