// Allocations of a Java VM that are sampled, written into the book of accounts; and those of them that died.
// Why the event does all: account and class are in the hands of the thread that allocates, and a later look would have to hold what it
//      looks at. No lock is held across a call of the VM, and nothing but local references is made.
// Shape:  512 KB of memory of its own, for methods. open() at load, begin() at VM init, end() when the VM or the agent ends, close() takes
//         it out of the VM. Before begin() and after end() events are passed over. What a thread says of itself lies in the VM's own
//         thread-local storage of our environment.
// Zone:   open(), begin(), end(), close(): load and end. allocated(): event. died(): event, perhaps at a safepoint or on a thread of the VM:
//         takes the book's lock and calls nothing.
// Errors: those of SamplingEnvironment::open(), kOutOfBudget. What an event is not told is counted in AccountLosses.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <span>

#include "common/accounts/account_book.h"
#include "common/ledger.h"
#include "common/reservation.h"
#include "common/vm_adapter.h"
#include "jvmti/accounts/class_origins.h"
#include "jvmti/accounts/method_accounts.h"
#include "jvmti/accounts/sampling_environment.h"
#include "jvmti/accounts/stack_accounts.h"

namespace holdfast::jvmti {

// One sampled allocation, as the VM tells it.
struct SampledObject {
  jvmtiEnv& env;
  JNIEnv& jni;
  jthread thread;
  jobject object;
  jclass type;
  jlong shallow_bytes;
};

class AllocationSampler {
 public:
  AllocationSampler() = default;
  AllocationSampler(const AllocationSampler&) = delete;
  AllocationSampler& operator=(const AllocationSampler&) = delete;

  // `book` is open; it and `adapter`, which counts collections, stay longer than this.
  Result<void> open(JavaVM& vm, AccountBook& book, VmAdapter& adapter, Ledger& ledger) noexcept;
  void begin(JNIEnv* jni) noexcept;
  void end() noexcept { counting_.store(false, std::memory_order_release); }
  void close() noexcept;

  // What the calling thread says of itself from now on (annotations/annotation_texts.h), a virtual one, too.
  void annotate(std::span<const char> block) noexcept;
  void allocated(const SampledObject& sample) noexcept;
  void died(jlong tag) noexcept;

 private:
  void open_origins(JNIEnv& jni) noexcept;
  void drop() noexcept;
  void take(const SampledObject& sample, std::uint64_t bytes, const SampleMoment& moment) noexcept;
  ThreadAnnotations::Mark mark_of_caller() const noexcept;
  bool passes_class(StringId name) noexcept;
  bool read_key(const SampledObject& sample, AllocationKey& key) noexcept;
  bool name_class(const SampledObject& sample, StringId& name) noexcept;
  StringId name_method(jvmtiEnv& env, JNIEnv& jni, jmethodID method) noexcept;

  Result<void> open_methods(Ledger& ledger) noexcept;

  SamplingEnvironment environment_;
  Reservation reservation_;
  Arena arena_;
  AccountBook* book_ = nullptr;
  VmAdapter* adapter_ = nullptr;
  bool by_stack_ = false;  // there are accounts, not only ages
  MethodAccounts methods_;
  ClassOrigins origins_;
  std::atomic<bool> counting_{false};  // begin()'s store is seen with what it set up
};

}  // namespace holdfast::jvmti
