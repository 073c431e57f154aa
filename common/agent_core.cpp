#include "common/agent_core.h"

#include <cstring>

#include "common/log.h"
#include "common/memory_share.h"
#include "common/process_filter.h"
#include "common/shown_text.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/process.h"
#include "platforms/raw_stderr.h"

namespace holdfast {

namespace {

constexpr int kExitStatusAfterOom = 3;  // what HotSpot's own ExitOnOutOfMemoryError uses

bool taken(GateAnswer answer) noexcept {
  return answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged;
}

// What follows from several options together.
void settle_sampling(Options& options) noexcept {
  if (options.accounts[0] == '\0') options.accounts_mode = AccountMode::kSampled;
  if (options.ages != AgesChoice::kOff && !options.sample_steady)
    options.sample_bytes = kAgesSampleBytes;
}

constinit std::atomic<AgentCore*> log_owner{nullptr};
constinit std::atomic<int> log_users{0};

unsigned long long mb(std::uint64_t bytes) noexcept { return bytes >> 20; }

}  // namespace

// What it wrote to stays open: others may be about to.
AgentCore::~AgentCore() {
  if (counted_) log_users.fetch_sub(1);
  AgentCore* self = this;
  log_owner.compare_exchange_strong(self, nullptr);
}

// -- load --

void AgentCore::say_off(const Error& error, const char* what) noexcept {
  const std::string_view why = error_text(error.code);
  log_line(LogLevel::kError, "%s: %.*s (detail %lld); the agent stays off", what,
           static_cast<int>(why.size()), why.data(), static_cast<long long>(error.detail));
}

bool AgentCore::read_options(std::string_view text) noexcept {
  OptionError error;
  if (!parse_options(text, options_, error)) {
    log_line(LogLevel::kError, "%s; the agent stays off", error.text);
    return false;
  }
  if (options_.help) {
    print_option_help([](void*, std::string_view line) { platforms::write_stderr_line(line); },
                      nullptr);
    return false;
  }
  if (!take_log()) return false;
  settle_sampling(options_);
  return true;
}

// Of two agents in one process, of two interfaces of one VM, the log is the first one's.
bool AgentCore::take_log() noexcept {
  if (!counted_) log_users.fetch_add(1);
  counted_ = true;
  AgentCore* nobody = nullptr;
  if (!log_owner.compare_exchange_strong(nobody, this) && nobody != this) return true;
  const Result<void> opened = open_log(options_.log, options_.log_file);
  if (opened) return true;
  log_line(LogLevel::kError, "log=%s: cannot be written (%s); the agent stays off",
           options_.log_file, std::strerror(static_cast<int>(opened.error().detail)));
  return false;
}

// Another agent's threads may be about to write to it: then it stays open.
void AgentCore::give_log_back() noexcept {
  const bool alone = counted_ && log_users.fetch_sub(1) == 1;
  counted_ = false;
  AgentCore* self = this;
  if (log_owner.compare_exchange_strong(self, nullptr) && alone) close_log();
}

bool AgentCore::wanted(const char* application) const noexcept {
  if (process_wanted(options_, application)) return true;
  log_line(LogLevel::kInfo, "only=%s: this process is another one; the agent stays off",
           options_.only);
  return false;
}

bool AgentCore::check_directory() noexcept {
  const int refused = platforms::check_directory_writable(options_.dir);
  if (refused == 0) return true;
  log_line(LogLevel::kError,
           "dir=%s: wanted is a directory that can be written (%s); the agent stays off",
           options_.dir, std::strerror(refused));
  return false;
}

bool AgentCore::reserve(VmAdapter& adapter, const AnalysisCalls& analysis,
                        std::uint64_t max_heap_bytes) noexcept {
  std::uint64_t memory = options_.memory_bytes;
  if (memory == kMemoryAuto)
    memory = automatic_memory_bytes(
        {max_heap_bytes, platforms::physical_memory_bytes(), platforms::cgroup_limit_bytes()});
  if (Result<void> opened = engine_.open(options_, memory, adapter, analysis); !opened) {
    log_line(LogLevel::kError,
             "memory=%llum: the system refuses the address space for it; the agent stays off",
             mb(memory));
    return false;
  }
  if (samples_objects(options_) && !open_accounts(memory)) return false;
  if (!samples_objects(options_) && options_.sample_only[0] != '\0')
    log_line(LogLevel::kError, "sample-only=%s: nothing is sampled without accounts= or ages=on",
             ShownText(options_.sample_only).text);
  log_line(LogLevel::kInfo, "loaded: memory=%llum, dir=%s", mb(memory), options_.dir);
  return true;
}

bool AgentCore::open_accounts(std::uint64_t memory_bytes) noexcept {
  PatternError error;
  const Result<void> opened = engine_.open_accounts(error);
  if (opened) return true;
  if (error.text[0] != '\0')
    log_line(LogLevel::kError, "%s; the agent stays off", error.text);
  else
    log_line(LogLevel::kError,
             "accounts=, ages=: memory=%llum has no room for them, wanted is more; the agent stays "
             "off",
             mb(memory_bytes));
  return false;
}

// -- requests --

GateAnswer AgentCore::ask(const DumpRequest& request) noexcept {
  DumpRequest timed = request;
  timed.asked_at_ns = platforms::monotonic_ns();
  const GateAnswer answer = engine_.request(timed);
  const std::string_view name = gate_answer_name(answer);
  const std::string_view trigger = trigger_name(request.trigger);
  log_line(LogLevel::kInfo, "dump (%.*s): %.*s", static_cast<int>(trigger.size()), trigger.data(),
           static_cast<int>(name.size()), name.data());
  return answer;
}

GateAnswer AgentCore::ask(Trigger trigger) noexcept {
  DumpRequest request;
  request.trigger = trigger;
  return ask(request);
}

bool AgentCore::ask_for_person(const DumpRequest& request) noexcept {
  const GateAnswer answer = ask(request);
  if (taken(answer)) return true;
  const std::string_view name = gate_answer_name(answer);
  log_line(LogLevel::kError, "the dump was not taken: %.*s", static_cast<int>(name.size()),
           name.data());
  return false;
}

std::uint64_t AgentCore::deadline() const noexcept {
  return platforms::monotonic_ns() + engine_.options().exit_wait_ns;
}

// -- begin and end --

void AgentCore::begin() noexcept {
  if (begun_.exchange(true)) return;
  if (Result<void> started = engine_.vm_ready(); !started) {
    say_off(started.error(), "the agent's threads cannot be started");
    return;
  }
  services_.start(options_);
  ready_.store(true, std::memory_order_release);
  if ((options_.on & kOnStart) != 0) ask(Trigger::kStart);
}

void AgentCore::memory_exhausted(const char* reason, bool beside_heap,
                                 void (*end_process)(int status) noexcept) noexcept {
  if (ask_at_oom(reason, beside_heap)) engine_.wait_captured(deadline());
  if (engine_.options().then_exit) end_after_oom(end_process);
}

// The process may end of it: a dump that runs already is left to its child, too.
bool AgentCore::ask_at_oom(const char* reason, bool beside_heap) noexcept {
  DumpRequest request;
  request.trigger = Trigger::kOom;
  request.beside_heap = beside_heap;
  request.then_exit = engine_.options().then_exit;
  std::strncpy(request.reason, reason, sizeof request.reason - 1);
  const bool asked = taken(ask(request));
  engine_.expect_end(false);
  return asked;
}

void AgentCore::end_after_oom(void (*end_process)(int status) noexcept) noexcept {
  engine_.expect_end(true);
  if (!engine_.wait_idle(deadline()))
    log_line(LogLevel::kError, "then=exit: the report was not ready within exit-wait=; %s",
             engine_.wait_safe(0) ? "its own process finishes it" : "the process ends without it");
  log_line(LogLevel::kError, "then=exit: ending the process after an OutOfMemoryError");
  end_process(kExitStatusAfterOom);
}

void AgentCore::end_with_vm() noexcept {
  if (!begin_ending()) return;
  const std::uint64_t until = deadline();
  engine_.expect_end(true);
  services_.stop_triggers();
  if ((engine_.options().on & kOnExit) != 0 && taken(ask(Trigger::kExit)))
    engine_.wait_captured(until);
  engine_.wait_idle(until);  // somebody may be waiting at the socket for the report
  services_.close();
  engine_.close(until);
}

bool AgentCore::begin_detach(bool (*begin_leaving)() noexcept) noexcept {
  const bool begun = begin_leaving != nullptr && begin_leaving();
  if (!begun)
    log_line(LogLevel::kError,
             "not detached: the agent leaves already, or the system gives no thread");
  return begun;
}

void AgentCore::process_exit() noexcept {
  if (!ready()) return;
  engine_.expect_end(true);
  if (engine_.wait_idle(deadline())) return;
  log_line(LogLevel::kError, "the process exits: exit-wait= is over, and the running dump is %s",
           engine_.wait_safe(0) ? "finished by its own process" : "ended");
}

}  // namespace holdfast
