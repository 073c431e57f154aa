// The frozen rung's part of the engine: a child carries the dump from the picture to the report, the capture thread watches.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "common/child_watcher.h"
#include "common/dump_engine.h"
#include "common/dump_log.h"
#include "common/log.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/direct_io.h"
#include "platforms/file.h"
#include "platforms/pages.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

// Longer than any analysis took that was of use to anybody; the child ends itself then, also when the parent is stuck. Where the
// application keeps every core busy, the child gets a twentieth of one.
constexpr std::uint64_t kLeastWatchdogSeconds = 600;
constexpr std::uint64_t kHeapBytesPerWatchdogSecond = std::uint64_t{2} << 20;
constexpr std::uint64_t kMostWatchdogSeconds = 6 * 3600;

std::uint32_t watchdog_seconds(const HeapFigures& heap) noexcept {
  return static_cast<std::uint32_t>(std::min(
      kMostWatchdogSeconds, kLeastWatchdogSeconds + heap.used_bytes / kHeapBytesPerWatchdogSecond));
}

// SIGKILL: an administrator or the kernel, not the child itself.
constexpr int kKilledBySomebody = 9;

}  // namespace

DumpEngine::~DumpEngine() {
  platforms::release_pages(reinterpret_cast<std::byte*>(mailbox_), sizeof(ChildMailbox));
}

// Without shared memory there are no children, and everything else still works.
Result<void> DumpEngine::open_child_memory() noexcept {
  HF_TRY(stack, reservation_.take(kChildStackBytes));
  child_stack_ = stack;
  const std::uint64_t bytes = kChildStackBytes + sizeof(ChildMailbox);
  if (!ledger_.charge(MemoryCategory::kWorker, bytes)) return {};
  std::byte* shared = platforms::shared_pages(sizeof(ChildMailbox));
  if (shared == nullptr || !platforms::commit_pages(child_stack_, kChildStackBytes)) {
    platforms::release_pages(shared, sizeof(ChildMailbox));
    ledger_.refund(MemoryCategory::kWorker, bytes);
    return {};
  }
  mailbox_ = new (shared) ChildMailbox;
  platforms::prepare_children();
  return {};
}

FrozenWork DumpEngine::frozen_work(const HeapFigures& heap) noexcept {
  return FrozenWork{&DumpEngine::run_in_child, this, mailbox_, child_stack_, kChildStackBytes,
                    watchdog_seconds(heap)};
}

// Once, before the first dump: can this VM's heap be read as memory?
void DumpEngine::try_frozen() noexcept {
  if (asks_for_walk(options_.capture))
    return adapter_->forbid_frozen("capture=walk was asked for at load");
  if (mailbox_ == nullptr) return adapter_->forbid_frozen("memory= leaves no room for a child");
  if (platforms::clone_endangers_direct_io()) return adapter_->forbid_frozen(kDirectIo);
  if (!memory_.begin_dump()) return;
  adapter_->open_frozen(memory_, frozen_work(HeapFigures{}));
  memory_.end_dump();
  const char* refusal = adapter_->frozen_refusal();
  log_line(LogLevel::kInfo, "frozen capture: %s", refusal[0] == '\0' ? "possible" : refusal);
}

// -- in the child --

// What the pause was spent on, what was predicted, and how much of the heap no root led to.
void DumpEngine::note_frozen_figures() noexcept {
  constexpr auto kMs = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e6; };
  constexpr auto kMb = [](std::uint64_t bytes) {
    return static_cast<unsigned long long>(bytes >> 20);
  };
  record_.notes.add(
      "of the pause %.1f ms made the child; %llu MB more memory were predicted while "
      "it runs",
      kMs(capture_.clone_ns), kMb(record_.plan.predicted_growth_bytes));
  if (record_.plan.slowdown_percent >= kBusyPercent)
    record_.notes.add(
        "the machine was busy: threads that wanted a CPU let a stop last %.1f times as long",
        record_.plan.slowdown_percent / 100.0);
  std::uint64_t reached = 0;
  for (const std::uint32_t units : capture_.snapshot.shallow_units)
    reached += std::uint64_t{units} * kShallowUnitBytes;
  for (const ClassCount& row : capture_.histogram) reached += row.shallow_bytes;
  const std::uint64_t used = capture_.heap_before.used_bytes;
  if (used > reached)
    record_.notes.add(
        "%llu MB of the heap in use were not reached: garbage, room in allocation "
        "buffers, or held by the VM alone",
        kMb(used - reached));
  if (capture_.roots_cut)
    record_.notes.add(
        "to keep the pause within its limit, the stacks of %u threads and all JNI global "
        "references "
        "were read from the copy: frames are not named, and words on stacks may be leftovers",
        capture_.stacks_in_memory);
  if (capture_.beside[0] != '\0')
    record_.notes.add("a collection in the background %s at that moment", capture_.beside);
  if (capture_.doubtful_objects != 0)
    record_.notes.add(
        "%llu objects (%llu KB) are held by nothing but words on stacks, which may be leftovers; "
        "%llu of their references led nowhere",
        static_cast<unsigned long long>(capture_.doubtful_objects),
        static_cast<unsigned long long>(capture_.doubtful_bytes >> 10),
        static_cast<unsigned long long>(capture_.dropped_references));
}

Result<AnalysisOutcome> DumpEngine::analyse_in_child(const AdapterAnalysis* analysis) noexcept {
  record_.capture_ns = platforms::monotonic_ns() - record_.request.asked_at_ns;
  note_frozen_figures();
  note_what_is_untold();
  AnalysisInput input = analysis_input();
  input.publishing = &DumpEngine::note_publishing;
  input.published = &DumpEngine::note_published;
  input.published_context = this;
  if (analysis == nullptr) {
    begin_news(mailbox_->news);
    return analysis_.analyse(input);
  }
  AnalysisOutcome outcome;
  HF_CHECK_OK(analysis->run(analysis->context, input, outcome));
  return outcome;
}

void DumpEngine::note_publishing(void* engine, const AnalysisOutcome& outcome) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  self.fill_result(outcome, self.mailbox_->published);
  self.mailbox_->phase.store(ChildPhase::kPublishing, std::memory_order_release);
}

void DumpEngine::note_published(void* engine, const AnalysisOutcome&) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  self.mailbox_->phase.store(ChildPhase::kPublished, std::memory_order_release);
}

void DumpEngine::fill_result(const AnalysisOutcome& outcome, ChildResult& result) const noexcept {
  static_assert(sizeof result.report_path == sizeof outcome.report_path);
  result.ok = result.captured = true;
  result.complete = outcome.complete;
  if (!outcome.complete) result.error = outcome.missing;
  std::memcpy(result.report_path, outcome.report_path, sizeof result.report_path);
  result.report_bytes = outcome.report_bytes;
  result.objects = capture_.snapshot.object_count();
  result.references = capture_.snapshot.reference_count();
  result.sequence = record_.sequence;
  result.peak_bytes = ledger_.peak_bytes();
}

int DumpEngine::run_in_child(void* engine, const Result<void>& captured, Capture& capture,
                             const AdapterAnalysis* analysis) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  ChildMailbox& mailbox = *self.mailbox_;
  ChildResult& result = mailbox.result;
  self.capture_ = capture;
  result.captured = captured.ok();
  if (captured) {
    // A child that streams the graph reads the heap to the end.
    if (analysis == nullptr) mailbox.phase.store(ChildPhase::kAnalysing, std::memory_order_release);
    const Result<AnalysisOutcome> outcome = self.analyse_in_child(analysis);
    if (outcome)
      self.fill_result(*outcome, result);
    else
      result.error = outcome.error();
  } else {
    result.error = captured.error();
  }
  mailbox.phase.store(ChildPhase::kEnded, std::memory_order_release);
  return result.ok ? 0 : 1;
}

// -- in the parent --

bool DumpEngine::dump_in_child(PlanQuestion& question) noexcept {
  FrozenChild child;
  const bool over = freeze_and_watch(question, child);
  keep_named();
  if (over) {
    conclude(child);
    return true;
  }
  tidy();  // a child that was ended may have left a file half-written
  platforms::MutexLock lock(mutex_);
  phase_ = Phase::kCapturing;
  told_.report_path[0] = '\0';
  told_.report_bytes = told_.objects = told_.references = told_.analysis_began_utc_ms = 0;
  told_.expected = {};
  memory_.end_dump();
  if (auto begun = memory_.begin_dump(); !begun)
    record_.notes.add("memory= has no room for another capture");
  return false;
}

// What was stopped before the dump itself, to attach or to prepare it: said where it comes on top.
void DumpEngine::add_stops(const StopFigures& stops) noexcept {
  if (stops.count < 2) return;
  record_.notes.add(
      "the application was stopped %u times, for %.1f ms together and %.1f ms at most", stops.count,
      static_cast<double>(stops.sum_ns) / 1e6, static_cast<double>(stops.longest_ns) / 1e6);
}

bool DumpEngine::give_up_frozen(const char* why, std::int64_t detail) noexcept {
  std::snprintf(frozen_end_.text, sizeof frozen_end_.text, "given up: %s (%lld)", why,
                static_cast<long long>(detail));
  return false;
}

bool DumpEngine::freeze_and_watch(PlanQuestion& question, FrozenChild& child) noexcept {
  new (mailbox_) ChildMailbox;
  {
    platforms::MutexLock lock(mutex_);
    record_.gate = gate_.counts();
  }
  resident_before_ = platforms::resident_bytes();
  const FrozenWork work = frozen_work(question.heap);
  ChildWatcher watcher(*mailbox_, cancel_, work.watchdog_seconds);
  watcher.start();
  const Result<void> frozen = adapter_->freeze(record_.plan, memory_, work, child, record_.notes);
  add_stops(adapter_->take_stops());
  if (!frozen) {
    watcher.call_off();
    const Error& error = frozen.error();
    if (error.code == ErrorCode::kRefused)
      return give_up_frozen("the system gives no child process, errno", error.detail);
    return give_up_frozen(error_text(error.code).data(), error.detail);
  }
  child_needs_us_no_more();
  told_.stage = DumpStage::kAnalysing;
  told_.pause_ns = child.pause.pause_ns;
  publish_progress();
  const ChildEndReport end = watcher.await(&DumpEngine::look_at_child, this);
  end_left_behind();
  forget_child();
  return judge(end, question);
}

bool DumpEngine::end_without_report(ErrorCode code, std::int64_t detail) noexcept {
  mailbox_->result = ChildResult{};
  mailbox_->result.captured = true;
  mailbox_->result.error = make_error(code, detail);
  return true;
}

// It read what is not there, or contradicted itself: this VM is not what its tables say.
void DumpEngine::doubt_frozen(const ChildEndReport& end) noexcept {
  if (end.faulted) adapter_->forbid_frozen("an earlier child crashed while it read the heap");
  const ChildResult& result = mailbox_->result;
  if (end.verdict == ChildVerdict::kEnded && !result.captured &&
      result.error.code == ErrorCode::kInconsistent)
    adapter_->forbid_frozen("an earlier picture of the heap contradicted itself");
}

// What the child named is looked for before its names and addresses are old.
void DumpEngine::keep_named() noexcept {
  if (!record_.plan.track) return;
  const ChildResult& result = mailbox_->result;
  const bool told =
      result.ok && mailbox_->phase.load(std::memory_order_acquire) == ChildPhase::kEnded;
  const std::size_t bytes = std::min<std::size_t>(mailbox_->named_bytes, ChildMailbox::kTextBytes);
  adapter_->keep_named({mailbox_->text, told ? bytes : 0}, result.sequence, record_.started_utc_ms);
}

// Why the basic report is all that the child left.
void DumpEngine::explain_missing(const ChildEndReport& end) noexcept {
  was_withdrawn_ = false;
  char* const why = missing_.text;
  constexpr std::size_t kBytes = sizeof missing_.text;
  switch (end.verdict) {
    case ChildVerdict::kCancelled:
      return explain_missing(make_error(ErrorCode::kCancelled));
    case ChildVerdict::kNoMemory:
      std::snprintf(why, kBytes, "memory ran short");
      return;
    case ChildVerdict::kTooLong:
      std::snprintf(why, kBytes, "the analysis took too long");
      return;
    case ChildVerdict::kCrashed:
      std::snprintf(why, kBytes, "the child that analysed the heap ended early (%d)", end.status);
      return;
    case ChildVerdict::kEnded:
      return explain_missing(mailbox_->result.error);
  }
}

// True: what the child has left on disk is the dump's outcome, however it ended.
bool DumpEngine::take_published(const ChildEndReport& end) noexcept {
  const ChildPhase phase = mailbox_->phase.load(std::memory_order_acquire);
  if (phase == ChildPhase::kPublishing || phase == ChildPhase::kPublished) {
    ChildResult& basic = mailbox_->published;
    basic.report_path[sizeof basic.report_path - 1] = '\0';
    const std::uint64_t bytes = platforms::file_bytes(basic.report_path);
    if (phase == ChildPhase::kPublishing && bytes != basic.report_bytes) return false;
    mailbox_->result = basic;
    if (bytes != 0 && bytes != basic.report_bytes) {
      // The full one was put in its place right before the end.
      mailbox_->result.complete = true;
      mailbox_->result.report_bytes = bytes;
    }
  } else if (phase != ChildPhase::kEnded || !mailbox_->result.ok) {
    return false;
  }
  if (!mailbox_->result.complete) explain_missing(end);
  return true;
}

// True: the child's end is the dump's.
bool DumpEngine::judge(const ChildEndReport& end, PlanQuestion& question) noexcept {
  if (take_published(end)) return true;
  if (end.verdict == ChildVerdict::kCancelled) return end_without_report(ErrorCode::kCancelled, 0);
  // What analysing this heap did to a child it must not do to the application.
  const bool analysing = mailbox_->phase.load(std::memory_order_acquire) >= ChildPhase::kReleased;
  if (analysing && end.verdict == ChildVerdict::kTooLong)
    return end_without_report(ErrorCode::kDeadline, 0);
  if (analysing && end.faulted) return end_without_report(ErrorCode::kInconsistent, end.status);
  if (end.verdict != ChildVerdict::kEnded) {
    // Somebody's SIGKILL may well be the kernel's, for want of memory.
    question.memory_ran_short =
        end.verdict == ChildVerdict::kNoMemory || end.status == kKilledBySomebody;
    doubt_frozen(end);
    return give_up_frozen(child_verdict_text(end.verdict), end.status);
  }
  const ChildResult& result = mailbox_->result;
  if (result.captured) return true;
  doubt_frozen(end);
  return give_up_frozen(error_text(result.error.code).data(), result.error.detail);
}

void DumpEngine::conclude(const FrozenChild& child) noexcept {
  ChildResult& result = mailbox_->result;
  if (result.ok) {
    sequence_ = std::max(sequence_, result.sequence);
    if (result.objects != 0)
      history_.remember_frozen(record_.plan, child, resident_before_, result.objects,
                               result.references);
    result.report_path[sizeof result.report_path - 1] = '\0';
    log_report(result.report_path, result.report_bytes, child.pause.pause_ns);
    if (!result.complete) log_incomplete(record_.sequence, missing_.text, was_withdrawn_);
    AnalysisOutcome outcome;
    std::memcpy(outcome.report_path, result.report_path, sizeof outcome.report_path);
    outcome.report_bytes = result.report_bytes;
    outcome.complete = result.complete;
    note_outcome(outcome);
  } else {
    log_no_report(record_.sequence, result.error);
    note_outcome(result.error);
  }
  tidy();
  finish(result.ok);
}

}  // namespace holdfast
