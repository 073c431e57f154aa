// The agent inside one Java VM: what every agent does (agent_core.h), with this VM's environment and events.
// Why one object: whoever loads it (start-up, attach, a test with a fake VM) gets the same behaviour, and two never share state.
// Shape:  load() once; then the VM's events. States: off -> loaded -> ready -> gone (VM death, or leave()); only forward.
//         load() in the OnLoad phase reserves and listens; in the live phase it becomes ready at once.
// Zone:   event. Nothing here captures or analyses; waiting is bounded by exit-wait=.
// Errors: load() answers false after one line on stderr that names what is wrong; the application runs on untouched.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "common/agent_core.h"
#include "jvmti/accounts/allocation_sampler.h"
#include "jvmti/adapter.h"
#include "jvmti/environment.h"
#include "jvmti/exact/exact_counting.h"
#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

// What the agent does outside the VM; tests put their own in.
struct AgentTools {
  AnalysisCalls analysis;
  void (*end_process)(int status) noexcept;
  VmSymbol vm_symbol;
  bool (*begin_leaving)() noexcept = nullptr;  // detach was asked for: has somebody call leave()
};

class Agent final : public AgentCore {
 public:
  explicit Agent(const AgentTools& tools) noexcept : tools_(tools) {}

  bool load(JavaVM& vm, std::string_view option_text) noexcept;
  // What an attached command asks for; the number that jcmd prints: 0 accepted, 1 refused, 2 not understood.
  int command(std::string_view text) noexcept;

  // Asks to be taken out of the VM, which goes on; leave() follows on another thread.
  bool detach() noexcept;

  // The dump that the options of an attach ask for; answers as command().
  int dump_at_attach() noexcept;

  // -- events (events.cpp) --
  void vm_init(JNIEnv* jni) noexcept;
  void data_dump_request() noexcept;
  void resource_exhausted(const JNIEnv* jni, jint flags, const char* description) noexcept;
  void collection_started() noexcept;
  void collection_finished() noexcept;
  void vm_death() noexcept;
  // The calling thread says whose work it does (common/annotations/annotation_texts.h).
  void annotate(std::span<const char> block) noexcept { sampler_.annotate(block); }
  // Detach: ends everything while the VM runs on; waits for a capture that stops the VM. Called by a thread of ours that the VM does
  // not know, once; false: the VM dies itself, or never gave us a thread, and the agent must stay where it is.
  bool leave() noexcept;

  ExactCounting& exact() noexcept { return exact_; }
  std::uint32_t ignored_exhaustions() const noexcept {
    return ignored_exhaustions_.load(std::memory_order_relaxed);
  }

 private:
  bool reserve_for(JavaVM& vm, const VmFlags& flags) noexcept;
  void take_over_end(const VmFlags& flags) noexcept;
  void give_end_back() noexcept;
  void end_as_vm(const char* description) noexcept;
  void close_environments() noexcept;
  void open_sampler(JavaVM& vm) noexcept;
  bool take_in(JavaVM& vm, std::string_view option_text) noexcept;
  bool dispose_environment() noexcept;
  void count_exactly(JavaVM& vm, bool live) noexcept;
  void count_live() noexcept;
  void begin_counting(JNIEnv& jni) noexcept;
  void give_up_counting(const Error& error) noexcept;
  int answer_code(const DumpRequest& request) noexcept;

  // What the VM would have done by itself at an OutOfMemoryError, before it reports one.
  enum class VmEnd : std::uint8_t { kNone, kExit, kCrash };

  AgentTools tools_;
  std::atomic<VmEnd> end_taken_over_{VmEnd::kNone};
  std::uint64_t max_heap_bytes_ = 0;
  Environment environment_;
  AllocationSampler sampler_;
  JvmtiAdapter adapter_;
  ExactCounting exact_;
  JavaVM* vm_ = nullptr;
  std::atomic<std::uint32_t> ignored_exhaustions_{0};
};

}  // namespace holdfast::jvmti
