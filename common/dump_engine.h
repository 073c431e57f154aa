// The dump engine: carries one request from trigger to report over three threads of ours.
// Why here: every VM adapter needs exactly this; analysis comes in as a function, so the core stays below it.
// Shape:  loop thread (libuv: takes requests from the gate, timers, the control socket; never calls the VM),
//         capture thread (attached to the VM as a daemon, or made by it; normal priority): dumps, and errands that need the VM between them,
//         analysis thread (one per dump, low priority; takes no lock, the capture thread waits for it). One dump at a time:
//         request -> gate -> loop -> capture thread: plan, capture -> analysis thread: passes, report -> release.
//         Phases: idle -> taken -> capturing -> analysing -> idle; all of them under mutex_.
// Zone:   request(), wait_*(): event. open(): load. The rest: see the threads above.
// Errors: open() answers why the agent stays off. Later errors are logged, counted and end that dump only.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/account_book.h"
#include "common/accounts/dump_accounts.h"
#include "common/ages/age_board.h"
#include "common/cancel.h"
#include "common/capture_memory.h"
#include "common/capture_plan.h"
#include "common/child_mailbox.h"
#include "common/child_watch.h"
#include "common/class_histogram.h"
#include "common/dump_progress.h"
#include "common/dump_record.h"
#include "common/kept_histogram.h"
#include "common/options.h"
#include "common/reservation.h"
#include "common/result.h"
#include "common/vm_adapter.h"
#include "common/worker_loop.h"
#include "platforms/thread.h"

namespace holdfast {

struct AnalysisOutcome {
  char report_path[kMaxOptionText * 2] = "";
  std::uint64_t report_bytes = 0;
  std::uint64_t analysis_ns = 0;
  // False: the basic report is there, and `missing` says why no fuller one replaced it.
  bool complete = true;
  Error missing{};
};

struct AnalysisInput {
  const Capture& capture;
  DumpRecord& record;  // notes may be added; the sequence number moves on when a name is taken
  const Options& options;
  Arena& arena;  // scratch and results; rewound by the engine afterwards
  Ledger& ledger;
  const CancelToken& cancel;
  bool class_objects_count =
      false;  // a class retains its class object as well, as Eclipse MAT's histogram has it
  // Who allocated what, as it was right before the capture; nullptr: accounts are off, or there was no room for them.
  const AccountFigures* accounts = nullptr;
  // The ages of sampled objects and the last verdict on them; nullptr: ages are off.
  const DumpAges* ages = nullptr;
  // Where a fuller report is to follow, called right before the basic one gets its name, and once it is on disk: a child may be killed
  // between the two.
  void (*publishing)(void* context, const AnalysisOutcome& outcome) noexcept = nullptr;
  void (*published)(void* context, const AnalysisOutcome& outcome) noexcept = nullptr;
  void* published_context = nullptr;
  // How long it will take, as soon as that is known, and again where it turns out otherwise.
  void (*expecting)(void* context, const ExpectedTime& time) noexcept = nullptr;
  void* expecting_context = nullptr;
};

using AnalyseFunction = Result<AnalysisOutcome> (*)(AnalysisInput& input) noexcept;

// What the engine has done above it.
struct AnalysisCalls {
  AnalyseFunction analyse = nullptr;  // worker or child
  // Afterwards, whatever came of it: left-overs and old reports in the directory. Worker only.
  void (*tidy)(const AnalysisInput& input) noexcept = nullptr;
};

inline constexpr std::size_t kChildStackBytes = std::size_t{1} << 20;

class DumpEngine {
 public:
  DumpEngine() = default;
  DumpEngine(const DumpEngine&) = delete;
  DumpEngine& operator=(const DumpEngine&) = delete;
  ~DumpEngine();

  // At load: reserves memory. No thread is started, nothing of the VM is called.
  Result<void> open(const Options& options, std::uint64_t memory_bytes, VmAdapter& adapter,
                    const AnalysisCalls& analysis) noexcept;
  // After open(), where accounts= is on: reads the patterns and opens the book. kUnsupported with `error` filled, kOutOfBudget.
  Result<void> open_accounts(PatternError& error) noexcept;
  // Before vm_ready(), where the VM turns out not to tell allocations: there are no accounts.
  void close_accounts() noexcept { accounts_.book().close(); }
  // At VM init: starts the threads and opens the gate.
  Result<void> vm_ready() noexcept;
  // `number`: under which progress() tells of this dump, also when it was merged; 0 when it was refused.
  GateAnswer request(const DumpRequest& request, std::uint32_t* number = nullptr) noexcept;
  // Waits until no capture is waiting or running (oom: the heap has been seen). False: the deadline passed.
  bool wait_captured(std::uint64_t deadline_ns) noexcept;
  // Waits until no dump is waiting or running.
  bool wait_idle(std::uint64_t deadline_ns) noexcept;
  // Waits until the dumps that were asked for need this process no longer: each is over, or with a child that outlives us. Where nothing
  // outlives us (outlived() is false), until they are over or their basic reports are there. False: the deadline passed.
  bool wait_safe(std::uint64_t deadline_ns) noexcept;
  // The application may be ending: a child that needs nothing more of us finishes its report without us. `for_good`: later ones, too.
  void expect_end(bool for_good) noexcept;
  // Somebody's own init, not the process that ends, is what children are left to.
  static bool outlived() noexcept;
  // VM death, or detach: no more requests; waits for a running dump until the deadline, then leaves it to its child or cancels it; ends the
  // threads. False: one is stuck inside the VM or watches a child that goes on, and the engine must not be destroyed.
  bool close(std::uint64_t deadline_ns) noexcept;
  // Detach: cancels what runs and waits for it as long as it takes: the VM lives on, and nobody else waits.
  void close_patiently() noexcept;

  enum class CancelAnswer : std::uint8_t { kCancelled, kNothing, kShared };
  // Gives up the dump of this number, unless others wait for it too (kShared); 0: the running one and the waiting one, whoever waits.
  CancelAnswer cancel_dumps(std::uint32_t number = 0) noexcept;

  // -- what is going on; any thread --
  // False: the number is forgotten, or none of ours.
  bool progress(std::uint32_t number, DumpProgress& out) const noexcept;
  // The newest first; how many.
  std::size_t last_dumps(std::span<DumpProgress> out) const noexcept;
  // The last extended dump that left a report, however many others followed. False: there was none.
  bool last_extended(DumpProgress& out) const noexcept;
  GateCounts gate_counts() const noexcept;
  TriggerCounts trigger_counts(Trigger trigger) const noexcept;
  // `task` is posted to the loop whenever a dump's progress or the histogram has changed. At most kMaxObservers, before vm_ready().
  static constexpr std::size_t kMaxObservers = 4;
  bool observe(WorkerLoop::Task task, void* context) noexcept;
  WorkerLoop& loop() noexcept { return loop_; }

  // -- the class histogram, for those who watch (dump_engine_histogram.cpp); any thread but the capture thread --
  // Takes the memory for it at the first call; each call wants its end_watching(). kOutOfBudget.
  Result<void> begin_watching() noexcept;
  void end_watching() noexcept;
  // Has one taken between two dumps, of what is reachable where a frozen capture can be made within pause=, else of everything: those
  // who watch compare one with the next, and garbage comes and goes. Several wishes become one. False: nobody watches, or the VM exits.
  // When it is there, or has been refused, the observers are told.
  bool want_histogram() noexcept;
  // The last one, while its lock is held; sequence 0 when there is none yet. `visit` is short and calls nothing of the engine.
  void visit_histogram(void (*visit)(void* context, const ClassHistogram& histogram) noexcept,
                       void* context) const noexcept;

  // -- options that change while the VM runs: the next dump obeys them --
  Options options() const noexcept;
  void change_options(const Options& options) noexcept;

  struct Totals {
    std::uint32_t reports = 0;
    std::uint32_t failed = 0;
  };
  Totals totals() const noexcept;

  // What the capture thread last saw of the VM. Any thread.
  struct VmSeen {
    HeapFigures heap;     // when the last dump was planned; zeros before
    Note frozen_refusal;  // why the frozen capture is not possible; empty when it is
  };
  VmSeen vm_seen() const noexcept;
  const Ledger& ledger() const noexcept { return ledger_; }
  Ledger& ledger() noexcept { return ledger_; }
  VmAdapter& adapter() noexcept { return *adapter_; }
  AgeBoard& age_board() noexcept { return age_board_; }
  // Not open where accounts and ages are off.
  AccountBook& accounts() noexcept { return accounts_.book(); }

 private:
  enum class Phase : std::uint8_t { kIdle, kTaken, kCapturing, kAnalysing };

  // What the capture thread does next.
  enum class Errand : std::uint8_t { kEnd, kDump, kListen, kCount };

  static void take_request(void* engine) noexcept;  // loop thread
  static void capture_thread(void* engine) noexcept;
  static void analysis_thread(void* engine) noexcept;
  // -- threads and the end (dump_engine_end.cpp) --
  Result<void> start_capture_thread() noexcept;
  void set_capture_thread_runs(bool runs) noexcept;
  bool join_capture_thread(std::uint64_t deadline_ns) noexcept;
  Errand await_errand() noexcept;
  bool enter_vm() noexcept;
  void run_errand(Errand errand) noexcept;
  void give_up_waiting() noexcept;
  void end_threads() noexcept;
  void listen() noexcept;
  bool watched() const noexcept;
  void note_heap(const HeapFigures& heap) noexcept;
  void note_frozen_refusal() noexcept;
  void publish_progress() noexcept;
  void publish_told() noexcept;
  void tell_observers() noexcept;
  void capture_one() noexcept;
  PlanQuestion plan_question(const DumpRequest& request, const HeapFigures& heap) noexcept;
  Result<void> capture_into_record() noexcept;
  void collect_first() noexcept;
  Result<void> reconsider(PlanQuestion& question) noexcept;
  // The plan for this question, and the disk has room for what comes of it (dump_engine_disk.cpp).
  Result<CapturePlan> settle_plan(const PlanQuestion& question) noexcept;
  Result<void> make_disk_room(const PlanQuestion& question, CapturePlan& plan) noexcept;
  // -- the frozen rung (dump_engine_frozen.cpp) --
  Result<void> open_child_memory() noexcept;
  void try_frozen() noexcept;
  FrozenWork frozen_work(const HeapFigures& heap) noexcept;
  // True: the dump is over, by a child. False: another rung has to do it; why is in the notes.
  bool dump_in_child(PlanQuestion& question) noexcept;
  bool freeze_and_watch(PlanQuestion& question, FrozenChild& child) noexcept;
  bool judge(const ChildEndReport& end, PlanQuestion& question) noexcept;
  void note_outcome(const Result<AnalysisOutcome>& outcome) noexcept;
  AnalysisInput analysis_input() noexcept;
  bool end_without_report(ErrorCode code, std::int64_t detail) noexcept;
  // What became of it is told by the next plan.
  void add_stops(const StopFigures& stops) noexcept;
  bool give_up_frozen(const char* why, std::int64_t detail) noexcept;
  void doubt_frozen(const ChildEndReport& end) noexcept;
  void keep_named() noexcept;
  void conclude(const FrozenChild& child) noexcept;
  static int run_in_child(void* engine, const Result<void>& captured, Capture& capture,
                          const AdapterAnalysis* analysis) noexcept;
  static void note_publishing(void* engine, const AnalysisOutcome& outcome) noexcept;
  static void note_published(void* engine, const AnalysisOutcome& outcome) noexcept;
  static void note_thread_published(void* engine, const AnalysisOutcome& outcome) noexcept;
  static void note_expected(void* engine, const ExpectedTime& time) noexcept;
  static void look_at_analysis(void* engine) noexcept;
  static void look_at_child(void* engine) noexcept;
  void begin_news(AnalysisNews& news) noexcept;
  void fill_result(const AnalysisOutcome& outcome, ChildResult& result) const noexcept;
  bool take_published(const ChildEndReport& end) noexcept;
  void explain_missing(const ChildEndReport& end) noexcept;
  void explain_missing(const Error& error) noexcept;
  void note_frozen_figures() noexcept;
  void note_what_is_untold() noexcept;
  Result<AnalysisOutcome> analyse_in_child(const AdapterAnalysis* analysis) noexcept;
  // -- histograms (dump_engine_histogram.cpp) --
  void count_classes() noexcept;
  Result<void> take_histogram(Notes& notes) noexcept;
  Result<void> count_in_place(const CapturePlan& plan, ClassHistogram& facts,
                              Notes& notes) noexcept;
  Result<bool> count_frozen(const CapturePlan& plan, const PlanQuestion& question,
                            ClassHistogram& facts, FrozenChild& child, Notes& notes) noexcept;
  Result<void> judge_count(const ChildEndReport& end, Notes& notes) noexcept;
  void refuse_histogram(const Error& error, const Notes& notes) noexcept;
  static int run_count_in_child(void* engine, const Result<void>& captured, Capture& capture,
                                const AdapterAnalysis* analysis) noexcept;
  bool wait_counted(std::uint64_t deadline_ns) noexcept;
  bool count_is_due() const noexcept HF_REQUIRES(mutex_);
  void adopt_plan(const CapturePlan& plan) noexcept;
  void start_record(const DumpRequest& request) noexcept;
  void analyse_and_finish() noexcept;
  void tidy() noexcept;
  void finish(bool reported) noexcept;
  bool captured() const noexcept HF_REQUIRES(mutex_);
  bool idle() const noexcept HF_REQUIRES(mutex_);
  bool with_child_alone() const noexcept HF_REQUIRES(mutex_);
  bool has_basic() const noexcept HF_REQUIRES(mutex_);
  bool safe() const noexcept HF_REQUIRES(mutex_);
  void child_needs_us_no_more() noexcept;
  void forget_child() noexcept;
  bool leave_to_child() noexcept;
  bool gives_way() const noexcept HF_REQUIRES(mutex_);
  void end_left_behind() noexcept;

  Options options_;  // of the running dump: the capture thread's, then the analysis thread's
  Ledger ledger_{0};
  Reservation reservation_;
  CaptureMemory memory_;
  DumpAccounts accounts_;
  AgeBoard age_board_;
  VmAdapter* adapter_ = nullptr;
  AnalysisCalls analysis_;
  WorkerLoop loop_;
  platforms::Thread capture_thread_;
  CancelToken cancel_;
  bool given_up_ HF_GUARDED_BY(mutex_) = false;  // the VM is gone: nothing more is begun
  ChildMailbox* mailbox_ = nullptr;              // shared with the child
  std::byte* child_stack_ = nullptr;
  bool done_in_child_ = false;
  bool in_vm_ = false;         // the capture thread is attached: its own
  bool refusal_told_ = false;  // likewise: that the VM does not let it in
  std::uint64_t resident_before_ = 0;
  Note frozen_end_;             // why the last frozen capture led to nothing
  Note missing_;                // why the running dump's report stays basic
  bool was_withdrawn_ = false;  // a person wanted it so

  // Owned by the capture thread, then by the analysis thread, by turns.
  Capture capture_;
  DumpRecord record_;
  Result<AnalysisOutcome> outcome_ =
      AnalysisOutcome{};          // the analysis thread's, then the capture thread's
  DumpProgress told_;             // of the running dump; publish_progress() shows it
  AnalysisNews* news_ = nullptr;  // in the mailbox, or the next one
  AnalysisNews thread_news_;      // of an analysis on a thread of ours
  AnalysisOutcome thread_basic_;  // behind thread_news_.basic_is_there
  CaptureHistory history_;
  std::uint32_t sequence_ = 0;
  CollectionFigures collections_reported_;  // by the last report
  std::uint64_t last_report_utc_ms_ = 0;
  KeptHistogram kept_histogram_;
  CancelToken count_cancel_;  // set by whoever asks for a dump while a child counts

  mutable platforms::Mutex mutex_;
  platforms::Condition changed_;
  DumpGate gate_ HF_GUARDED_BY(mutex_);
  DumpRequest running_ HF_GUARDED_BY(mutex_);
  Phase phase_ HF_GUARDED_BY(mutex_) = Phase::kIdle;
  bool closing_ HF_GUARDED_BY(mutex_) = false;
  bool end_expected_ HF_GUARDED_BY(mutex_) = false;
  bool child_is_complete_ HF_GUARDED_BY(mutex_) = false;  // the running dump's: it needs us no more
  bool left_to_child_ HF_GUARDED_BY(mutex_) = false;      // the VM is gone, the child is not
  bool capture_thread_runs_ HF_GUARDED_BY(mutex_) = false;
  Totals totals_ HF_GUARDED_BY(mutex_);
  VmSeen vm_seen_ HF_GUARDED_BY(mutex_);
  Options wanted_options_ HF_GUARDED_BY(mutex_);
  bool listen_anew_ HF_GUARDED_BY(mutex_) = false;
  std::uint32_t cancelled_number_ HF_GUARDED_BY(mutex_) = 0;
  DumpHistory history_of_dumps_ HF_GUARDED_BY(mutex_);
  std::uint32_t watchers_ HF_GUARDED_BY(mutex_) = 0;
  bool histogram_wanted_ HF_GUARDED_BY(mutex_) = false;
  bool counting_ HF_GUARDED_BY(mutex_) = false;
  struct Observer {
    WorkerLoop::Task task = nullptr;
    void* context = nullptr;
  };
  Observer observers_[kMaxObservers];  // written before vm_ready()
  std::size_t observer_count_ = 0;
};

}  // namespace holdfast
