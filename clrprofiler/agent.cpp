#include "clrprofiler/agent.h"

#include "clrprofiler/event_mask.h"
#include "clrprofiler/runtime_facts.h"
#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::clr {

namespace {

// The first module is the runtime's own library, loaded while the runtime starts; when the next one comes it has started.
constexpr std::uint32_t kModulesOfStartedRuntime = 2;
constexpr DWORD kDetachExpectedMs = 100;
constexpr std::uint64_t kLookNs = 5'000'000;
constexpr std::size_t kExitStackBytes = std::size_t{256} << 10;

}  // namespace

// -- load --

bool Agent::load(IUnknown& runtime, std::string_view option_text, bool attached) noexcept {
  const bool loaded = take_in(runtime, option_text, attached);
  if (!loaded) give_log_back();
  return loaded;
}

// Where the heap is told by calls: without leave to hear of it there are no dumps, and the agent can still say why.
Result<void> Agent::listen_at_load(bool attached) noexcept {
  ProfilerInfo& info = adapter_.info();
  const EventMask mask = attached ? mask_at_attach(info, options_) : mask_at_load(info, options_);
  const Result<void> listening = apply(info, mask);
  if (!tells_heap(mask)) return listening;
  if (listening) {
    log_line(LogLevel::kInfo,
             "concurrent collection is off %s: before .NET 5 heaps can be dumped in no other way",
             attached ? "until the agent leaves" : "in this process");
    return {};
  }
  HF_CHECK_OK(apply(info, without_heap(mask)));
  log_line(LogLevel::kError,
           "no heap dumps here: the runtime does not turn concurrent collection off (0x%llx)",
           static_cast<unsigned long long>(listening.error().detail));
  return {};
}

// Methods are not rewritten in a CLR, so nothing counts there.
void Agent::sample_accounts() noexcept {
  if (!counts_allocations(options_.accounts_mode)) return;
  options_.accounts_mode = AccountMode::kSampled;
  if (options_.accounts[0] != '\0')
    log_line(
        LogLevel::kError,
        "accounts-mode=exact and exact-live are for Java VMs alone: accounts are sampled in this "
        "process");
}

// There is no way to an object that a dump has named but through a debugger.
void Agent::leave_numbers() noexcept {
  if (!options_.track) return;
  options_.track = false;
  log_line(LogLevel::kError,
           "track=on is for Java VMs alone: objects have no numbers in this process");
}

bool Agent::take_in(IUnknown& runtime, std::string_view option_text, bool attached) noexcept {
  let_go_.store(false, std::memory_order_release);
  char application[kMaxFactText];
  read_application_name(application);
  if (!read_options(option_text) || !wanted(application) || !check_directory()) return false;
  sample_accounts();
  leave_numbers();
  if (Result<void> opened = adapter_.open(runtime, options_); !opened) {
    say_off(opened.error(), "the runtime's profiling interface is not available");
    return false;
  }
  if (!reserve(adapter_, tools_.analysis, heap_limit_bytes()) || !prepare_accounts()) return false;
  adapter_.reserve_ages(engine_.ledger());
  if (Result<void> listening = listen_at_load(attached); !listening) {
    say_off(listening.error(), "the runtime does not tell its events");
    return false;
  }
  services_.open(
      engine_, options_, [](void* agent) noexcept { static_cast<Agent*>(agent)->detach(); }, this);
  return true;
}

// Their session begins on the capture thread.
bool Agent::prepare_accounts() noexcept {
  if (!accounts().is_open()) return true;
  const Result<void> reserved = adapter_.reserve_accounts(accounts(), engine_.ledger());
  if (!reserved) say_off(reserved.error(), "memory= has no room for accounts");
  return reserved.ok();
}

// -- events --

void Agent::module_loaded(ModuleID id) noexcept {
  adapter_.module_loaded(id);
  if (ready()) return;
  if (modules_.fetch_add(1) + 1 != kModulesOfStartedRuntime) return;
  rest();
  begin();
}

// Before begin(): a dump sets flags of its own.
void Agent::rest() noexcept {
  if (Result<void> rested = apply(adapter_.info(), mask_at_rest(options_)); !rested)
    log_line(LogLevel::kInfo, "the runtime goes on telling its events, which costs time");
}

void Agent::attach_complete() noexcept {
  if (adapter_.info().tells_heap_by_calls()) rest();
  begin();
}

void Agent::collection_started(int generations, const BOOL* collected) noexcept {
  if (adapter_.hears_collections()) adapter_.gc().started(adapter_.info(), generations, collected);
}

void Agent::runtime_stands_still() noexcept {
  if (adapter_.hears_collections()) adapter_.gc().stands_still(platforms::monotonic_ns());
}

void Agent::runtime_resumes() noexcept {
  if (adapter_.hears_collections()) adapter_.gc().resumed(platforms::monotonic_ns());
}

void Agent::collection_finished() noexcept {
  if (!adapter_.hears_collections()) return;
  adapter_.gc().finished(adapter_.info());
  if (ready()) services_.collection_finished();
}

// Nobody waits in here: as long as a thread stands in this event no collection can begin, and nothing can suspend the runtime. It is held
// in the next event, before anything is unwound.
void Agent::exception_thrown(ObjectID exception) noexcept {
  if (!ready() || !oom_.is(adapter_.info(), exception)) return;
  const bool asked = ask_at_oom("System.OutOfMemoryException", false);
  if (asked) hold_at_search();
  if (!engine_.options().then_exit || ends_after_oom_.exchange(true)) return;
  platforms::Thread thread;
  if (thread.start("hf-oom-exit", kExitStackBytes, &Agent::end_after_dump, this) == 0)
    thread.detach();
}

void Agent::hold_at_search() noexcept {
  const std::uint32_t self = platforms::thread_number();
  for (std::atomic<std::uint32_t>& place : throwing_) {
    std::uint32_t free = 0;
    if (!place.compare_exchange_strong(free, self)) continue;
    thrown_.fetch_add(1, std::memory_order_release);
    return;
  }
}

// Where the exception has no handler the process aborts as soon as this comes back: until then the dump must need it no more.
void Agent::handler_searched() noexcept {
  for (std::atomic<std::uint32_t>& place : throwing_) {
    std::uint32_t self = platforms::thread_number();
    if (!place.compare_exchange_strong(self, 0)) continue;
    thrown_.fetch_sub(1, std::memory_order_release);
    if (!engine_.wait_safe(deadline()))
      log_line(LogLevel::kError,
               "the thread of an OutOfMemoryException goes on: exit-wait= is over before its dump "
               "is safe");
    return;
  }
}

void Agent::end_after_dump(void* agent) noexcept {
  auto& self = *static_cast<Agent*>(agent);
  self.end_after_oom(self.tools_.end_process);
}

bool Agent::detach() noexcept { return begin_detach(tools_.begin_leaving); }

// The runtime looks now and then whether anybody is still inside us, and tells when nobody is.
bool Agent::leave() noexcept {
  if (!begin_ending()) return false;
  services_.close();
  engine_.close_patiently();
  adapter_.leave_runtime();
  const Result<void> asked = check(adapter_.info()->RequestProfilerDetach(kDetachExpectedMs));
  if (!asked) {
    log_line(LogLevel::kError, "not detached: the runtime does not let go of the agent (0x%llx)",
             static_cast<long long>(asked.error().detail));
    return false;
  }
  while (!let_go_.load(std::memory_order_acquire)) platforms::sleep_ns(kLookNs);
  return true;
}

}  // namespace holdfast::clr
