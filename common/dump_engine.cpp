#include "common/dump_engine.h"

#include <cstdio>
#include <cstring>
#include <new>

#include "common/child_watcher.h"
#include "common/dump_log.h"
#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/direct_io.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::size_t kThreadStackBytes = std::size_t{512} << 10;

}  // namespace

Result<void> DumpEngine::open(const Options& options, std::uint64_t memory_bytes,
                              VmAdapter& adapter, const AnalysisCalls& analysis) noexcept {
  options_ = options;
  adapter_ = &adapter;
  analysis_ = analysis;
  ledger_.set_limit(memory_bytes);
  {
    platforms::MutexLock lock(mutex_);
    gate_ = DumpGate(options.cooldown_ns);
    wanted_options_ = options;
  }
  const bool accounts = samples_objects(options);
  HF_CHECK_OK(reservation_.open(CaptureMemory::address_space_bytes(memory_bytes) +
                                kChildStackBytes + KeptHistogram::kPagesBytes +
                                (accounts ? DumpAccounts::address_space_bytes(memory_bytes) : 0)));
  if (adapter.may_freeze()) HF_CHECK_OK(open_child_memory());
  HF_CHECK_OK(kept_histogram_.open(reservation_));
  if (accounts) HF_CHECK_OK(accounts_.reserve(reservation_, ledger_));
  HF_CHECK_OK(loop_.reserve(ledger_));
  return memory_.open(reservation_, ledger_);
}

Result<void> DumpEngine::open_accounts(PatternError& error) noexcept {
  return accounts_.open(options_, error);
}

Result<void> DumpEngine::vm_ready() noexcept {
  HF_CHECK_OK(loop_.start());
  HF_CHECK_OK(start_capture_thread());
  platforms::MutexLock lock(mutex_);
  gate_.open();
  return {};
}

GateAnswer DumpEngine::request(const DumpRequest& request, std::uint32_t* number) noexcept {
  GateAnswer answer;
  bool wake = false;
  DumpRequest numbered = request;
  {
    platforms::MutexLock lock(mutex_);
    numbered.number = history_of_dumps_.last_number() + 1;
    answer = gate_.offer(numbered);
    if (answer == GateAnswer::kAccepted) history_of_dumps_.add(numbered, platforms::utc_ms());
    if (DumpProgress* dump = history_of_dumps_.find(gate_.waiting_number());
        dump != nullptr && answer == GateAnswer::kMerged)
      ++dump->merged;
    if (number != nullptr)
      *number = answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged
                    ? gate_.waiting_number()
                    : 0;
    wake = answer == GateAnswer::kAccepted && phase_ == Phase::kIdle;
    if (wake && counting_) count_cancel_.cancel();
  }
  if (wake) loop_.post(&DumpEngine::take_request, this);
  return answer;
}

DumpEngine::CancelAnswer DumpEngine::cancel_dumps(std::uint32_t number) noexcept {
  platforms::MutexLock lock(mutex_);
  const bool waits = gate_.waiting() && (number == 0 || number == gate_.waiting_number());
  const bool runs = phase_ != Phase::kIdle && (number == 0 || number == running_.number);
  if (!waits && !runs) return CancelAnswer::kNothing;
  const DumpProgress* const named = history_of_dumps_.find(number);
  if (named != nullptr && (named->merged != 0 || named->trigger != Trigger::kCommand))
    return CancelAnswer::kShared;
  if (waits) {
    if (DumpProgress* const dump = history_of_dumps_.find(gate_.waiting_number())) {
      dump->stage = DumpStage::kFailed;
      dump->error = make_error(ErrorCode::kCancelled);
    }
    gate_.drop_waiting();
  }
  if (runs) {
    cancelled_number_ = running_.number;
    cancel_.cancel();
  }
  changed_.notify_all();
  return CancelAnswer::kCancelled;
}

void DumpEngine::take_request(void* engine) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  platforms::MutexLock lock(self.mutex_);
  if (self.phase_ != Phase::kIdle || !self.gate_.take(self.running_)) return;
  self.phase_ = Phase::kTaken;
  self.changed_.notify_all();
}

// -- capture thread --

void DumpEngine::capture_thread(void* engine) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  self.enter_vm();
  for (Errand errand = self.await_errand(); errand != Errand::kEnd; errand = self.await_errand())
    self.run_errand(errand);
  if (self.in_vm_) self.adapter_->detach_capture_thread();
  self.set_capture_thread_runs(false);
}

// A full heap has no room for the Thread object that attaching needs: it is tried again when there is something to do.
bool DumpEngine::enter_vm() noexcept {
  if (in_vm_) return true;
  if (auto attached = adapter_->attach_capture_thread(); !attached) {
    log_line(refusal_told_ ? LogLevel::kInfo : LogLevel::kError,
             "the VM does not let our thread in (code %lld): is its heap full? No dump is made",
             static_cast<long long>(attached.error().detail));
    refusal_told_ = true;  // whoever watches asks every few seconds
    return false;
  }
  in_vm_ = true;
  try_frozen();
  note_frozen_refusal();
  return true;
}

void DumpEngine::run_errand(Errand errand) noexcept {
  if (errand == Errand::kDump) {
    capture_one();
    note_frozen_refusal();
  }
  if (errand == Errand::kListen) listen();
  if (errand == Errand::kCount) count_classes();
}

DumpEngine::Errand DumpEngine::await_errand() noexcept {
  platforms::MutexLock lock(mutex_);
  while (!closing_ && phase_ != Phase::kTaken && !listen_anew_ && !count_is_due())
    changed_.wait(mutex_);
  if (phase_ == Phase::kTaken) {
    phase_ = Phase::kCapturing;
    return Errand::kDump;
  }
  if (closing_) return Errand::kEnd;
  if (listen_anew_) {
    listen_anew_ = false;
    return Errand::kListen;
  }
  histogram_wanted_ = false;
  counting_ = true;
  count_cancel_.reset();
  return Errand::kCount;
}

void DumpEngine::listen() noexcept {
  if (!enter_vm()) return;
  Options wanted = options();
  wanted.watched = watched();
  if (const Result<void> listening = adapter_->listen(wanted); !listening)
    log_line(LogLevel::kError, "the VM does not tell its events (code %lld)",
             static_cast<long long>(listening.error().detail));
}

void DumpEngine::start_record(const DumpRequest& request) noexcept {
  capture_ = Capture{};
  record_ = DumpRecord{};
  record_.vm = adapter_->facts();
  platforms::host_name(record_.host, sizeof record_.host);
  platforms::container_id(record_.container, sizeof record_.container);
  record_.pid = platforms::process_id();
  record_.sequence = ++sequence_;
  record_.started_utc_ms = platforms::utc_ms();
  record_.vm_uptime_ms = platforms::process_uptime_ms();
  record_.request = request;
  record_.collections = adapter_->collections();
  record_.collections_reported = collections_reported_;
  record_.last_report_utc_ms = last_report_utc_ms_;
  if (request.reason[0] != '\0') record_.notes.add("%s", request.reason);
}

void DumpEngine::adopt_plan(const CapturePlan& plan) noexcept {
  record_.plan = plan;
  record_.pause_limit_ns = pause_limit_ns(options_, record_.request, plan.rung);
  const std::string_view trigger = trigger_name(record_.request.trigger);
  log_line(LogLevel::kInfo, "dump %u (%.*s): rung %s, predicted pause %llu ms", record_.sequence,
           static_cast<int>(trigger.size()), trigger.data(), capture_rung_name(plan.rung),
           static_cast<unsigned long long>(plan.predicted_pause_ns / 1'000'000));
  told_.stage = DumpStage::kPlanned;
  told_.rung = plan.rung;
  told_.extended = plan.rung != CaptureRung::kHistogram && plan.graph;
  told_.predicted_pause_ns = plan.predicted_pause_ns;
  told_.pause_limit_ns = record_.pause_limit_ns;
  publish_progress();
}

void DumpEngine::publish_progress() noexcept {
  const std::span<const Note> notes = record_.notes.all();
  // What a dump was refused for was found out last.
  const bool refused = told_.stage == DumpStage::kFailed && told_.error.code == ErrorCode::kRefused;
  if (!notes.empty()) told_.note = refused ? notes.back() : notes.front();
  publish_told();
}

// While an analysis runs, notes are the analysis thread's.
void DumpEngine::publish_told() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    told_.elapsed_ns = platforms::monotonic_ns() - running_.asked_at_ns;
    history_of_dumps_.update(told_);
  }
  tell_observers();
}

void DumpEngine::tell_observers() noexcept {
  for (std::size_t i = 0; i < observer_count_; ++i)
    loop_.post(observers_[i].task, observers_[i].context);
}

PlanQuestion DumpEngine::plan_question(const DumpRequest& request,
                                       const HeapFigures& heap) noexcept {
  PlanQuestion question{options_,
                        request,
                        heap,
                        memory_.budget().left_bytes,
                        platforms::available_memory_bytes(),
                        history_,
                        adapter_->costs()};
  question.frozen_refusal = adapter_->frozen_refusal();
  question.may_freeze = adapter_->may_freeze();
  if (question.frozen_refusal[0] == '\0' && platforms::clone_endangers_direct_io())
    question.frozen_refusal = kDirectIo;
  question.resident_bytes = platforms::resident_bytes();
  question.roots = adapter_->root_figures();
  question.slowdown_percent = slowdown_percent(adapter_->cpu_demand_percent());
  return question;
}

Result<void> DumpEngine::capture_into_record() noexcept {
  ledger_.restart_peaks();
  if (!enter_vm()) {
    record_.notes.add("the VM does not let the agent's thread in: is its heap full?");
    return make_error(ErrorCode::kRefused);
  }
  if (options_.collect) collect_first();
  HF_TRY(heap, adapter_->heap_figures());
  note_heap(heap);
  HF_CHECK_OK(memory_.begin_dump());
  PlanQuestion question = plan_question(record_.request, heap);
  HF_TRY(plan, settle_plan(question));
  adopt_plan(plan);
  HF_CHECK_OK(cancel_.check());  // the application is not stopped for nothing
  accounts_.take(*adapter_, pause_limit_ns(options_, record_.request, plan.rung), record_.notes);
  accounts_.take_ages(*adapter_, age_board_.read(), record_.notes);
  if (plan.rung == CaptureRung::kFrozen || plan.rung == CaptureRung::kFrozenWritten) {
    done_in_child_ = dump_in_child(question);
    if (done_in_child_) return {};
    question.frozen_refusal = frozen_end_.text;
    question.frozen_was_tried = true;
    question.available_bytes = platforms::available_memory_bytes();
    question.resident_bytes = platforms::resident_bytes();
    HF_TRY(lower, settle_plan(question));
    plan = lower;
    adopt_plan(plan);
    HF_CHECK_OK(cancel_.check());
  }
  HF_CHECK_OK(adapter_->capture(plan, memory_, capture_, record_.notes));
  if (counting_may_help(question, plan)) HF_CHECK_OK(reconsider(question));
  history_.remember(record_.plan, capture_);
  note_what_is_untold();
  return {};
}

void DumpEngine::collect_first() noexcept {
  if (const Result<void> collected = adapter_->collect(); !collected)
    record_.notes.add("no collection before the dump (collect=on): %s (detail %lld)",
                      error_text(collected.error().code).data(),
                      static_cast<long long>(collected.error().detail));
}

void DumpEngine::note_what_is_untold() noexcept {
  if (capture_.no_ages[0] != '\0') record_.notes.add("ages are not told: %.160s", capture_.no_ages);
  if (record_.plan.track && is_extended(capture_) && !capture_.tracking.told)
    record_.notes.add(
        "objects have no numbers (track=on): they come with a frozen capture of a Java VM that is "
        "analysed at once");
}

Result<CapturePlan> DumpEngine::settle_plan(const PlanQuestion& question) noexcept {
  HF_TRY(plan, choose_plan(question, record_.notes));
  HF_CHECK_OK(make_disk_room(question, plan));
  return plan;
}

// The objects are counted: with the true number the walk may be allowed after all. The histogram is then thrown away.
Result<void> DumpEngine::reconsider(PlanQuestion& question) noexcept {
  for (const ClassCount& row : capture_.histogram) question.counted_objects += row.instances;
  Notes second_thoughts;
  const Result<CapturePlan> second = choose_plan(question, second_thoughts);
  if (!second || second->rung != CaptureRung::kWalk) return {};
  const CapturePlan& plan = *second;
  HF_CHECK_OK(cancel_.check());
  const std::uint64_t counting_ns = capture_.pause_ns;
  record_.notes.clear();
  if (record_.request.reason[0] != '\0') record_.notes.add("%s", record_.request.reason);
  accounts_.note_missing(record_.notes);
  record_.notes.add("%llu objects were counted first, which took %llu ms of the pause",
                    static_cast<unsigned long long>(question.counted_objects),
                    static_cast<unsigned long long>(counting_ns / 1'000'000));
  adopt_plan(plan);
  capture_ = Capture{};
  memory_.end_dump();
  HF_CHECK_OK(memory_.begin_dump());
  HF_CHECK_OK(adapter_->capture(plan, memory_, capture_, record_.notes));
  capture_.pause_ns += counting_ns;
  return {};
}

void DumpEngine::capture_one() noexcept {
  DumpRequest request;
  bool given_up = false;
  {
    platforms::MutexLock lock(mutex_);
    request = running_;
    given_up = given_up_ || cancelled_number_ == request.number;
    if (!given_up) cancel_.reset();
  }
  options_ = options();
  progress(request.number, told_);
  if ((request.analyses & kAnalysesOfOption) == 0) options_.analyses = 0;
  options_.analyses |= request.analyses & kAnalyseAll;
  told_.trigger = request.trigger;  // what was merged into it may have changed that
  if (given_up) {
    record_.notes.clear();
    note_outcome(make_error(ErrorCode::kCancelled));
    return finish(false);
  }
  start_record(request);
  done_in_child_ = false;
  const Result<void> captured = capture_into_record();
  if (done_in_child_) return;
  record_.capture_ns = platforms::monotonic_ns() - request.asked_at_ns;
  if (!captured) {
    log_not_captured(record_, captured.error());
    note_outcome(captured.error());
    finish(false);
    return;
  }
  {
    platforms::MutexLock lock(mutex_);
    record_.gate = gate_.counts();
    phase_ = Phase::kAnalysing;
    changed_.notify_all();
  }
  told_.stage = DumpStage::kAnalysing;
  told_.rung = capture_.rung;  // a walk that outgrew the memory has become a histogram
  told_.extended = is_extended(capture_);
  told_.pause_ns = capture_.pause_ns;
  publish_progress();
  analyse_and_finish();
}

// The analysis has a thread of its own for its priority's sake alone, which cannot be raised again; and it takes no lock that anybody
// else wants: whoever has a low priority may be kept from giving it back for seconds.
void DumpEngine::analyse_and_finish() noexcept {
  platforms::Thread thread;  // nobody else's: who gives up waiting for us must not touch it
  new (&thread_news_) AnalysisNews;
  begin_news(thread_news_);
  const int refused =
      thread.start("hf-analysis", kThreadStackBytes, &DumpEngine::analysis_thread, this);
  if (refused == 0) {
    LookPause pause;
    while (!thread_news_.over.load(std::memory_order_acquire)) {
      look_at_analysis(this);
      pause.sleep();
    }
    thread.join();
  } else {
    record_.notes.add(
        "the analysis ran on the capture thread: the system refused another thread (errno %d)",
        refused);
    AnalysisInput input = analysis_input();
    outcome_ = analysis_.analyse(input);
  }
  sequence_ = record_.sequence;
  if (outcome_)
    log_report(outcome_->report_path, outcome_->report_bytes, capture_.pause_ns);
  else
    log_no_report(record_.sequence, outcome_.error());
  if (outcome_ && !outcome_->complete) {
    explain_missing(outcome_->missing);
    log_incomplete(record_.sequence, missing_.text, was_withdrawn_);
  }
  tidy();
  note_outcome(outcome_);
  finish(outcome_.ok());
}

// -- analysis thread, and a child --

AnalysisInput DumpEngine::analysis_input() noexcept {
  AnalysisInput input{capture_, record_, options_, memory_.work_arena(), ledger_, cancel_};
  input.accounts = accounts_.taken();
  input.ages = accounts_.ages();
  input.expecting = &DumpEngine::note_expected;
  input.expecting_context = this;
  return input;
}

void DumpEngine::analysis_thread(void* engine) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  platforms::lower_current_thread();
  AnalysisInput input = self.analysis_input();
  input.published = &DumpEngine::note_thread_published;
  input.published_context = engine;
  self.outcome_ = self.analysis_.analyse(input);
  self.thread_news_.over.store(true, std::memory_order_release);
}

// -- capture thread --

// Why a report stays basic.
void DumpEngine::explain_missing(const Error& error) noexcept {
  was_withdrawn_ = false;
  if (error.code != ErrorCode::kCancelled) {
    std::snprintf(missing_.text, sizeof missing_.text, "%s (%lld)", error_text(error.code).data(),
                  static_cast<long long>(error.detail));
    return;
  }
  platforms::MutexLock lock(mutex_);
  was_withdrawn_ = !given_up_;
  std::snprintf(missing_.text, sizeof missing_.text, "%s",
                given_up_ ? "the process ends, and exit-wait= was over" : "it was withdrawn");
}

void DumpEngine::note_outcome(const Result<AnalysisOutcome>& outcome) noexcept {
  told_.stage = outcome ? DumpStage::kReported : DumpStage::kFailed;
  if (outcome) {
    static_assert(sizeof told_.report_path == sizeof outcome->report_path);
    std::memcpy(told_.report_path, outcome->report_path, sizeof told_.report_path);
    told_.report_bytes = outcome->report_bytes;
    if (!outcome->complete) told_.missing = missing_;
  } else {
    told_.error = outcome.error();
    told_.report_path[0] = '\0';
    told_.report_bytes = 0;
  }
  publish_progress();
}

void DumpEngine::tidy() noexcept {
  if (analysis_.tidy == nullptr) return;
  analysis_.tidy({capture_, record_, options_, memory_.work_arena(), ledger_, cancel_});
}

void DumpEngine::finish(bool reported) noexcept {
  if (reported) {
    collections_reported_ = record_.collections;
    last_report_utc_ms_ = record_.started_utc_ms;
  }
  accounts_.end_dump(reported);
  memory_.end_dump();
  bool wake = false;
  {
    platforms::MutexLock lock(mutex_);
    ++(reported ? totals_.reports : totals_.failed);
    // What neither stopped the application nor left a report keeps no trigger away.
    gate_.finished(platforms::monotonic_ns(), reported || told_.pause_ns != 0);
    phase_ = Phase::kIdle;
    wake = gate_.waiting();
    changed_.notify_all();
  }
  if (wake) loop_.post(&DumpEngine::take_request, this);
}

// -- what is going on --

bool DumpEngine::progress(std::uint32_t number, DumpProgress& out) const noexcept {
  platforms::MutexLock lock(mutex_);
  const DumpProgress* const dump = history_of_dumps_.find(number);
  if (dump == nullptr) return false;
  out = *dump;
  return true;
}

std::size_t DumpEngine::last_dumps(std::span<DumpProgress> out) const noexcept {
  platforms::MutexLock lock(mutex_);
  std::size_t count = 0;
  for (std::uint32_t number = history_of_dumps_.last_number(); count < out.size(); --number) {
    const DumpProgress* const dump = history_of_dumps_.find(number);
    if (dump == nullptr) break;
    out[count++] = *dump;
  }
  return count;
}

bool DumpEngine::last_extended(DumpProgress& out) const noexcept {
  platforms::MutexLock lock(mutex_);
  out = history_of_dumps_.last_extended();
  return out.number != 0;
}

GateCounts DumpEngine::gate_counts() const noexcept {
  platforms::MutexLock lock(mutex_);
  return gate_.counts();
}

TriggerCounts DumpEngine::trigger_counts(Trigger trigger) const noexcept {
  platforms::MutexLock lock(mutex_);
  return gate_.counts_of(trigger);
}

bool DumpEngine::observe(WorkerLoop::Task task, void* context) noexcept {
  if (observer_count_ == kMaxObservers) return false;
  observers_[observer_count_++] = {task, context};
  return true;
}

bool DumpEngine::watched() const noexcept {
  platforms::MutexLock lock(mutex_);
  return watchers_ != 0;
}

Options DumpEngine::options() const noexcept {
  platforms::MutexLock lock(mutex_);
  return wanted_options_;
}

void DumpEngine::change_options(const Options& options) noexcept {
  platforms::MutexLock lock(mutex_);
  listen_anew_ = listen_anew_ || options.on != wanted_options_.on ||
                 wants_collections(options) != wants_collections(wanted_options_) ||
                 options.every_ns != wanted_options_.every_ns;
  wanted_options_ = options;
  gate_.set_cooldown(options.cooldown_ns);
  changed_.notify_all();
}

DumpEngine::Totals DumpEngine::totals() const noexcept {
  platforms::MutexLock lock(mutex_);
  return totals_;
}

void DumpEngine::note_heap(const HeapFigures& heap) noexcept {
  platforms::MutexLock lock(mutex_);
  vm_seen_.heap = heap;
}

// A copy: the adapter's own text is the capture thread's.
void DumpEngine::note_frozen_refusal() noexcept {
  Note refusal;
  std::snprintf(refusal.text, sizeof refusal.text, "%s", adapter_->frozen_refusal());
  platforms::MutexLock lock(mutex_);
  vm_seen_.frozen_refusal = refusal;
}

DumpEngine::VmSeen DumpEngine::vm_seen() const noexcept {
  platforms::MutexLock lock(mutex_);
  return vm_seen_;
}

}  // namespace holdfast
