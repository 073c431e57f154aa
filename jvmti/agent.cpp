#include "jvmti/agent.h"

#include <cstdio>

#include "common/log.h"
#include "jvmti/command.h"
#include "jvmti/events.h"
#include "jvmti/exact/exact_events.h"
#include "jvmti/hotspot/compiler_flags.h"
#include "jvmti/vm_facts.h"
#include "platforms/process.h"
#include "platforms/raw_stderr.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

namespace {

constexpr char kExitFlag[] = "ExitOnOutOfMemoryError";
constexpr char kCrashFlag[] = "CrashOnOutOfMemoryError";
constexpr int kStatusOfVm = 3;  // of a VM that exits on an OutOfMemoryError
constexpr char kErrorClass[] = "java.lang.OutOfMemoryError";

// What command() answers and jcmd prints.
constexpr int kAcceptedCode = 0;
constexpr int kRefusedCode = 1;
constexpr int kBadCode = 2;

// Of the calling thread; nullptr: the VM does not know it.
JNIEnv* own_jni(JavaVM& vm) noexcept {
  void* jni = nullptr;
  return vm.GetEnv(&jni, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(jni) : nullptr;
}

}  // namespace

// -- load --

bool Agent::reserve_for(JavaVM& vm, const VmFlags& flags) noexcept {
  const VmFacts facts = read_vm_facts(environment_.env(), flags);
  if (!wanted(facts.main_name) || !check_directory()) return false;
  adapter_.open(vm, facts, tools_.vm_symbol);
  adapter_.set_listener(environment_);
  adapter_.set_counting(exact_);
  adapter_.set_sampler(sampler_);
  max_heap_bytes_ = flags.max_heap_bytes;
  return reserve(adapter_, tools_.analysis,
                 flags.known ? flags.max_heap_bytes : platforms::kUnknownBytes);
}

// With these flags the VM ends before it reports the error. They are taken from it, and the agent does the same after the dump.
void Agent::take_over_end(const VmFlags& flags) noexcept {
  if ((options_.on & kOnOom) == 0) return;
  if (!environment_.granted_oom())
    return log_line(LogLevel::kError, "on=oom cannot work: this VM does not report exhaustion");
  if (!flags.exit_on_oom && !flags.crash_on_oom) return;
  const char* const name = flags.crash_on_oom ? kCrashFlag : kExitFlag;
  const bool taken = (!flags.exit_on_oom || write_vm_flag(tools_.vm_symbol, kExitFlag, false)) &&
                     (!flags.crash_on_oom || write_vm_flag(tools_.vm_symbol, kCrashFlag, false));
  if (!taken)
    return log_line(LogLevel::kError,
                    "on=oom cannot work with -XX:+%s, which ends the VM before it tells anybody; "
                    "use then=exit in its place",
                    name);
  end_taken_over_ = flags.crash_on_oom ? VmEnd::kCrash : VmEnd::kExit;
  log_line(LogLevel::kInfo, "-XX:+%s: the agent ends the VM so, after its dump", name);
}

void Agent::give_end_back() noexcept {
  const VmEnd end = end_taken_over_.exchange(VmEnd::kNone);
  if (end == VmEnd::kNone) return;
  [[maybe_unused]] const bool written =
      write_vm_flag(tools_.vm_symbol, end == VmEnd::kCrash ? kCrashFlag : kExitFlag, true);
}

// The same words, the same status, the same signal. Of a crash the VM's own handler writes its log.
void Agent::end_as_vm(const char* description) noexcept {
  const VmEnd end = end_taken_over_;
  if (end == VmEnd::kNone) return;
  engine_.expect_end(true);
  if (!engine_.wait_safe(deadline()))
    log_line(LogLevel::kError,
             "the report was not ready within exit-wait=; the VM ends without it");
  log_line(LogLevel::kError, "%s due to java.lang.OutOfMemoryError: %s",
           end == VmEnd::kCrash ? "Aborting" : "Terminating", description);
  if (end == VmEnd::kCrash) platforms::crash_thread();
  tools_.end_process(kStatusOfVm);
}

bool Agent::load(JavaVM& vm, std::string_view option_text) noexcept {
  const bool loaded = take_in(vm, option_text);
  if (!loaded) give_log_back();
  return loaded;
}

bool Agent::take_in(JavaVM& vm, std::string_view option_text) noexcept {
  vm_ = &vm;
  if (!read_options(option_text)) return false;
  if (Result<void> opened = environment_.open(vm); !opened) {
    say_off(opened.error(), "the VM's tool interface is not available");
    return environment_.close(), false;
  }
  const VmFlags flags = read_vm_flags(tools_.vm_symbol);
  if (!reserve_for(vm, flags)) return environment_.close(), false;
  const bool live = environment_.live();
  if (Result<void> listening = environment_.listen(event_callbacks(), this, options_, live);
      !listening) {
    say_off(listening.error(), "the VM does not tell its events");
    return environment_.close(), false;
  }
  if (counts_allocations(options_.accounts_mode) && accounts().is_open()) count_exactly(vm, live);
  take_over_end(flags);
  if (accounts().is_open() && options_.accounts_mode != AccountMode::kExactLive) open_sampler(vm);
  if (options_.accounts_mode == AccountMode::kExactLive && options_.ages != AgesChoice::kOff)
    log_line(LogLevel::kError,
             "ages=: with accounts-mode=exact-live nothing is sampled; which classes pile up stays "
             "unknown");
  services_.open(
      engine_, options_, [](void* agent) noexcept { static_cast<Agent*>(agent)->detach(); }, this);
  if (live) {
    adapter_.set_came_late();
    vm_init(own_jni(vm));
  }
  return true;
}

// What was loaded before the agent cannot be rewritten as it must be: Thread and Class have no room for their fields any more.
void Agent::count_exactly(JavaVM& vm, bool live) noexcept {
  if (live) {
    log_line(LogLevel::kError,
             "accounts-mode=exact: wanted is an agent from the start of the VM on (-agentpath); "
             "this one is attached, and there are no accounts");
    return engine().close_accounts();
  }
  const Result<void> opened = exact_.open(vm, accounts(), engine().ledger(), exact_callbacks());
  if (!opened) return give_up_counting(opened.error());
  const OffShortcuts off = turn_off_shortcuts(tools_.vm_symbol, exact_.after_8());
  if (!off.string_concatenation || !off.string_bytes)
    log_line(LogLevel::kInfo,
             "accounts-mode=exact: the VM's compiler makes some strings by itself, which are not "
             "counted");
  raise_recompilation_limit(tools_.vm_symbol);
  if (options_.accounts_mode == AccountMode::kExactLive) count_live();
}

void Agent::count_live() noexcept {
  const Result<void> opened = exact_.open_live(accounts());
  if (!opened)
    log_line(LogLevel::kError,
             "accounts-mode=exact-live: this VM does not let objects be followed (detail %lld); "
             "what is live stays unknown",
             static_cast<long long>(opened.error().detail));
}

void Agent::give_up_counting(const Error& error) noexcept {
  const std::string_view why = error_text(error.code);
  log_line(LogLevel::kError,
           "accounts-mode=exact: this VM cannot be counted in, there are no accounts: %.*s (detail "
           "%lld)",
           static_cast<int>(why.size()), why.data(), static_cast<long long>(error.detail));
  exact_.close();
  engine().close_accounts();
}

void Agent::begin_counting(JNIEnv& jni) noexcept {
  if (!exact_.is_open()) return;
  if (Result<void> begun = exact_.begin(jni); !begun) give_up_counting(begun.error());
}

// Exact counts need no samples, only what lives does; without both there are no accounts, and everything else works all the same.
void Agent::open_sampler(JavaVM& vm) noexcept {
  const Result<void> opened = sampler_.open(vm, accounts(), adapter_, engine().ledger());
  if (opened) return;
  const bool exact = counts_allocations(options_.accounts_mode);
  const bool accounts_too = options_.accounts[0] != '\0';
  const char* const what = accounts_too ? "accounts" : "ages";
  const char* const then = exact          ? "what is live stays unknown"
                           : accounts_too ? "there are no accounts"
                                          : "which classes pile up stays unknown";
  if (opened.error().code == ErrorCode::kUnsupported)
    log_line(exact ? LogLevel::kInfo : LogLevel::kError,
             "%s=: this VM does not sample allocations (Java 11 is the first); %s%s", what, then,
             exact || !accounts_too ? "" : ", accounts-mode=exact works here");
  else if (opened.error().code == ErrorCode::kRefused)
    log_line(LogLevel::kError,
             "%s=: another agent has the VM's allocation sampling, which one alone may have; %s",
             what, then);
  else
    log_line(LogLevel::kError, "%s=: allocations cannot be sampled (detail %lld); %s", what,
             static_cast<long long>(opened.error().detail), then);
  if (!exact) engine().close_accounts();
}

void Agent::close_environments() noexcept {
  exact_.close();
  sampler_.close();
  environment_.close();
}

// -- requests --

int Agent::answer_code(const DumpRequest& request) noexcept {
  return ask_for_person(request) ? kAcceptedCode : kRefusedCode;
}

int Agent::command(std::string_view text) noexcept {
  const Command command = read_command(text);
  if (command.kind == CommandKind::kBad) {
    log_line(LogLevel::kError, "%s", command.error.text);
    return kBadCode;
  }
  if (command.kind == CommandKind::kDump) return answer_code(command.request);
  if (command.kind == CommandKind::kDetach) return detach() ? kAcceptedCode : kRefusedCode;
  print_option_help([](void*, std::string_view line) { platforms::write_stderr_line(line); },
                    nullptr);
  return kAcceptedCode;
}

int Agent::dump_at_attach() noexcept {
  DumpRequest request;  // kind, capture and pause are those of the options
  request.trigger = Trigger::kCommand;
  return answer_code(request);
}

// -- events --

void Agent::vm_init(JNIEnv* jni) noexcept {
  // Without counters collections() stays unknown, and the triggers that need them say so.
  [[maybe_unused]] const bool counted = adapter_.open_counters(max_heap_bytes_);
  adapter_.hear_collections(options_);
  if (jni != nullptr) begin_counting(*jni);
  if (accounts().is_open()) sampler_.begin(jni);
  begin();
}

void Agent::collection_started() noexcept {
  if (ready()) adapter_.collection_started();
}

void Agent::collection_finished() noexcept {
  if (ready()) adapter_.collection_finished();
  if (ready()) services_.collection_finished();
}

// The dump at the end, if there is one, knows what was allocated until then.
void Agent::vm_death() noexcept {
  end_with_vm();
  sampler_.end();
}

void Agent::data_dump_request() noexcept { ask(Trigger::kSignal); }

// The thread that ran out of memory waits here, bounded, so that it still holds its data while the heap is captured. The description is
// the error's message: "Java heap space", "Metaspace", "unable to create native thread: …".
void Agent::resource_exhausted(const JNIEnv* jni, jint flags, const char* description) noexcept {
  const char* const what = description != nullptr ? description : "";
  // Attaching allocates a Thread, so the VM may run out of memory for us before it has told us our JNIEnv.
  if (adapter_.is_capture_thread(jni) || platforms::is_own_thread()) {
    ignored_exhaustions_.fetch_add(1, std::memory_order_relaxed);
    log_line(LogLevel::kInfo, "%s: %s (in the agent's own thread)", kErrorClass, what);
    return;
  }
  log_line(LogLevel::kInfo, "%s: %s", kErrorClass, what);
  char reason[Note::kMaxNoteBytes];
  std::snprintf(reason, sizeof reason, "%s: %s", kErrorClass, what);
  memory_exhausted(reason, (flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) == 0, tools_.end_process);
  // For want of a thread the VM would not have ended.
  if ((flags & JVMTI_RESOURCE_EXHAUSTED_THREADS) == 0) end_as_vm(what);
}

bool Agent::detach() noexcept { return begin_detach(tools_.begin_leaving); }

// The capture thread disposes the environment as its last act: it is attached already, and a full heap gives no other thread a place.
bool Agent::leave() noexcept {
  if (!begin_ending()) return false;
  give_end_back();
  adapter_.dispose_at_end();
  services_.close();
  engine_.close_patiently();
  if (adapter_.disposed() || dispose_environment()) return true;
  log_line(LogLevel::kError, "not detached: the VM gives no thread for it");
  return false;
}

// For a capture thread that the VM never let in.
bool Agent::dispose_environment() noexcept {
  char name[] = "holdfast leaves";
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, name, nullptr};
  void* jni = nullptr;
  if (vm_->AttachCurrentThreadAsDaemon(&jni, &arguments) != JNI_OK) return false;
  close_environments();
  vm_->DetachCurrentThread();
  return true;
}

}  // namespace holdfast::jvmti
