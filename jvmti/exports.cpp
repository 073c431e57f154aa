// The three doors that a VM opens: start-up, attach, unload. All they decide is whether there is an agent already.
#include "jvmti/exports.h"

#include <jvmti.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#include "analysis/pipeline.h"
#include "common/log.h"
#include "jvmti/agent.h"
#include "jvmti/command.h"
#include "platforms/process.h"

namespace holdfast::jvmti {

namespace {

// Never destroyed: at exit() another thread of ours may still be inside. An agent that stayed off leaves its place to the next.
alignas(Agent) std::byte agent_place[sizeof(Agent)];
std::atomic<Agent*> the_agent{nullptr};

}  // namespace

Agent* loaded_agent() noexcept { return the_agent.load(std::memory_order_acquire); }

namespace {

std::string_view text_of(const char* options) noexcept { return options != nullptr ? options : ""; }

std::uint32_t our_process = 0;

// A process that the application forked inherits the handler, and no dump of its own.
void wait_at_exit() noexcept {
  if (platforms::process_id() != our_process) return;
  if (Agent* agent = loaded_agent()) agent->process_exit();
}

void end_process(int status) noexcept { platforms::end_process(status); }

bool start(JavaVM& vm, std::string_view options) noexcept {
  constexpr AgentTools kTools{
      {&analysis::analyse_and_report, &analysis::tidy_reports}, &end_process, &libjvm_symbol};
  auto* agent = new (static_cast<void*>(agent_place)) Agent(kTools);
  if (!agent->load(vm, options)) {
    agent->~Agent();
    return false;
  }
  the_agent.store(agent, std::memory_order_release);
  our_process = platforms::process_id();
  // Refused only when memory for the list of handlers is: then an exit without VM death loses a running dump, no more.
  [[maybe_unused]] const int ignored = std::atexit(&wait_at_exit);
  return true;
}

}  // namespace

void forget_agent_for_test() noexcept { the_agent.store(nullptr, std::memory_order_release); }

}  // namespace holdfast::jvmti

using namespace holdfast;
using namespace holdfast::jvmti;

// Everything below is noexcept in fact; jvmti.h declares the entry points without the word.

jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* /*reserved*/) {
  if (loaded_agent() != nullptr) {
    log_line(LogLevel::kError,
             "the agent is loaded already; this second -agentpath (options: %s) is ignored",
             options != nullptr ? options : "");
    return JNI_OK;
  }
  start(*vm, text_of(options));
  return JNI_OK;
}

// Into a running VM: the first time the options are options, and a `dump=` among them is obeyed at once, as a person expects
// who attaches to get a dump; afterwards they are a command.
jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void* /*reserved*/) {
  if (Agent* agent = loaded_agent()) return agent->command(text_of(options));
  if (!start(*vm, text_of(options))) return JNI_ERR;
  Agent& agent = *loaded_agent();
  return option_named(agent.options(), "dump") ? agent.dump_at_attach() : JNI_OK;
}

void JNICALL Agent_OnUnload(JavaVM* /*vm*/) {}  // the VM's death has ended everything already
