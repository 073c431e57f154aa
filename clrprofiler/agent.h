// The agent inside one CLR: what every agent does (agent_core.h), with this runtime's interface and events.
// Shape:  load() once; then the runtime's events. At start-up it begins with the second module, when the runtime has started; attached
//         it begins at once.
// Zone:   event. Nothing here captures or analyses.
// Errors: load() answers false after one line that names what is wrong; the application runs on without the agent.
#pragma once

#include <atomic>
#include <string_view>

#include "clrprofiler/adapter.h"
#include "clrprofiler/oom_exception.h"
#include "common/agent_core.h"

namespace holdfast::clr {

// What the agent does outside the runtime; tests put their own in.
struct AgentTools {
  AnalysisCalls analysis;
  void (*end_process)(int status) noexcept;
  bool (*begin_leaving)() noexcept = nullptr;  // detach was asked for: has somebody call leave()
};

class Agent final : public AgentCore {
 public:
  explicit Agent(const AgentTools& tools) noexcept : tools_(tools) {}

  bool load(IUnknown& runtime, std::string_view option_text, bool attached) noexcept;
  bool detach() noexcept;

  // -- events (callback.cpp) --
  void attach_complete() noexcept;
  void module_loaded(ModuleID id) noexcept;
  void module_unloads() noexcept { adapter_.module_unloads(); }
  void collection_started(int generations, const BOOL* collected) noexcept;
  void collection_finished() noexcept;
  void runtime_stands_still() noexcept;
  void runtime_resumes() noexcept;
  void exception_thrown(ObjectID exception) noexcept;
  void handler_searched() noexcept;
  // Is any thread between an OutOfMemoryException and the search for its handler? Any thread, any time.
  static bool held_at_search() noexcept { return thrown_.load(std::memory_order_acquire) != 0; }
  // The calling thread says whose work it does (common/annotations/annotation_texts.h).
  void annotate(std::span<const char> block) noexcept { adapter_.annotate(block); }
  void shutdown() noexcept {
    end_with_vm();
    adapter_.runtime_ends();
  }
  // The agent is no longer settled by then, so this is told to all there ever were.
  static void detach_succeeded() noexcept { let_go_.store(true, std::memory_order_release); }
  // Detach: ends everything while the runtime runs on, and waits until the runtime has let go of us. Called by a thread of ours.
  bool leave() noexcept;

 private:
  bool take_in(IUnknown& runtime, std::string_view option_text, bool attached) noexcept;
  Result<void> listen_at_load(bool attached) noexcept;
  void sample_accounts() noexcept;
  void leave_numbers() noexcept;
  void rest() noexcept;
  bool prepare_accounts() noexcept;

  void hold_at_search() noexcept;
  static void end_after_dump(void* agent) noexcept;

  AgentTools tools_;
  OomException oom_;
  // Numbers of threads that have thrown one and are held as soon as they may be; 0: free. `thrown_` counts them, those without a place not.
  static constexpr std::size_t kMostThrowing = 16;
  std::atomic<std::uint32_t> throwing_[kMostThrowing] = {};
  static inline std::atomic<std::uint32_t> thrown_{0};
  std::atomic<bool> ends_after_oom_{false};
  ClrAdapter adapter_;
  std::atomic<std::uint32_t> modules_{0};
  static inline std::atomic<bool> let_go_{false};  // by the runtime, of the last one
};

}  // namespace holdfast::clr
