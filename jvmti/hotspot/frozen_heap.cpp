#include "jvmti/hotspot/frozen_heap.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "jvmti/hotspot/self_check.h"
#include "platforms/clock.h"
#include "platforms/pages.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kSelfCheckPatienceNs = 5'000'000'000;

// "17" or "1.8" -> 17, 8; 0 unknown.
int java_major(jvmtiEnv& env) noexcept {
  VmMemory<char> text(env);
  if (env.GetSystemProperty("java.vm.specification.version", text.out()) != JVMTI_ERROR_NONE)
    return 0;
  const char* version = text.data();
  if (std::strncmp(version, "1.", 2) == 0) version += 2;
  return std::atoi(version);
}

// From 20 on a walk marks objects beside the heap, and stopping early saves nothing. Up to 11 it does not stop early.
bool early_stop_pays(int major) noexcept { return major >= 12 && major < 20; }

int test_in_child(Freeze& freeze) noexcept {
  return static_cast<const SelfCheck*>(freeze.context())->run(freeze);
}

// The child of a self-check: its exit status, or negative.
int await_child(std::int64_t process) noexcept {
  constexpr std::uint64_t kLookEveryNs = 500'000;
  const std::uint64_t until = platforms::monotonic_ns() + kSelfCheckPatienceNs;
  for (;;) {
    const platforms::ChildEnd end = platforms::poll_child(process);
    if (end.state == platforms::ChildState::kExited) return end.status;
    if (end.state != platforms::ChildState::kRunning) return -1;
    if (platforms::monotonic_ns() > until) platforms::kill_child(process);
    platforms::sleep_ns(kLookEveryNs);
  }
}

Result<int> run_self_test(const CaptureThread& thread, const FreezeTools& tools,
                          Notes& notes) noexcept {
  LocalFrame frame(thread.jni);
  DumpEnvironment environment;
  if (!frame.open()) return make_error(ErrorCode::kOutOfMemory);
  HF_CHECK_OK(environment.open(thread.vm));
  SelfCheck test;
  HF_CHECK_OK(test.make(thread.jni, environment.env()));
  Freeze freeze(thread, tools);
  HF_CHECK_OK(freeze.prepare(notes));
  FrozenChild child;
  HF_CHECK_OK(freeze.make_child(&test_in_child, &test, child));
  return await_child(child.process);
}

// The dump's own child: graph, heap gone, then what the parent has to say, then the analysis.
int dump_in_child(Freeze& freeze) noexcept {
  const FreezeTools& tools = freeze.tools();
  ChildMailbox& mailbox = *tools.work.mailbox;
  const HeapLayout& layout = tools.layout;
  mailbox.phase.store(ChildPhase::kReading, std::memory_order_release);
  Capture capture;
  MethodNames methods;
  CancelToken never;  // a child is cancelled by ending it
  Result<void> read = methods.collect(freeze.picture().roots.span(), tools.memory.work_arena());
  const std::uint64_t began = platforms::monotonic_ns();
  if (read) read = read_picture(freeze.picture(), methods, tools.memory, never, capture);
  capture.seal_ns = platforms::monotonic_ns() - began;
  platforms::unmap_range(reinterpret_cast<std::byte*>(layout.heap_start),
                         layout.heap_end - layout.heap_start);
  mailbox.phase.store(ChildPhase::kReleased, std::memory_order_release);
  if (read) read = freeze.hear_parent(capture);
  capture.rung = CaptureRung::kFrozen;
  capture.has_graph = read.ok();
  return tools.work.run(tools.work.context, read, capture);
}

}  // namespace

void FrozenHeap::forbid(const char* why) noexcept {
  std::snprintf(refusal_.text, sizeof refusal_.text, "%s", why);
}

void FrozenHeap::open(const CaptureThread& thread, VmSymbol symbol, CaptureMemory& memory,
                      const FrozenWork& work) noexcept {
  refusal_ = {};
  if (!read_heap_layout(symbol, layout_, refusal_)) return;
  {
    DumpEnvironment environment;
    if (!environment.open(thread.vm)) return forbid("the VM grants no tags");
    if (early_stop_pays(java_major(environment.env()))) kept_roots_.take(thread.vm, thread.jni);
  }
  Notes notes;
  const FreezeTools tools{layout_, kept_roots_.handles(), memory, work};
  const Result<int> step = run_self_test(thread, tools, notes);
  if (!step) {
    const std::string_view text = error_text(step.error().code);
    std::snprintf(
        refusal_.text, sizeof refusal_.text, "the self-check could not be made: %.*s (detail %lld)",
        static_cast<int>(text.size()), text.data(), static_cast<long long>(step.error().detail));
  } else if (*step != 0) {
    std::snprintf(refusal_.text, sizeof refusal_.text,
                  "the self-check failed: this VM's tables do not describe %s",
                  SelfCheck::step_text(*step));
  }
}

Result<void> FrozenHeap::freeze(const CaptureThread& thread, CaptureMemory& memory,
                                const FrozenWork& work, FrozenChild& out, Notes& notes) noexcept {
  if (refusal_.text[0] != '\0') return make_error(ErrorCode::kUnsupported);
  const FreezeTools tools{layout_, kept_roots_.handles(), memory, work};
  Freeze freeze(thread, tools);
  HF_CHECK_OK(freeze.prepare(notes));
  HF_CHECK_OK(freeze.make_child(&dump_in_child, nullptr, out));
  freeze.tell_child(out);
  return {};
}

}  // namespace holdfast::jvmti
