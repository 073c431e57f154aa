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
#include "platforms/thread.h"

namespace holdfast::jvmti {

namespace {

// What command() answers and jcmd prints.
constexpr int kAcceptedCode = 0;
constexpr int kRefusedCode = 1;
constexpr int kBadCode = 2;
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
  adapter_.set_listener(environment_);
  max_heap_bytes_ = flags.max_heap_bytes;
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

bool Agent::load(JavaVM& vm, std::string_view option_text) noexcept {
  const bool loaded = take_in(vm, option_text);
  if (!loaded) close_log();
  return loaded;
}

bool Agent::take_in(JavaVM& vm, std::string_view option_text) noexcept {
  vm_ = &vm;
  if (!read_options(option_text) || !check_directory()) return false;
  if (Result<void> opened = environment_.open(vm); !opened) {
    say_off(opened.error(), "the VM's tool interface is not available");
    return environment_.close(), false;
  }
  const VmFlags flags = read_vm_flags(tools_.vm_symbol);
  if (!reserve(vm, flags)) return environment_.close(), false;
  const bool live = environment_.live();
  if (Result<void> listening = environment_.listen(event_callbacks(), this, options_, live);
      !listening) {
    say_off(listening.error(), "the VM does not tell its events");
    return environment_.close(), false;
  }
  warn_of_flags(flags);
  services_.open(
      engine_, options_, [](void* agent) noexcept { static_cast<Agent*>(agent)->detach(); }, this);
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
  // Without counters collections() stays unknown, and the triggers that need them say so.
  [[maybe_unused]] const bool counted = adapter_.open_counters(max_heap_bytes_);
  if (Result<void> started = engine_.vm_ready(); !started) {
    say_off(started.error(), "the agent's threads cannot be started");
    return;
  }
  services_.start(options_);
  ready_.store(true, std::memory_order_release);
  if ((options_.on & kOnStart) != 0) ask(Trigger::kStart);
}

void Agent::collection_finished() noexcept {
  if (ready_.load(std::memory_order_acquire)) services_.collection_finished();
}

void Agent::data_dump_request() noexcept { ask(Trigger::kSignal); }

// The thread that ran out of memory waits here, bounded, so that it still holds its data while the heap is captured.
void Agent::resource_exhausted(const JNIEnv* jni, jint flags, const char* description) noexcept {
  // Attaching allocates a Thread, so the VM may run out of memory for us before it has told us our JNIEnv.
  const bool ours = adapter_.is_capture_thread(jni) || platforms::is_own_thread();
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
  services_.stop_triggers();
  if ((engine_.options().on & kOnExit) != 0) {
    const GateAnswer answer = ask(Trigger::kExit);
    if (answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged)
      engine_.wait_captured(until);
  }
  engine_.wait_idle(until);  // somebody may be waiting at the socket for the report
  services_.close();
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

// The capture thread disposes the environment as its last act: it is attached already, and a full heap gives no other thread a place.
bool Agent::leave() noexcept {
  if (!ready_.load(std::memory_order_acquire) || ending_.exchange(true)) return false;
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
  environment_.close();
  vm_->DetachCurrentThread();
  return true;
}

}  // namespace holdfast::jvmti
