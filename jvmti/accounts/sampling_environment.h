// The jvmtiEnv that samples allocations and follows what was sampled by tags; it exists only when accounts are on.
// Why one of its own: sampling is exclusive to one environment of a VM, and whoever does not want accounts shall not keep others from it;
//      and its tags are told apart from those of dumps.
// Shape:  open() -> listen() -> close(). A tag is a live sample's number.
//         An environment that hears of deaths is never disposed of, only silenced: a few KB stay for each detach. To dispose of it, or to turn
//         that event off, HotSpot waits until nobody posts deaths, and lets no safepoint begin meanwhile, while who posts them waits for the end
//         of one: all threads then stand for good (JvmtiTagMap::flush_object_free_events; seen on
//         17.0.21, docs/decisions/040-allocation-sampling-java.md).
// Zone:   open(), listen(): load, VM init. close(): on an attached thread that is in no event of it.
// Errors: kUnsupported: the VM has no sampling (before Java 11). kRefused: another agent has it. kVm.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/result.h"

namespace holdfast::jvmti {

class SamplingEnvironment {
 public:
  SamplingEnvironment() = default;
  SamplingEnvironment(const SamplingEnvironment&) = delete;
  SamplingEnvironment& operator=(const SamplingEnvironment&) = delete;

  Result<void> open(JavaVM& vm, std::uint64_t interval_bytes) noexcept;
  // `owner` comes back from Environment::owner_of() in the callbacks.
  Result<void> listen(const jvmtiEventCallbacks& callbacks, void* owner) noexcept;
  void close() noexcept;

  bool is_open() const noexcept { return env_ != nullptr; }
  bool tells_deaths() const noexcept { return tells_deaths_; }
  // Of the calling thread, virtual ones each their own; 0 until it is set.
  std::uintptr_t thread_value() const noexcept;
  void set_thread_value(std::uintptr_t value) noexcept;

 private:
  Result<void> take_capabilities() noexcept;
  void retire() noexcept;

  jvmtiEnv* env_ = nullptr;
  bool tells_deaths_ = false;
  bool hears_deaths_ = false;
};

}  // namespace holdfast::jvmti
