// The engine's part in watching: a class histogram between two dumps, kept until the next.
// It goes the way of a simple dump, but leaves no report, starts no cooldown and has no number; a dump that is asked for
// meanwhile ends a child that counts, and the wish is carried out afterwards.
#include <new>

#include "common/child_watcher.h"
#include "common/dump_engine.h"
#include "common/log.h"
#include "platforms/clock.h"

namespace holdfast {

namespace {

// A simple dump is never refused for its pause, a histogram is: there will be another one.
Result<CapturePlan> plan_within_pause(const PlanQuestion& question, Notes& notes) noexcept {
  HF_TRY(plan, choose_plan(question, notes));
  plan.ages = plan.track = false;  // classes are only counted
  const std::uint64_t limit = pause_limit_ns(question.options, question.request, plan.rung);
  if (plan.predicted_pause_ns <= limit) return plan;
  notes.add("counting would stop the application for about %llu ms, pause= allows %llu ms",
            static_cast<unsigned long long>(plan.predicted_pause_ns / 1'000'000),
            static_cast<unsigned long long>(limit / 1'000'000));
  return make_error(ErrorCode::kRefused);
}

// `request` is the question's own.
// Without garbage where that can be.
Result<CapturePlan> plan_histogram(const PlanQuestion& question, DumpRequest& request,
                                   Notes& notes) noexcept {
  request.capture = CaptureChoice::kFrozen;
  Notes unsaid;
  Result<CapturePlan> frozen = plan_within_pause(question, unsaid);
  request.capture = CaptureChoice::kAuto;
  return frozen ? frozen : plan_within_pause(question, notes);
}

}  // namespace

// -- whoever watches --

Result<void> DumpEngine::begin_watching() noexcept {
  platforms::MutexLock lock(mutex_);
  if (closing_) return make_error(ErrorCode::kVmNotReady);
  if (!kept_histogram_.held()) HF_CHECK_OK(kept_histogram_.take(ledger_));
  if (watchers_++ == 0) listen_anew_ = true;
  changed_.notify_all();
  return {};
}

void DumpEngine::end_watching() noexcept {
  platforms::MutexLock lock(mutex_);
  if (watchers_ == 0 || --watchers_ != 0) return;
  listen_anew_ = true;
  changed_.notify_all();
  histogram_wanted_ = false;
  if (counting_)
    count_cancel_.cancel();  // whoever counts gives the memory back
  else
    kept_histogram_.give_back(ledger_);
}

bool DumpEngine::want_histogram() noexcept {
  platforms::MutexLock lock(mutex_);
  if (watchers_ == 0 || closing_) return false;
  histogram_wanted_ = true;
  changed_.notify_all();
  return true;
}

void DumpEngine::visit_histogram(void (*visit)(void* context,
                                               const ClassHistogram& histogram) noexcept,
                                 void* context) const noexcept {
  kept_histogram_.visit(visit, context);
}

bool DumpEngine::count_is_due() const noexcept {
  return histogram_wanted_ && phase_ == Phase::kIdle && !gate_.waiting();
}

bool DumpEngine::wait_counted(std::uint64_t deadline_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  while (counting_)
    if (!changed_.wait_until(mutex_, deadline_ns)) return !counting_;
  return true;
}

// -- capture thread --

void DumpEngine::count_classes() noexcept {
  Notes notes;
  options_ = options();
  Result<void> taken = memory_.begin_dump();
  if (taken) taken = take_histogram(notes);
  accounts_.end_dump(false);
  capture_ = Capture{};
  memory_.end_dump();
  const bool put_off = !taken && taken.error().code == ErrorCode::kCancelled;
  if (!taken && !put_off) refuse_histogram(taken.error(), notes);
  {
    platforms::MutexLock lock(mutex_);
    counting_ = false;
    if (watchers_ == 0)
      kept_histogram_.give_back(ledger_);
    else if (put_off)
      histogram_wanted_ = true;
    changed_.notify_all();
  }
  if (!put_off) tell_observers();
}

Result<void> DumpEngine::take_histogram(Notes& notes) noexcept {
  const std::uint64_t cpu_began = platforms::thread_cpu_ns();
  if (!enter_vm()) return make_error(ErrorCode::kVmNotReady);
  HF_TRY(heap, adapter_->heap_figures());
  DumpRequest request;  // nobody's dump: only what choose_plan() looks at
  request.trigger = Trigger::kGrowth;
  request.kind = DumpKind::kSimple;
  PlanQuestion question = plan_question(request, heap);
  HF_TRY(plan, plan_histogram(question, request, notes));
  accounts_.take(*adapter_, pause_limit_ns(options_, request, plan.rung), notes);
  ClassHistogram facts;
  facts.collections = adapter_->collection_count();
  FrozenChild child;
  const Catalog* catalog = &capture_.snapshot.catalog;
  if (plan.rung == CaptureRung::kFrozen) {
    HF_TRY(made, count_frozen(plan, question, facts, child, notes));
    if (made) {
      catalog = &child.catalog;
    } else {
      question.frozen_refusal = "the system gives no child process";
      memory_.end_dump();
      HF_CHECK_OK(memory_.begin_dump());
      HF_TRY(lower, plan_histogram(question, request, notes));
      plan = lower;
    }
  }
  if (plan.rung == CaptureRung::kHistogram) HF_CHECK_OK(count_in_place(plan, facts, notes));
  facts.accounts = accounts_.summed_up();
  facts.taken_utc_ms = platforms::utc_ms();
  facts.pause_ns += accounts_.stopped_ns();
  facts.cost_ns += facts.pause_ns + platforms::thread_cpu_ns() - cpu_began;
  log_line(LogLevel::kDebug, "class histogram %s: pause %llu us, cost %llu us",
           facts.reachable_only ? "by a child" : "in place",
           static_cast<unsigned long long>(facts.pause_ns / 1000),
           static_cast<unsigned long long>(facts.cost_ns / 1000));
  return kept_histogram_.publish(*catalog, facts);
}

Result<void> DumpEngine::count_in_place(const CapturePlan& plan, ClassHistogram& facts,
                                        Notes& notes) noexcept {
  HF_CHECK_OK(adapter_->capture(plan, memory_, capture_, notes));
  history_.remember(plan, capture_);
  kept_histogram_.tally(capture_.histogram);
  facts.reachable_only = false;
  facts.pause_ns = capture_.pause_ns;
  facts.heap = capture_.heap_before;
  return {};
}

// False: the system gives no child.
Result<bool> DumpEngine::count_frozen(const CapturePlan& plan, const PlanQuestion& question,
                                      ClassHistogram& facts, FrozenChild& child,
                                      Notes& notes) noexcept {
  new (mailbox_) ChildMailbox;
  FrozenWork work = frozen_work(question.heap);
  work.run = &DumpEngine::run_count_in_child;
  ChildWatcher watcher(*mailbox_, count_cancel_, work.watchdog_seconds);
  watcher.start();
  if (const Result<void> frozen = adapter_->freeze(plan, memory_, work, child, notes); !frozen) {
    watcher.call_off();
    if (frozen.error().code == ErrorCode::kRefused) return false;
    return frozen.error();
  }
  const ChildEndReport end = watcher.await();
  history_.remember_freeze(plan, child, question.resident_bytes);
  HF_CHECK_OK(judge_count(end, notes));
  facts.reachable_only = true;
  facts.pause_ns = child.pause.pause_ns;
  facts.cost_ns = end.cpu_ns;
  facts.heap = child.heap_before;
  return true;
}

Result<void> DumpEngine::judge_count(const ChildEndReport& end, Notes& notes) noexcept {
  if (end.verdict == ChildVerdict::kCancelled) return make_error(ErrorCode::kCancelled);
  // Once it has let go of the heap it only adds up: that says nothing of the VM's tables.
  if (mailbox_->phase.load(std::memory_order_acquire) != ChildPhase::kReleased) doubt_frozen(end);
  if (end.verdict != ChildVerdict::kEnded) notes.add("%s", child_verdict_text(end.verdict));
  if (end.verdict == ChildVerdict::kNoMemory) return make_error(ErrorCode::kOutOfMemory);
  if (end.verdict == ChildVerdict::kTooLong) return make_error(ErrorCode::kDeadline);
  if (end.verdict != ChildVerdict::kEnded) return make_error(ErrorCode::kInconsistent, end.status);
  if (!mailbox_->result.captured) return mailbox_->result.error;
  return {};
}

void DumpEngine::refuse_histogram(const Error& error, const Notes& notes) noexcept {
  // The last thing that was noted led to it.
  const std::string_view why =
      notes.all().empty() ? error_text(error.code) : std::string_view(notes.all().back().text);
  kept_histogram_.refuse(why);
  log_line(LogLevel::kInfo, "no class histogram: %.*s (detail %lld)", static_cast<int>(why.size()),
           why.data(), static_cast<long long>(error.detail));
}

// -- in the child --

int DumpEngine::run_count_in_child(void* engine, const Result<void>& captured, Capture& capture,
                                   const AdapterAnalysis*) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  ChildResult& result = self.mailbox_->result;
  result.captured = result.ok = captured.ok();
  if (captured)
    self.kept_histogram_.tally(capture.histogram);
  else
    result.error = captured.error();
  self.mailbox_->phase.store(ChildPhase::kEnded, std::memory_order_release);
  return captured ? 0 : 1;
}

}  // namespace holdfast
