#include "jvmti/hotspot/frozen_heap.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "analysis/pipeline.h"
#include "jvmti/hotspot/self_check.h"
#include "jvmti/tracking/named_objects.h"
#include "platforms/clock.h"
#include "platforms/pages.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

namespace {

// To find the VM's own roots once costs 6 ns an object where it costs anything, and a walk over all roots. Where that is more than
// it may be, a dump does without them.
constexpr std::uint64_t kMostVmRootsNs = 100'000'000;
constexpr std::uint64_t kVmRootsNsPerObject = 6;
constexpr std::uint64_t kBytesPerObject = 50;
constexpr std::uint64_t kNsPerGlobal = 130;
constexpr std::uint64_t kWalkNsPerStackKb = 60'000;
// A thread's stack has page tables of its own, which the clone copies, and the thread is woken afterwards.
constexpr std::uint64_t kNsPerThread = 10'000;
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

// Up to 11 the walk goes on over all roots and objects, whatever a callback answers: it is predicted, and refused above the limit.
bool cut_ends_walk(int major) noexcept { return major >= 12; }

// From here on whatever shows any object first undoes what escape analysis saved, in every frame.
constexpr int kFirstWithBarrier = 16;

// From 20 on a walk marks objects beside the heap, and stopping early saves nothing. Up to 11 it does not stop early.
bool early_stop_pays(int major) noexcept { return major >= 12 && major < 20; }

// The code cache became a root of its own in the VM, and none of the standard interface's, with 14.
bool code_among_vm_roots(int major) noexcept { return major != 0 && major < 14; }

int check_in_child(Freeze& freeze) noexcept {
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

Result<int> run_self_check(const CaptureThread& thread, const FreezeTools& tools,
                           StopFigures& stops, Notes& notes) noexcept {
  LocalFrame frame(thread.jni);
  DumpEnvironment environment;
  if (!frame.open()) return make_error(ErrorCode::kOutOfMemory);
  HF_CHECK_OK(environment.open(thread.vm));
  SelfCheck self_check;
  HF_CHECK_OK(self_check.make(thread.jni, environment.env()));
  Freeze freeze(thread, tools);
  HF_CHECK_OK(freeze.prepare(notes));
  FrozenChild child;
  const Result<void> made = freeze.make_child(&check_in_child, &self_check, child);
  stops.add(child.pause.pause_ns);
  HF_CHECK_OK(made);
  return await_child(child.process);
}

// The dump's own child. Quick while it holds the application's pages, polite afterwards.
class DumpChild {
 public:
  explicit DumpChild(Freeze& freeze) noexcept
      : freeze_(freeze), tools_(freeze.tools()), reader_(freeze.picture(), tools_.memory) {}

  int run() noexcept {
    tell(ChildPhase::kReading);
    const std::uint64_t began = platforms::monotonic_ns();
    capture_.rung = CaptureRung::kFrozen;
    Result<void> read = check_layout();
    if (read) read = methods_.collect(freeze_.picture().roots.span(), arena());
    const Arena::Mark scratch = arena().mark();
    if (read) read = reader_.trace(never_);
    reader_.tell_doubts(capture_);
    if (read && tools_.use == PictureUse::kWrittenGraph) return write_only();
    if (read && tools_.use == PictureUse::kCounts) {
      tools_.memory.release_columns_but_roots();
      read = reader_.count(methods_, capture_);
    }
    if (read && tools_.use == PictureUse::kGraph) {
      read = reader_.fill(methods_, capture_);
      if (!read && read.error().code == ErrorCode::kOutOfBudget) return write_only();
    }
    if (read && capture_.has_graph) sweep(began);
    if (read && capture_.has_graph && tools_.tracker != nullptr)
      read = track(*tools_.tracker);
    else
      arena().rewind(scratch);
    capture_.seal_ns = platforms::monotonic_ns() - began;
    release_heap();
    if (read) read = freeze_.hear_parent(capture_);
    return tools_.work.run(tools_.work.context, read, capture_, nullptr);
  }

 private:
  Arena& arena() noexcept { return tools_.memory.work_arena(); }
  void tell(ChildPhase phase) noexcept {
    tools_.work.mailbox->phase.store(phase, std::memory_order_release);
  }

  // An agent that came late has not checked itself: that would have been a stop of its own.
  Result<void> check_layout() noexcept {
    if (tools_.unchecked == nullptr) return {};
    ArenaScope scratch(arena());
    const int step = tools_.unchecked->run(freeze_);
    return step == 0 ? Result<void>{} : make_error(ErrorCode::kInconsistent, -step);
  }

  void release_heap() noexcept {
    const HeapLayout& layout = tools_.layout;
    platforms::unmap_range(reinterpret_cast<std::byte*>(layout.heap_start),
                           layout.heap_end - layout.heap_start);
    tell(ChildPhase::kReleased);
    // Counts are nearly done, and whoever watches waits for them: on a busy machine the lowest class is not given a processor for seconds.
    if (tools_.use != PictureUse::kCounts) platforms::lower_current_thread();
  }

  // Before the heap is given back, and at most half as long as all that was read.
  void sweep(std::uint64_t began) noexcept {
    constexpr std::uint64_t kLeastNs = 500'000'000;
    const std::uint64_t now = platforms::monotonic_ns();
    reader_.sweep(now + std::max(kLeastNs, (now - began) / 2), capture_);
  }

  // The marks stay: by them an object's number becomes its place again.
  Result<void> track(const ObjectTracker& tracker) noexcept {
    HF_TRY(known, reader_.find_tracked(tracker.objects()));
    Tracking& tracking = capture_.tracking;
    tracking.told = true;
    tracking.began_utc_ms = tracker.began_utc_ms();
    tracking.next_number = tracker.next_number();
    tracking.gone =
        tracker.gone() + static_cast<std::uint32_t>(tracker.objects().size() - known.size());
    tracking.unfollowed = tracker.unfollowed();
    tracking.known = known;
    named_.emplace(reader_, freeze_.picture().catalog, capture_.snapshot, *tools_.work.mailbox);
    tracking.name = &NamedObjects::name;
    tracking.context = &*named_;
    return {};
  }

  // The graph does not fit: it goes to a file as it is read, and somebody else analyses it.
  int write_only() noexcept {
    tools_.memory.release_columns_but_roots();
    Result<void> read = reader_.count(methods_, capture_);
    capture_.rung = CaptureRung::kFrozenWritten;
    if (read) read = freeze_.hear_parent(capture_);
    const AdapterAnalysis analysis{this, &DumpChild::write_snapshot};
    return tools_.work.run(tools_.work.context, read, capture_, &analysis);
  }

  static Result<void> write_snapshot(void* context, AnalysisInput& input,
                                     AnalysisOutcome& outcome) noexcept {
    auto& self = *static_cast<DumpChild*>(context);
    const TraceCounts& counts = self.reader_.counts();
    const analysis::SnapshotStreamFacts facts{self.capture_.snapshot.catalog,
                                              self.reader_.roots(),
                                              self.capture_.histogram,
                                              counts.objects,
                                              counts.references,
                                              self.capture_.snapshot.losses};
    const analysis::GraphSource source{&self.reader_, &DumpChild::feed};
    HF_TRY(made, analysis::stream_and_report(input, facts, source));
    outcome = made;
    return {};
  }
  static Result<void> feed(void* reader, analysis::SnapshotStream& stream) noexcept {
    return static_cast<PictureReader*>(reader)->stream(stream);
  }

  Freeze& freeze_;
  const FreezeTools& tools_;
  PictureReader reader_;
  MethodNames methods_;
  Capture capture_;
  std::optional<NamedObjects> named_;
  CancelToken never_;  // a child is cancelled by ending it
};

int dump_in_child(Freeze& freeze) noexcept { return DumpChild(freeze).run(); }

}  // namespace

void FrozenHeap::forbid(const char* why) noexcept {
  std::snprintf(refusal_.text, sizeof refusal_.text, "%s", why);
}

void FrozenHeap::read_layout(VmSymbol symbol) noexcept {
  refusal_ = {};
  read_heap_layout(symbol, layout_, refusal_);
  ages_ = read_age_layout(symbol);
  roots_ = read_root_layout(symbol);
  sweep_ = read_sweep_layout(symbol, layout_.heap_end - layout_.heap_start);
}

void FrozenHeap::open(const CaptureThread& thread, CaptureMemory& memory, const FrozenWork& work,
                      bool application_runs) noexcept {
  if (refusal_.text[0] != '\0') return;
  {
    DumpEnvironment environment;
    if (!environment.open(thread.vm)) return forbid("the VM grants no tags");
    java_major_ = java_major(environment.env());
    skip_vm_roots_ = early_stop_pays(java_major_);
  }
  came_late_ = application_runs;
  if (came_late_) return;
  keep_vm_roots(thread, kMostVmRootsNs);
  Notes notes;
  FreezeTools tools{
      layout_, kept_roots_.handles(), memory, work, PictureUse::kCounts, skip_vm_roots_, false};
  tools.roots_limit_ns = 0;  // handles alone are looked at
  const Result<int> step = run_self_check(thread, tools, stops_, notes);
  stops_ = {};  // the application has not begun
  if (!step) {
    // The only refusal on the way is the system's, of a child.
    const bool no_child = step.error().code == ErrorCode::kRefused;
    const std::string_view text =
        no_child ? "the system gives no child process" : error_text(step.error().code);
    std::snprintf(refusal_.text, sizeof refusal_.text,
                  "the self-check could not be made: %.*s (%s %lld)", static_cast<int>(text.size()),
                  text.data(), no_child ? "errno" : "detail",
                  static_cast<long long>(step.error().detail));
  } else if (*step != 0) {
    std::snprintf(refusal_.text, sizeof refusal_.text,
                  "the self-check failed: this VM's tables do not describe %s",
                  SelfCheck::step_text(*step));
  }
}

// Only a graph in memory names objects; what is counted in between changes nothing.
ObjectTracker* FrozenHeap::follow_objects(JNIEnv& jni, const CapturePlan& plan) noexcept {
  if (picture_use(plan) != PictureUse::kGraph) return nullptr;
  if (!plan.track) {
    tracker_.close(jni);
    return nullptr;
  }
  tracker_.begin_dump(jni, platforms::utc_ms());
  return &tracker_;
}

// Up to JDK 19 that walk pays for every object of the heap. False: it was not made.
void FrozenHeap::keep_vm_roots(const CaptureThread& thread, std::uint64_t limit_ns) noexcept {
  if (!skip_vm_roots_ || vm_roots_asked_) return;
  const auto heap = thread.java.heap_figures(thread.jni);
  if (!heap) return;
  const std::uint64_t wanted_ns =
      heap->used_bytes / kBytesPerObject * kVmRootsNsPerObject + root_figures(thread).walk_ns;
  if (wanted_ns > limit_ns) return;
  vm_roots_asked_ = true;
  const std::uint64_t began = platforms::monotonic_ns();
  skip_vm_roots_ = kept_roots_.take(thread.vm, thread.jni) && !kept_roots_.handles().empty();
  stops_.add(platforms::monotonic_ns() - began);
}

RootFigures FrozenHeap::root_figures(const CaptureThread& thread) noexcept {
  RootFigures figures;
  if (refusal_.text[0] != '\0' || !prove(thread)) return figures;
  const HeapView view(layout_);
  RootReader reader(view, roots_);
  std::uint64_t stack_bytes = 0;
  std::uint64_t globals = 0;
  std::uint64_t threads = 0;
  reader.for_each_thread([&](const VmThread& one, std::uint32_t) {
    stack_bytes += one.stack_bytes();
    ++threads;
  });
  reader.for_each_global([&globals](Address) { ++globals; });
  stack_kb_ = stack_bytes / 1024;
  const bool barrier = java_major_ >= kFirstWithBarrier;
  const std::uint64_t guess = barrier ? kWalkNsPerStackKb : kWalkNsPerStackKb / 3;
  figures.walk_ns = stack_kb_ * (ns_per_stack_kb_ != 0 ? ns_per_stack_kb_ : guess);
  if (barrier) figures.frames_ns = figures.walk_ns;
  figures.walk_ns += globals * kNsPerGlobal;
  // A walk that goes on to its end marks objects, and the VM takes the marks back from all that there are, garbage too.
  if (const auto heap = thread.java.heap_figures(thread.jni); heap && !cut_ends_walk(java_major_))
    figures.walk_ns += heap->used_bytes / kBytesPerObject * kVmRootsNsPerObject;
  figures.threads_ns = threads * kNsPerThread;
  figures.may_be_cut = cut_ends_walk(java_major_);
  return figures;
}

// Once: JNI made a local reference and a global one, which must be found where the tables say.
bool FrozenHeap::prove(const CaptureThread& thread) noexcept {
  if (roots_proved_) return roots_.complete();
  LocalFrame frame(thread.jni);
  DumpEnvironment environment;
  jthread self = nullptr;
  if (!frame.open() || !environment.open(thread.vm) ||
      environment.env().GetCurrentThread(&self) != JVMTI_ERROR_NONE)
    return false;
  jobject global = thread.jni.NewGlobalRef(self);
  if (global == nullptr) return false;
  const HeapView view(layout_);
  prove_roots(view, roots_, reinterpret_cast<std::uintptr_t>(self),
              reinterpret_cast<std::uintptr_t>(global));
  thread.jni.DeleteGlobalRef(global);
  roots_proved_ = true;
  return roots_.complete();
}

void FrozenHeap::learn_walk(const Freeze& freeze, const PauseFigures& pause) noexcept {
  constexpr std::uint64_t kEnoughKb = 256;
  if (freeze.walked_all() && stack_kb_ >= kEnoughKb && pause.pause_ns > pause.clone_ns)
    ns_per_stack_kb_ = std::max<std::uint64_t>((pause.pause_ns - pause.clone_ns) / stack_kb_, 1);
}

Result<void> FrozenHeap::freeze(const CaptureThread& thread, const CapturePlan& plan,
                                CaptureMemory& memory, const FrozenWork& work, FrozenChild& out,
                                Notes& notes) noexcept {
  if (refusal_.text[0] != '\0') return make_error(ErrorCode::kUnsupported);
  keep_vm_roots(thread, std::min(plan.roots_limit_ns, kMostVmRootsNs));
  LocalFrame frame(thread.jni);
  SelfCheck self_check;
  FreezeTools tools{layout_,
                    kept_roots_.handles(),
                    memory,
                    work,
                    picture_use(plan),
                    skip_vm_roots_,
                    code_among_vm_roots(java_major_),
                    plan.ages ? &ages_ : nullptr,
                    follow_objects(thread.jni, plan)};
  tools.roots = roots_;
  if (ages_.why_not[0] == '\0') tools.places = &ages_;
  tools.sweep = &sweep_;
  if (roots_.complete() && cut_ends_walk(java_major_)) tools.roots_limit_ns = plan.roots_limit_ns;
  if (came_late_ && frame.open()) {
    DumpEnvironment environment;
    // A full heap has no room for its objects: then what is read must be sound without it.
    if (environment.open(thread.vm) && self_check.make(thread.jni, environment.env()))
      tools.unchecked = &self_check;
  }
  if (skip_vm_roots_ && kept_roots_.handles().empty())
    notes.add("what the VM alone holds is missing: the agent came late to a large heap");
  Freeze freeze(thread, tools);
  HF_CHECK_OK(freeze.prepare(notes));
  const Result<void> made = freeze.make_child(&dump_in_child, nullptr, out);
  stops_.add(out.pause.pause_ns);
  HF_CHECK_OK(made);
  learn_walk(freeze, out.pause);
  freeze.tell_child(out);
  return {};
}

}  // namespace holdfast::jvmti
