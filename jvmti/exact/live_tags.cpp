#include "jvmti/exact/live_tags.h"

#include "common/accounts/mixed_counter.h"
#include "jvmti/agent_place.h"
#include "jvmti/environment.h"
#include "jvmti/error_map.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint32_t kHalvingsShift = 32;
constexpr std::uint32_t kRoundShift = 40;
constexpr std::uint32_t kRounds = 1u << 23;  // then the first comes again
// Of fewer the time is that of everything else.
constexpr std::uint64_t kEnoughToLearn = 100'000;
constexpr std::uint64_t kBelowRound = (std::uint64_t{1} << kRoundShift) - 1;

struct LiveWalk {
  AccountBook& book;
  std::uint64_t round;
};

jint JNICALL on_reference_stopped(jvmtiHeapReferenceKind, const jvmtiHeapReferenceInfo*, jlong,
                                  jlong, jlong bytes, jlong* tag, jlong*, jint,
                                  void* user) noexcept {
  auto& walk = *static_cast<LiveWalk*>(user);
  const auto seen = static_cast<std::uint64_t>(*tag);
  if (seen >> kRoundShift == walk.round) return JVMTI_VISIT_OBJECTS;
  *tag = static_cast<jlong>(walk.round << kRoundShift | (seen & kBelowRound));
  const auto halvings = static_cast<std::uint32_t>(seen >> kHalvingsShift & 0xFFu);
  walk.book.lives(static_cast<std::uint32_t>(seen) - 1, static_cast<std::uint64_t>(bytes),
                  halvings);
  return JVMTI_VISIT_OBJECTS;
}

void JNICALL on_object_free(jvmtiEnv* env, jlong) noexcept {
  const AgentVisit visit;
  if (auto* const tags = static_cast<LiveTags*>(Environment::owner_of(*env))) tags->died();
}

}  // namespace

// -- begin and end --

Result<void> LiveTags::open(JavaVM& vm) noexcept {
  void* env = nullptr;
  if (vm.GetEnv(&env, JVMTI_VERSION_1_2) != JNI_OK || env == nullptr)
    return make_error(ErrorCode::kUnsupported);
  env_ = static_cast<jvmtiEnv*>(env);
  Result<void> listening = listen();
  if (!listening) {
    env_->DisposeEnvironment();
    env_ = nullptr;
  }
  return listening;
}

Result<void> LiveTags::listen() noexcept {
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  wanted.can_generate_object_free_events = 1;
  const jvmtiError added = env_->AddCapabilities(&wanted);
  if (added == JVMTI_ERROR_NOT_AVAILABLE) return make_error(ErrorCode::kRefused);
  HF_CHECK_OK(check(added));
  jvmtiEventCallbacks callbacks{};
  callbacks.ObjectFree = &on_object_free;
  HF_CHECK_OK(check(env_->SetEnvironmentLocalStorage(this)));
  HF_CHECK_OK(check(env_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks))));
  return check(env_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, nullptr));
}

// Silenced, and left: an environment that hears of deaths cannot be disposed of safely (../accounts/sampling_environment.h).
void LiveTags::close() noexcept {
  if (env_ != nullptr) env_->SetEnvironmentLocalStorage(nullptr);
  env_ = nullptr;
}

// -- event --

std::uint32_t LiveTags::halvings_at(std::uint64_t tagged) noexcept {
  if (tagged >= kMostTags) return kNever;
  std::uint32_t halvings = 0;
  for (std::uint64_t kept = kMostTags - kMostWithoutChance; kMostTags - tagged <= kept; kept /= 2)
    ++halvings;
  return halvings;
}

// Each of the high bits is a coin.
bool LiveTags::picked(std::uint32_t halvings) noexcept {
  if (halvings == 0) return true;
  const std::uint64_t drawn = MixedCounter::mixed(
      chance_.fetch_add(MixedCounter::kStep, std::memory_order_relaxed) + MixedCounter::kStep);
  return drawn >> (64 - halvings) == 0;
}

void LiveTags::follow(jobject object, std::uint32_t row) noexcept {
  const std::uint32_t halvings = halvings_at(tagged_.load(std::memory_order_relaxed));
  const std::uint64_t tag = std::uint64_t{halvings} << kHalvingsShift | (std::uint64_t{row} + 1);
  if (halvings != kNever && picked(halvings) &&
      env_->SetTag(object, static_cast<jlong>(tag)) == JVMTI_ERROR_NONE)
    tagged_.fetch_add(1, std::memory_order_relaxed);
  else
    passed_over_.fetch_add(1, std::memory_order_relaxed);
}

// -- capture --

std::uint64_t LiveTags::predicted_ns() const noexcept {
  return tagged_.load(std::memory_order_relaxed) * ns_per_tag_;
}

Result<std::uint64_t> LiveTags::count(AccountBook& book) noexcept {
  round_ = round_ % (kRounds - 1) + 1;
  LiveWalk walk{book, round_};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = &on_reference_stopped;
  const std::uint64_t tagged = tagged_.load(std::memory_order_relaxed);
  const std::uint64_t began = platforms::monotonic_ns();
  HF_CHECK_OK(check(
      env_->FollowReferences(JVMTI_HEAP_FILTER_UNTAGGED, nullptr, nullptr, &callbacks, &walk)));
  const std::uint64_t took_ns = platforms::monotonic_ns() - began;
  if (tagged >= kEnoughToLearn) ns_per_tag_ = took_ns / tagged;
  return took_ns;
}

}  // namespace holdfast::jvmti
