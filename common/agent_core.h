// What every agent does, whatever its VM: takes options, reserves, asks for dumps, begins with the VM and ends with it.
// Why a base and no member: the VM's own agent is what its events reach, and each of these is one of its acts.
// Shape:  read_options() -> wanted() -> check_directory() -> reserve() -> (services().open()) -> begin() -> end_with_vm(), or what the VM's
//         own agent does to leave a VM that runs on. States: off -> ready -> ending; only forward.
// Zone:   load (the first four), event (the rest). Nothing here captures or analyses; waiting is bounded by exit-wait=.
// Errors: what fails at load answers false after one line in the log that names what is wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "common/agent_services.h"
#include "common/dump_engine.h"

namespace holdfast {

class AgentCore {
 public:
  AgentCore() = default;
  AgentCore(const AgentCore&) = delete;
  AgentCore& operator=(const AgentCore&) = delete;

  GateAnswer ask(const DumpRequest& request) noexcept;
  GateAnswer ask(Trigger trigger) noexcept;
  // A person's request: says why when it is not taken.
  bool ask_for_person(const DumpRequest& request) noexcept;

  // The VM runs: threads and services start, and the dump at the start is asked for. Does nothing the second time.
  void begin() noexcept;
  bool ready() const noexcept { return ready_.load(std::memory_order_acquire); }
  // There was no room. Waits until it has been seen, so that the thread still holds its data; then=exit calls `end_process`.
  // `reason` says what kind of memory ran out; for the report.
  void memory_exhausted(const char* reason, bool beside_heap,
                        void (*end_process)(int status) noexcept) noexcept;
  // The VM ends: the dump at the end, whoever waits for a report, threads.
  void end_with_vm() noexcept;
  // The process ends, perhaps without an end of the VM that is told: waits for a running dump.
  void process_exit() noexcept;

  // Neither loaded nor to be: what it opened of the process-wide log is closed.
  void give_log_back() noexcept;

  DumpEngine& engine() noexcept { return engine_; }
  AgentServices& services() noexcept { return services_; }
  // Who allocated what; not open where accounts= is off.
  AccountBook& accounts() noexcept { return engine_.accounts(); }
  // As they were at load; engine().options() are those in force.
  const Options& options() const noexcept { return options_; }

 protected:
  ~AgentCore();

  bool read_options(std::string_view text) noexcept;
  // only= has this process in it. Says nothing at the usual log level: the options were meant for another one.
  bool wanted(const char* application) const noexcept;
  bool check_directory() noexcept;
  // `max_heap_bytes`: platforms::kUnknownBytes where the VM does not say.
  bool reserve(VmAdapter& adapter, const AnalysisCalls& analysis,
               std::uint64_t max_heap_bytes) noexcept;
  bool open_accounts(std::uint64_t memory_bytes) noexcept;
  // Says so when the agent leaves already, or when there is no thread for it.
  static bool begin_detach(bool (*begin_leaving)() noexcept) noexcept;
  // False: the request was refused.
  bool ask_at_oom(const char* reason, bool beside_heap) noexcept;
  bool take_log() noexcept;
  // then=exit: waits for the report, then ends the process.
  void end_after_oom(void (*end_process)(int status) noexcept) noexcept;
  static void say_off(const Error& error, const char* what) noexcept;
  std::uint64_t deadline() const noexcept;
  // True for the first of those who end the agent.
  bool begin_ending() noexcept { return ready() && !ending_.exchange(true); }

  Options options_;
  DumpEngine engine_;
  AgentServices services_;  // on the engine

 private:
  bool counted_ = false;  // among those who use the log
  std::atomic<bool> begun_{false};
  std::atomic<bool> ready_{false};   // set once by begin(), read by events of other threads
  std::atomic<bool> ending_{false};  // by the VM's end or by leaving it: the first of them does it
};

}  // namespace holdfast
