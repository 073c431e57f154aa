#include "jvmpi/adapter.h"

#include <algorithm>

#include "common/log.h"
#include "jvmpi/heap/heap_count.h"
#include "jvmpi/heap/heap_reading.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::jvmpi {

namespace {

// A dump of all values is about as large as the heap, and comes at once. Where a pointer has 32 bits the addresses may run out before the
// memory does.
constexpr std::uint64_t kShareOfMemory = 4;
constexpr std::uint64_t kMostWith32Bits = std::uint64_t{128} << 20;
// One of references alone, which also tells the roots.
constexpr std::uint64_t kReferencesDivisor = 2;

std::uint64_t room_for_buffer() noexcept {
  const std::uint64_t available = platforms::available_memory_bytes();
  const std::uint64_t share =
      available != platforms::kUnknownBytes ? available / kShareOfMemory : kMostWith32Bits;
  return sizeof(void*) == 4 ? std::min(share, kMostWith32Bits) : share;
}

const char* refusal_text(const Error& error) noexcept {
  switch (error.code) {
    case ErrorCode::kRefused:
      return "the VM does not tell it";
    case ErrorCode::kDamaged:
      return "what the VM tells makes no sense";
    default:
      return error_text(error.code).data();
  }
}

// Not a matter of our memory or time.
bool is_the_vms(const Error& error) noexcept {
  return error.code == ErrorCode::kRefused || error.code == ErrorCode::kDamaged;
}

void explain(const Error& error, Notes& notes) noexcept {
  const auto objects = static_cast<unsigned long long>(error.detail);
  if (error.code == ErrorCode::kOutOfBudget || error.code == ErrorCode::kTooMany)
    notes.add("no object graph: memory= was used up");
  else if (error.code == ErrorCode::kDeadline)
    notes.add(
        "no object graph: after the time that pause= allows only %llu objects had been asked for "
        "(a person's dump=extended,capture=objects takes it all the same)",
        objects);
  else
    notes.add("no object graph: %s (detail %lld)", refusal_text(error),
              static_cast<long long>(error.detail));
}

// What a reading left in the columns and the arenas is thrown away.
Result<void> start_anew(CaptureMemory& memory) noexcept {
  memory.end_dump();
  return memory.begin_dump();
}

// A thread that the VM makes is told nothing: whoever asked for it left word here.
struct ThreadToMake {
  std::atomic<void (*)(void*)> body{nullptr};
  void* argument = nullptr;
};
constinit ThreadToMake thread_to_make;

void run_made_thread(void* /*nothing*/) noexcept {
  if (auto* const body = thread_to_make.body.exchange(nullptr)) body(thread_to_make.argument);
}

ReadingPlan reading_plan(const CapturePlan& plan, std::uint64_t used_bytes) noexcept {
  const std::uint64_t room = room_for_buffer();
  ReadingPlan reading;
  reading.one_buffer = plan.asked == CaptureChoice::kWalk ||
                       (plan.asked != CaptureChoice::kObjects && used_bytes <= room);
  reading.ask_roots = used_bytes / kReferencesDivisor <= room;
  const std::uint64_t now = platforms::monotonic_ns();
  if (plan.pause_limit_ns < UINT64_MAX - now) reading.deadline_ns = now + plan.pause_limit_ns;
  return reading;
}

// A thread that is no daemon keeps a VM alive whose own ones have ended. Java 1.4 brought the function for it; before, its place lies behind
// the table's end.
jint attach_as_daemon(JavaVM& vm, void*& jni) noexcept {
  const bool has_daemons = vm.GetEnv(&jni, JNI_VERSION_1_4) != JNI_EVERSION;
  return has_daemons ? vm.AttachCurrentThreadAsDaemon(&jni, nullptr)
                     : vm.AttachCurrentThread(&jni, nullptr);
}

}  // namespace

void JvmpiAdapter::open(JavaVM& vm, const JVMPI_Interface& jvmpi, jint version,
                        const VmFacts& facts) noexcept {
  vm_ = &vm;
  jvmpi_ = &jvmpi;
  version_ = version;
  requests_.open(jvmpi);
  log_.begin(platforms::utc_ms());
  const platforms::MutexLock lock(facts_mutex_);
  facts_ = facts;
}

VmFacts JvmpiAdapter::facts() noexcept {
  const platforms::MutexLock lock(facts_mutex_);
  return facts_;
}

// -- the capture thread --

bool JvmpiAdapter::start_capture_thread(void (*body)(void*), void* argument) noexcept {
  char name[] = "holdfast capture (JVMPI)";
  thread_to_make.argument = argument;
  thread_to_make.body.store(body);
  made_by_vm_ = true;
  if (jvmpi_->CreateSystemThread != nullptr &&
      jvmpi_->CreateSystemThread(name, kNormalPriority, &run_made_thread) == kSuccess)
    return true;
  // A VM that says no and has made one all the same.
  if (thread_to_make.body.exchange(nullptr) == nullptr) return true;
  made_by_vm_ = false;
  return false;
}

Result<void> JvmpiAdapter::attach_capture_thread() noexcept {
  void* jni = nullptr;
  jint answer = vm_->GetEnv(&jni, JNI_VERSION_1_2);
  if (answer != JNI_OK && !made_by_vm_) {
    answer = attach_as_daemon(*vm_, jni);
    attached_by_us_ = answer == JNI_OK;
  }
  if (answer != JNI_OK || jni == nullptr) return make_error(ErrorCode::kVm, answer);
  capture_jni_ = static_cast<JNIEnv*>(jni);
  if (const Result<void> opened = runtime_.open(*capture_jni_); !opened) {
    detach_capture_thread();
    return opened;
  }
  VmFacts facts = this->facts();
  read_vm_facts(*capture_jni_, facts);
  if (version_ >= kVersion1_1) requests_.primitives().open(*capture_jni_, *jvmpi_);
  const platforms::MutexLock lock(facts_mutex_);
  facts_ = facts;
  return {};
}

void JvmpiAdapter::detach_capture_thread() noexcept {
  const bool vm_is_there = !requests_.closed();
  if (capture_jni_ != nullptr && vm_is_there) {
    requests_.primitives().close(*capture_jni_);
    runtime_.close(*capture_jni_);
  }
  capture_jni_ = nullptr;
  if (attached_by_us_ && vm_is_there) vm_->DetachCurrentThread();
  attached_by_us_ = false;
}

// -- collections --

Result<void> JvmpiAdapter::listen(const Options& options) noexcept {
  const bool wanted = wants_collections(options);
  if (hears_collections_.exchange(wanted) == wanted) return {};
  const auto turn = wanted ? jvmpi_->EnableEvent : jvmpi_->DisableEvent;
  for (const jint event : {kGcStart, kGcFinish})
    if (const jint answer = turn(event, nullptr); answer != kSuccess) {
      hears_collections_.store(false);
      for (const jint any : {kGcStart, kGcFinish}) jvmpi_->DisableEvent(any, nullptr);
      return make_error(ErrorCode::kVm, answer);
    }
  return {};
}

void JvmpiAdapter::collection_started() noexcept {
  began_ns_ = platforms::monotonic_ns();
  log_.began(kUnknownCount);
}

void JvmpiAdapter::collection_finished(const JVMPI_Event& event) noexcept {
  const jlong used = event.u.gc_info.used_object_space;
  const std::uint64_t left = used > 0 ? static_cast<std::uint64_t>(used) : kUnknownCount;
  log_.ended(left);
  if (began_ns_ != 0) log_.paused(platforms::monotonic_ns() - began_ns_);
  began_ns_ = 0;
  used_after_.store(left, std::memory_order_relaxed);
  collections_.fetch_add(1, std::memory_order_release);
}

CollectionFigures JvmpiAdapter::collections() noexcept {
  CollectionFigures figures;
  if (!hears_collections_.load(std::memory_order_relaxed)) return figures;
  figures.young = collections_.load(std::memory_order_acquire);
  figures.used_after_bytes = used_after_.load(std::memory_order_relaxed);
  figures.heard = log_.read();
  figures.last_pause_ns = log_.last_pause_ns();
  return figures;
}

CollectionFigures JvmpiAdapter::collections_once_told() noexcept {
  CollectionFigures figures = collections();
  if (figures.young == kUnknownCount) figures.young = 0;
  return figures;
}

const char* JvmpiAdapter::trigger_state(Trigger trigger, const Options& options) const noexcept {
  if (trigger == Trigger::kOom && (options.on & kOnOom) != 0)
    return "cannot work: JVMPI does not tell that a heap is full";
  return nullptr;
}

Result<void> JvmpiAdapter::collect() noexcept {
  if (requests_.closed()) return make_error(ErrorCode::kVmNotReady);
  if (jvmpi_->RunGC == nullptr) return make_error(ErrorCode::kUnsupported);
  jvmpi_->RunGC();
  return {};
}

// -- dumps --

// From the table in docs/decisions/047-jvmpi-one-buffer-or-objects.md, for the dearer way, without
// the host's own image of the heap.
CaptureCosts JvmpiAdapter::costs() const noexcept {
  constexpr std::uint64_t kObjectNs = 2000, kCountNs = 500;
  CaptureCosts costs;
  costs.bytes_per_object = 40;
  costs.references_per_object = 3;
  costs.walk_ns_per_object = kObjectNs;
  costs.histogram_ns_per_object = kCountNs;
  costs.vm_tag_bytes_per_object = 0;
  return costs;
}

Result<HeapFigures> JvmpiAdapter::heap_figures() noexcept {
  if (capture_jni_ == nullptr || requests_.closed()) return make_error(ErrorCode::kVmNotReady);
  return runtime_.heap_figures(*capture_jni_);
}

Result<void> JvmpiAdapter::capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                   Notes& notes) noexcept {
  if (plan.rung != CaptureRung::kWalk && plan.rung != CaptureRung::kHistogram)
    return make_error(ErrorCode::kUnsupported, static_cast<std::int64_t>(plan.rung));
  HF_TRY(before, heap_figures());
  out.heap_before = before;
  if (plan.ages) out.no_ages = "JVMPI does not tell them";
  requests_.forget_oddities();
  const bool has_graph =
      plan.rung == CaptureRung::kWalk && take_graph(plan, memory, out, notes).ok();
  if (!has_graph) HF_CHECK_OK(take_histogram(memory, out, notes));
  HF_TRY(after, heap_figures());
  out.heap_after = after;
  return {};
}

// What goes wrong with one buffer may go well with one object after the other.
Result<void> JvmpiAdapter::take_graph(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                      Notes& notes) noexcept {
  ReadingPlan reading = reading_plan(plan, out.heap_before.used_bytes);
  Result<void> taken = read_graph(reading, memory, out, notes);
  if (!taken && reading.one_buffer && is_the_vms(taken.error())) {
    notes.add("the heap was asked for object by object: of a dump in one buffer, %s",
              refusal_text(taken.error()));
    HF_CHECK_OK(start_anew(memory));
    reading.one_buffer = false;
    taken = read_graph(reading, memory, out, notes);
  }
  if (taken) return {};
  explain(taken.error(), notes);
  HF_CHECK_OK(start_anew(memory));
  memory.end_walk(0);
  memory.settle();
  return taken;
}

// Once more where the VM has shown what it leaves out: it is known from then on.
Result<void> JvmpiAdapter::read_graph(ReadingPlan& plan, CaptureMemory& memory, Capture& out,
                                      Notes& notes) noexcept {
  plan.tail = tail_;
  const Result<void> read = read_graph_once(plan, memory, out, notes);
  if (read || plan.tail == tail_) return read;
  HF_CHECK_OK(start_anew(memory));
  plan.tail = tail_;
  requests_.forget_oddities();
  return read_graph_once(plan, memory, out, notes);
}

Result<void> JvmpiAdapter::read_graph_once(const ReadingPlan& plan, CaptureMemory& memory,
                                           Capture& out, Notes& notes) noexcept {
  const ArenaScope scratch(memory.work_arena());
  HeapReading heap(requests_, memory);
  const Result<void> read = heap.read(plan);
  out.pause_ns += heap.gc_off_ns();
  tail_ = heap.tail();
  HF_CHECK_OK(read);
  const std::uint64_t began = platforms::monotonic_ns();
  HF_CHECK_OK(heap.seal(out.snapshot));
  out.seal_ns = platforms::monotonic_ns() - began;
  out.rung = CaptureRung::kWalk;
  out.has_graph = true;
  const bool asked = plan.one_buffer || plan.ask_roots;
  if (heap.roots_guessed())
    notes.add("%s: what nothing refers to is taken for one",
              heap.roots_told() ? "beside the GC roots that the VM told"
              : asked           ? "the VM told no GC roots"
                      : "the VM was not asked for GC roots, which takes more memory than is left");
  note_doubts(heap.doubts(), requests_.oddities(), notes);
  return {};
}

Result<void> JvmpiAdapter::take_histogram(CaptureMemory& memory, Capture& out,
                                          Notes& notes) noexcept {
  const ArenaScope scratch(memory.work_arena());
  HeapCount heap(requests_, memory);
  const Result<void> counted = heap.count();
  out.pause_ns += heap.gc_off_ns();
  HF_CHECK_OK(counted);
  HF_CHECK_OK(heap.tell(out));
  note_doubts(heap.doubts(), requests_.oddities(), notes);
  return {};
}

}  // namespace holdfast::jvmpi
