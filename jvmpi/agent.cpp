#include "jvmpi/agent.h"

#include <utility>

#include "common/agent_place.h"
#include "common/command_line.h"
#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::uint64_t kCollectionLookNs = 500'000'000;
constexpr std::uint64_t kEndLookNs = 5'000'000;

constinit AgentPlace<Agent> place;

// The VM's one handler.
void on_event(JVMPI_Event* event) noexcept {
  const AgentPlace<Agent>::Visit visit(place);
  Agent* const agent = place.settled();
  if (agent != nullptr && event != nullptr) agent->notify(*event);
}

VmFacts facts_at_load() noexcept {
  VmFacts facts;
  char line[kMaxCommandLine];
  const std::string_view name = application_name(read_command_line(line));
  name.copy(facts.main_name, kMaxFactText - 1);
  facts.command_line_hash = command_line_hash();
  return facts;
}

bool has_what_dumps_need(const JVMPI_Interface& vm) noexcept {
  return vm.EnableEvent != nullptr && vm.DisableEvent != nullptr && vm.RequestEvent != nullptr &&
         vm.DisableGC != nullptr && vm.EnableGC != nullptr;
}

}  // namespace

// -- load --

bool Agent::load(JavaVM& vm, JVMPI_Interface& jvmpi, jint version,
                 std::string_view option_text) noexcept {
  const bool loaded = take_in(vm, jvmpi, version, option_text);
  if (!loaded) give_log_back();
  return loaded;
}

bool Agent::take_in(JavaVM& vm, JVMPI_Interface& jvmpi, jint version,
                    std::string_view option_text) noexcept {
  if (!read_options(option_text)) return false;
  const VmFacts facts = facts_at_load();
  if (!wanted(facts.main_name) || !check_directory()) return false;
  if (!has_what_dumps_need(jvmpi)) {
    log_line(LogLevel::kError, "this VM has parts of JVMPI alone; the agent stays off");
    return false;
  }
  leave_out_what_is_not_told();
  adapter_.open(vm, jvmpi, version, facts);
  if (!reserve(adapter_, analysis_, platforms::kUnknownBytes)) return false;
  services_.open(engine_, options_, nullptr, nullptr);  // JVMPI has nothing to be taken out of
  return listen(jvmpi);
}

// The handler first: a VM may tell the first event before it comes back.
bool Agent::listen(JVMPI_Interface& jvmpi) noexcept {
  jvmpi.NotifyEvent = &on_event;
  for (const jint event : {kJvmInitDone, kJvmShutDown, kDataDumpRequest})
    if (const jint answer = jvmpi.EnableEvent(event, nullptr); answer != kSuccess) {
      if (event == kDataDumpRequest) continue;  // no person asks by a signal then
      say_off(make_error(ErrorCode::kVm, answer), "the VM does not tell its events");
      return false;
    }
  if (const Result<void> listening = adapter_.listen(options_); !listening)
    log_line(LogLevel::kError, "the VM does not tell of collections (code %lld)",
             static_cast<long long>(listening.error().detail));
  return true;
}

void Agent::leave_out_what_is_not_told() noexcept {
  const bool accounts = options_.accounts[0] != '\0';
  if (accounts || options_.ages != AgesChoice::kOff)
    log_line(LogLevel::kError,
             "%s=: a VM of JVMPI tells every allocation or none, which is far too dear; there are "
             "none",
             accounts ? "accounts" : "ages");
  options_.accounts[0] = '\0';
  options_.ages = AgesChoice::kOff;
  if (options_.track)
    log_line(LogLevel::kError, "track=on: not in a VM of JVMPI; objects have no numbers");
  options_.track = false;
}

// -- events --

void Agent::notify(const JVMPI_Event& event) noexcept {
  if (VmRequests::is_answer(event.event_type)) return adapter_.deliver(event);
  switch (event.event_type & ~kRequested) {
    case kJvmInitDone:
      return vm_runs();
    case kDataDumpRequest:
      if (ready() && (engine_.options().on & kOnSignal) != 0) ask(Trigger::kSignal);
      return;
    case kGcStart:
      return adapter_.collection_started();
    case kGcFinish:
      return adapter_.collection_finished(event);
    case kJvmShutDown:
      return vm_ends();
    default:
      return;
  }
}

// Told twice, the second waits for the first: the VM is there as long as one of them has not come back.
void Agent::vm_ends() noexcept {
  const std::uint64_t until = deadline();
  if (!told_of_end_.exchange(true))
    end_with_vm();
  else
    while (!adapter_.is_gone() && platforms::monotonic_ns() < until)
      platforms::sleep_ns(kEndLookNs);
  adapter_.vm_is_gone();
}

void Agent::vm_runs() noexcept {
  begin();
  if (ready())
    engine_.loop().set_timer(&Agent::look_for_collections, this, kCollectionLookNs,
                             kCollectionLookNs);
}

// Whoever is told of a collection stands where other threads may stand still with any lock in their hands, so the event takes none and
// wakes nobody: the loop looks.
void Agent::look_for_collections(void* agent) noexcept {
  auto& self = *static_cast<Agent*>(agent);
  const std::uint64_t now = self.adapter_.collections_heard();
  if (std::exchange(self.collections_seen_, now) != now) self.services_.collection_finished();
}

// -- the one of this process --

bool loaded_already() noexcept {
  const AgentPlace<Agent>::Visit visit(place);
  if (place.settled() == nullptr) return false;
  log_line(LogLevel::kError, "the agent is loaded already; this second -Xrun is ignored");
  return true;
}

Agent* settle_agent(JavaVM& vm, JVMPI_Interface& jvmpi, jint version, std::string_view options,
                    const AnalysisCalls& analysis) noexcept {
  if (loaded_already()) return nullptr;
  const AgentPlace<Agent>::Visit visit(place);
  return place.settle(
      analysis, [&](Agent& agent) noexcept { return agent.load(vm, jvmpi, version, options); });
}

void process_exits() noexcept {
  const AgentPlace<Agent>::Visit visit(place);
  if (Agent* const agent = place.settled()) agent->process_exit();
}

void forget_agent_for_test() noexcept { place.forget_for_test(); }

}  // namespace holdfast::jvmpi
