// The agent inside one Java VM of JVMPI: what every agent does (agent_core.h), with this VM's events.
// Why one object: whoever loads it (-Xrun, a test with a fake VM) gets the same behaviour.
// Shape:  load() once, then the VM's events; States: off -> loaded -> ready -> gone (JVM_SHUT_DOWN); only forward. It does not leave a VM
//         that runs on: JVMPI has nothing to be taken out of.
// Zone:   event; nothing here calls the VM but load(). JVM_SHUT_DOWN waits, bounded by exit-wait=, for a dump.
// Errors: load() answers false after one line on stderr that names what is wrong; the application runs on untouched.
#pragma once

#include <jni.h>

#include <atomic>
#include <string_view>

#include "common/agent_core.h"
#include "jvmpi/adapter.h"

namespace holdfast::jvmpi {

class Agent final : public AgentCore {
 public:
  explicit Agent(const AnalysisCalls& analysis) noexcept : analysis_(analysis) {}

  bool load(JavaVM& vm, JVMPI_Interface& jvmpi, jint version,
            std::string_view option_text) noexcept;
  // Whatever the VM tells, on whatever thread.
  void notify(const JVMPI_Event& event) noexcept;

 private:
  bool take_in(JavaVM& vm, JVMPI_Interface& jvmpi, jint version,
               std::string_view option_text) noexcept;
  bool listen(JVMPI_Interface& jvmpi) noexcept;
  void leave_out_what_is_not_told() noexcept;
  void vm_runs() noexcept;
  void vm_ends() noexcept;
  static void look_for_collections(void* agent) noexcept;

  AnalysisCalls analysis_;
  JvmpiAdapter adapter_;
  std::uint64_t collections_seen_ = 0;  // the loop's
  std::atomic<bool> told_of_end_{false};
};

// There is one, and the log says that another -Xrun is ignored.
bool loaded_already() noexcept;
// The one agent of this process, as the VM's door and its events see it; nullptr: the options were wrong, or there is one already. `version`:
// that GetEnv gave the interface for.
Agent* settle_agent(JavaVM& vm, JVMPI_Interface& jvmpi, jint version, std::string_view options,
                    const AnalysisCalls& analysis) noexcept;
// The process ends, perhaps without JVM_SHUT_DOWN.
void process_exits() noexcept;
void forget_agent_for_test() noexcept;

}  // namespace holdfast::jvmpi
