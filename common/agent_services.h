// What every agent has beside its engine, whatever its VM: triggers, the search for growing and for aging classes, the control socket.
// Why together: they open and close in one order, and `set` and `status` reach all of them.
// Shape:  open() -> start() -> stop_triggers() -> close(); each step is taken once, and steps may be left out at the end.
// Zone:   open(): load, before the engine's vm_ready(). start(): VM init, after it. collection_finished(): event, at a safepoint.
//         stop_triggers(), close(): VM death or detach, before the engine's close(). The rest: worker.
// Errors: none: what cannot be opened says so in the log, and the agent goes on without it.
#pragma once

#include "common/ages/age_watch.h"
#include "common/control/control_server.h"
#include "common/dump_engine.h"
#include "common/triggers/growth.h"
#include "common/triggers/triggers.h"

namespace holdfast {

class AgentServices {
 public:
  AgentServices() = default;
  AgentServices(const AgentServices&) = delete;
  AgentServices& operator=(const AgentServices&) = delete;

  // `detach`: somebody wants the agent out of the process; comes back at once, and has another thread do it. nullptr: it cannot leave.
  void open(DumpEngine& engine, const Options& options, void (*detach)(void* context) noexcept,
            void* context) noexcept;
  void start(const Options& options) noexcept;
  // The engine's options have changed to these.
  void arm(const Options& options) noexcept;
  void collection_finished() noexcept { triggers_.collection_finished(); }
  void stop_triggers() noexcept;
  void close() noexcept;

 private:
  static constexpr std::size_t kMaxPeriodic = 8;  // kinds of triggers that Triggers knows, and some

  std::size_t trigger_states(std::span<control::TriggerState> out) noexcept;
  void add_own_words(TriggerFacts& facts) const noexcept;
  std::size_t event_states(std::span<control::TriggerState> out) const noexcept;

  DumpEngine* engine_ = nullptr;
  void (*detach_)(void* context) noexcept = nullptr;
  void* detach_context_ = nullptr;
  Triggers triggers_;
  Growth growth_;
  AgeWatch ages_;
  bool ages_on_ = false;
  control::ControlServer control_;
  // The text behind the last answer of trigger_states(): the loop's.
  TriggerFacts facts_[kMaxPeriodic];
  char growth_text_[Growth::kMaxStateText] = "";
  char ages_text_[AgeWatch::kMaxStateText] = "";
};

}  // namespace holdfast
