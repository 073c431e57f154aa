#include "jvmti/agent.h"

#include <cstring>

#include "common/log.h"
#include "jvmti/command.h"
#include "jvmti/events.h"
#include "jvmti/memory_share.h"
#include "jvmti/vm_facts.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/process.h"
#include "platforms/raw_stderr.h"

namespace holdfast::jvmti {

namespace {

// What command() answers and jcmd prints.
constexpr int kAcceptedCode = 0;
constexpr int kRefusedCode = 1;
constexpr int kBadCode = 2;
// A person who detaches during a dump wants the agent gone, not the report.
constexpr std::uint64_t kLeaveWaitNs = 0;
constexpr int kExitStatusAfterOom = 3;  // what HotSpot's own ExitOnOutOfMemoryError uses

void say_off(const Error& error, const char* what) noexcept {
  const std::string_view why = error_text(error.code);
  log_line(LogLevel::kError, "%s: %.*s (detail %lld); the agent stays off", what,
           static_cast<int>(why.size()), why.data(), static_cast<long long>(error.detail));
}

unsigned long long mb(std::uint64_t bytes) noexcept { return bytes >> 20; }

}  // namespace

// -- load --

bool Agent::read_options(std::string_view text) noexcept {
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
  if (Result<void> opened = open_log(options_.log, options_.log_file); !opened) {
    log_line(LogLevel::kError, "log=%s: cannot be written (%s); the agent stays off",
             options_.log_file, std::strerror(static_cast<int>(opened.error().detail)));
    return false;
  }
  return true;
}

bool Agent::check_directory() noexcept {
  const int refused = platforms::check_directory_writable(options_.dir);
  if (refused == 0) return true;
  log_line(LogLevel::kError,
           "dir=%s: wanted is a directory that can be written (%s); the agent stays off",
           options_.dir, std::strerror(refused));
  return false;
}

bool Agent::reserve(JavaVM& vm, const VmFlags& flags) noexcept {
  std::uint64_t memory = options_.memory_bytes;
  if (memory == kMemoryAuto)
    memory = automatic_memory_bytes({flags.known ? flags.max_heap_bytes : platforms::kUnknownBytes,
                                     platforms::physical_memory_bytes(),
                                     platforms::cgroup_limit_bytes()});
  adapter_.open(vm, read_vm_facts(environment_.env(), flags), tools_.vm_symbol);
  if (Result<void> opened = engine_.open(options_, memory, adapter_, tools_.analysis); !opened) {
    log_line(LogLevel::kError,
             "memory=%llum: the system refuses the address space for it; the agent stays off",
             mb(memory));
    return false;
  }
  log_line(LogLevel::kInfo, "loaded: memory=%llum, dir=%s", mb(memory), options_.dir);
  return true;
}

void Agent::warn_of_flags(const VmFlags& flags) noexcept {
  if ((options_.on & kOnOom) == 0) return;
  if (flags.exit_on_oom || flags.crash_on_oom)
    log_line(LogLevel::kError,
             "on=oom cannot work with -XX:+%s, which ends the VM before it tells anybody; use "
             "then=exit in its place",
             flags.exit_on_oom ? "ExitOnOutOfMemoryError" : "CrashOnOutOfMemoryError");
  if (!environment_.granted_oom())
    log_line(LogLevel::kError, "on=oom cannot work: this VM does not report exhaustion");
}

// Without a socket the agent works as before.
void Agent::open_control() noexcept {
  control::ControlCalls calls;
  calls.context = this;
  calls.detach_requested = [](void* agent) noexcept { static_cast<Agent*>(agent)->detach(); };
  if (Result<void> opened = control_.open(engine_, options_, calls); !opened) {
    const std::string_view why = error_text(opened.error().code);
    log_line(LogLevel::kInfo, "no control socket: %.*s", static_cast<int>(why.size()), why.data());
  }
}

bool Agent::load(JavaVM& vm, std::string_view option_text) noexcept {
  vm_ = &vm;
  if (!read_options(option_text) || !check_directory()) return false;
  if (Result<void> opened = environment_.open(vm); !opened) {
    say_off(opened.error(), "the VM's tool interface is not available");
    return environment_.close(), false;
  }
  const VmFlags flags = read_vm_flags(tools_.vm_symbol);
  if (!reserve(vm, flags)) return environment_.close(), false;
  const bool live = environment_.live();
  if (Result<void> listening = environment_.listen(event_callbacks(), this, options_.on, live);
      !listening) {
    say_off(listening.error(), "the VM does not tell its events");
    return environment_.close(), false;
  }
  warn_of_flags(flags);
  open_control();
  if (live) vm_init();
  return true;
}

// -- requests --

GateAnswer Agent::ask(const DumpRequest& request) noexcept {
  DumpRequest timed = request;
  timed.asked_at_ns = platforms::monotonic_ns();
  const GateAnswer answer = engine_.request(timed);
  const std::string_view name = gate_answer_name(answer);
  const std::string_view trigger = trigger_name(request.trigger);
  log_line(LogLevel::kInfo, "dump (%.*s): %.*s", static_cast<int>(trigger.size()), trigger.data(),
           static_cast<int>(name.size()), name.data());
  return answer;
}

GateAnswer Agent::ask(Trigger trigger) noexcept {
  DumpRequest request;
  request.trigger = trigger;
  request.then_exit = trigger == Trigger::kOom && engine_.options().then_exit;
  return ask(request);
}

int Agent::answer_code(const DumpRequest& request) noexcept {
  const GateAnswer answer = ask(request);
  if (answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged) return kAcceptedCode;
  const std::string_view name = gate_answer_name(answer);
  log_line(LogLevel::kError, "the dump was not taken: %.*s", static_cast<int>(name.size()),
           name.data());
  return kRefusedCode;
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

std::uint64_t Agent::deadline() const noexcept {
  return platforms::monotonic_ns() + engine_.options().exit_wait_ns;
}

// -- events --

void Agent::vm_init() noexcept {
  if (Result<void> started = engine_.vm_ready(); !started) {
    say_off(started.error(), "the agent's threads cannot be started");
    return;
  }
  ready_.store(true, std::memory_order_release);
  control_.start();
  if ((options_.on & kOnStart) != 0) ask(Trigger::kStart);
}

void Agent::data_dump_request() noexcept { ask(Trigger::kSignal); }

// The thread that ran out of memory waits here, bounded, so that it still holds its data while the heap is captured.
void Agent::resource_exhausted(const JNIEnv* jni, jint flags, const char* description) noexcept {
  const bool ours = adapter_.is_capture_thread(jni);
  if (ours || (flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) == 0) {
    ignored_exhaustions_.fetch_add(1, std::memory_order_relaxed);
    log_line(LogLevel::kInfo, "exhaustion of something that a heap dump does not explain: %s%s",
             description != nullptr ? description : "", ours ? " (in the agent's own thread)" : "");
    return;
  }
  const GateAnswer answer = ask(Trigger::kOom);
  if (answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged)
    engine_.wait_captured(deadline());
  if (engine_.options().then_exit) end_after_oom();
}

void Agent::end_after_oom() noexcept {
  if (!engine_.wait_idle(deadline()))
    log_line(LogLevel::kError,
             "then=exit: the report was not ready within exit-wait=; the process ends without it");
  log_line(LogLevel::kError, "then=exit: ending the process after an OutOfMemoryError");
  tools_.end_process(kExitStatusAfterOom);
}

void Agent::vm_death() noexcept {
  if (!ready_.load(std::memory_order_acquire) || ending_.exchange(true)) return;
  const std::uint64_t until = deadline();
  if ((engine_.options().on & kOnExit) != 0) {
    const GateAnswer answer = ask(Trigger::kExit);
    if (answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged)
      engine_.wait_captured(until);
  }
  engine_.wait_idle(until);  // somebody may be waiting at the socket for the report
  control_.close();
  engine_.close(until);
}

void Agent::process_exit() noexcept {
  if (ready_.load(std::memory_order_acquire) && !engine_.wait_idle(deadline()))
    log_line(LogLevel::kError,
             "the process exits: the running dump is given up (exit-wait= is over)");
}

bool Agent::detach() noexcept {
  const bool begun = tools_.begin_leaving != nullptr && tools_.begin_leaving();
  if (!begun)
    log_line(LogLevel::kError,
             "not detached: the agent leaves already, or the system gives no thread");
  return begun;
}

bool Agent::leave() noexcept {
  if (!ready_.load(std::memory_order_acquire) || ending_.exchange(true)) return false;
  char name[] = "holdfast leaves";
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, name, nullptr};
  void* jni = nullptr;
  if (vm_->AttachCurrentThreadAsDaemon(&jni, &arguments) != JNI_OK) {
    log_line(LogLevel::kError, "not detached: the VM gives no thread for it");
    ending_.store(false);
    return false;
  }
  environment_.close();  // no event comes any more
  control_.close();
  const bool ended = engine_.close(platforms::monotonic_ns() + kLeaveWaitNs);
  vm_->DetachCurrentThread();
  if (!ended) log_line(LogLevel::kError, "not detached: a capture does not come back");
  return ended;
}

}  // namespace holdfast::jvmti
