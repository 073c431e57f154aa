// The three doors that a VM opens: start-up, attach, unload. All they decide is whether there is an agent already.
#include <jvmti.h>

#include <cstdlib>
#include <string_view>

#include "analysis/pipeline.h"
#include "common/log.h"
#include "jvmti/agent_place.h"
#include "jvmti/late_start.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::jvmti {

namespace {

// Longer than a running dump keeps an agent that leaves: what is cancelled ends within two seconds.
constexpr std::uint64_t kLeavingWaitNs = 10'000'000'000;

std::string_view text_of(const char* options) noexcept { return options != nullptr ? options : ""; }

std::uint32_t our_process = 0;

// A process that the application forked inherits the handler, and no dump of its own.
void wait_at_exit() noexcept {
  if (platforms::process_id() != our_process) return;
  const AgentVisit visit;
  if (Agent* agent = settled_agent()) agent->process_exit();
}

// Refused only when memory for the list of handlers is: then an exit without VM death loses a running dump, no more.
void wait_at_exit_once() noexcept {
  if (our_process == platforms::process_id()) return;
  our_process = platforms::process_id();
  [[maybe_unused]] const int ignored = std::atexit(&wait_at_exit);
}

void end_process(int status) noexcept { platforms::end_process(status); }

Agent* start(JavaVM& vm, std::string_view options) noexcept {
  constexpr AgentTools kTools{{&analysis::analyse_and_report, &analysis::tidy_reports},
                              &end_process,
                              &libjvm_symbol,
                              &begin_leaving};
  Agent* const agent = settle_agent(vm, options, kTools);
  if (agent != nullptr) wait_at_exit_once();
  return agent;
}

// Nobody visits while an earlier agent is waited for: it waits for its visitors.
bool give_command(std::string_view text, jint& answer) noexcept {
  const AgentVisit visit;
  Agent* const agent = settled_agent();
  if (agent != nullptr) answer = agent->command(text);
  return agent != nullptr;
}

// The answer is what jcmd and others show who load the agent into a running VM.
jint attach(JavaVM& vm, std::string_view options) noexcept {
  jint answer = JNI_ERR;
  if (give_command(options, answer)) return answer;
  if (!wait_place_free(platforms::monotonic_ns() + kLeavingWaitNs)) {
    log_line(LogLevel::kError, "an earlier agent is still being detached; try again");
    return JNI_ERR;
  }
  const AgentVisit visit;
  Agent* const agent = start(vm, options);
  if (agent == nullptr) return JNI_ERR;
  return option_named(agent->options(), "dump") ? agent->dump_at_attach() : JNI_OK;
}

void start_in_life(JavaVM& vm, std::string_view options) noexcept {
  const AgentVisit visit;
  if (settled_agent() == nullptr) start(vm, options);
}

}  // namespace

}  // namespace holdfast::jvmti

using namespace holdfast;
using namespace holdfast::jvmti;

// Everything below is noexcept in fact; jvmti.h declares the entry points without the word.

jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* /*reserved*/) {
  const AgentVisit visit;
  if (settled_agent() != nullptr) {
    log_line(LogLevel::kError,
             "the agent is loaded already; loading it a second time (options: %s) is ignored",
             options != nullptr ? options : "");
    return JNI_OK;
  }
  if (too_early(*vm))
    start_late(*vm, text_of(options), &start_in_life);
  else
    start(*vm, text_of(options));
  return JNI_OK;
}

// Into a running VM: the first time the options are options, and a `dump=` among them is obeyed at once, as a person expects
// who attaches to get a dump; afterwards they are a command.
jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void* /*reserved*/) {
  return attach(*vm, text_of(options));
}

void JNICALL Agent_OnUnload(JavaVM* /*vm*/) {}  // the VM's death has ended everything already
