#include "jvmti/accounts/sampling_environment.h"

#include <algorithm>
#include <limits>

#include "jvmti/error_map.h"

namespace holdfast::jvmti {

Result<void> SamplingEnvironment::open(JavaVM& vm, std::uint64_t interval_bytes) noexcept {
  void* env = nullptr;
  if (vm.GetEnv(&env, JVMTI_VERSION_11) != JNI_OK || env == nullptr)
    return make_error(ErrorCode::kUnsupported);
  env_ = static_cast<jvmtiEnv*>(env);
  Result<void> taken = take_capabilities();
  constexpr std::uint64_t kMost = std::numeric_limits<jint>::max();
  if (taken)
    taken =
        check(env_->SetHeapSamplingInterval(static_cast<jint>(std::min(interval_bytes, kMost))));
  if (!taken) close();
  return taken;
}

// A capability that one environment alone may have is no longer among the potential ones once it is taken; between the two calls another
// agent may take it.
Result<void> SamplingEnvironment::take_capabilities() noexcept {
  jvmtiCapabilities potential{};
  HF_CHECK_OK(check(env_->GetPotentialCapabilities(&potential)));
  if (potential.can_generate_sampled_object_alloc_events == 0)
    return make_error(ErrorCode::kRefused);
  jvmtiCapabilities wanted{};
  wanted.can_generate_sampled_object_alloc_events = 1;
  tells_deaths_ = potential.can_tag_objects != 0 && potential.can_generate_object_free_events != 0;
  wanted.can_tag_objects = tells_deaths_ ? 1 : 0;
  wanted.can_generate_object_free_events = tells_deaths_ ? 1 : 0;
  const jvmtiError added = env_->AddCapabilities(&wanted);
  if (added == JVMTI_ERROR_NOT_AVAILABLE) return make_error(ErrorCode::kRefused);
  return check(added);
}

Result<void> SamplingEnvironment::listen(const jvmtiEventCallbacks& callbacks,
                                         void* owner) noexcept {
  HF_CHECK_OK(check(env_->SetEnvironmentLocalStorage(owner)));
  HF_CHECK_OK(check(env_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks))));
  if (tells_deaths_) {
    HF_CHECK_OK(
        check(env_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, nullptr)));
    hears_deaths_ = true;
  }
  return check(
      env_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr));
}

std::uintptr_t SamplingEnvironment::thread_value() const noexcept {
  void* value = nullptr;
  if (env_->GetThreadLocalStorage(nullptr, &value) != JVMTI_ERROR_NONE) return 0;
  return reinterpret_cast<std::uintptr_t>(value);
}

void SamplingEnvironment::set_thread_value(std::uintptr_t value) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  env_->SetThreadLocalStorage(nullptr, reinterpret_cast<void*>(value));
}

// It gives up sampling, which another may want, and hears of nothing any more; objects that are still tagged die unheard.
void SamplingEnvironment::retire() noexcept {
  env_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
  env_->SetEnvironmentLocalStorage(nullptr);
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  env_->RelinquishCapabilities(&sampling);
}

void SamplingEnvironment::close() noexcept {
  if (env_ == nullptr) return;
  if (hears_deaths_)
    retire();
  else
    env_->DisposeEnvironment();
  env_ = nullptr;
  hears_deaths_ = false;
}

}  // namespace holdfast::jvmti
