#include "clrprofiler/adapter.h"

#include "clrprofiler/accounts/account_options.h"
#include "clrprofiler/ages/age_options.h"
#include "clrprofiler/event_mask.h"
#include "clrprofiler/extended_dump.h"
#include "clrprofiler/runtime_facts.h"
#include "clrprofiler/settled_contexts.h"
#include "clrprofiler/simple_dump.h"
#include "common/log.h"
#include "platforms/module.h"
#include "platforms/process.h"

namespace holdfast::clr {

namespace {

constexpr char kEachIsACollection[] =
    "each simple dump is a blocking collection of the whole heap before .NET 9";
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr double kNsOfMs = 1e6;
constexpr std::uint64_t kBackgroundPatienceNs = 10'000'000'000;
// Seen beside collections in the background: up to six walks for one.
constexpr std::uint64_t kWalksBesideBackground = 6;

void explain(const Error& error, bool begun, Notes& notes) noexcept {
  const auto detail = static_cast<unsigned long long>(error.detail);
  const std::string_view why = error_text(error.code);
  switch (error.code) {
    case ErrorCode::kVm:
      return notes.add("no object graph: the runtime refused it (0x%llx)", detail);
    case ErrorCode::kDeadline:
      return notes.add("no object graph: the collection did not %s within %lld s",
                       begun ? "end" : "come", static_cast<long long>(error.detail / kNsPerSecond));
    case ErrorCode::kRefused:
      if (error.detail != 0) return;  // it was said why
      return notes.add("no object graph: the runtime told nothing of its heap");
    case ErrorCode::kTooMany:
      return notes.add(
          "no object graph: load contexts come and go all the time, and the runtime crashes if it "
          "is asked for its heap meanwhile");
    case ErrorCode::kInconsistent:
      return notes.add("no object graph: types were unloaded before their names were known");
    default:
      return notes.add("no object graph: %.*s (detail %llu)", static_cast<int>(why.size()),
                       why.data(), detail);
  }
}

}  // namespace

Result<void> ClrAdapter::open(IUnknown& runtime, Options& options) noexcept {
  hears_collections_.store(wants_collections(options), std::memory_order_relaxed);
  collections_.begin_hearing(platforms::utc_ms());
  HF_CHECK_OK(info_.open(runtime));
  if (!info_.has(Needs::kModuleLists))  // .NET Framework 2 to 3.5
    return make_error(ErrorCode::kUnsupported, info_.version());
  fit_accounts(info_, options);
  fit_ages(info_, options);
  ages_ = options.ages != AgesChoice::kOff;
  options_ = options;
  warn_of_period(options);
  facts_ = read_runtime_facts(info_);
  collections_.set_limit(heap_limit_bytes());
  return {};
}

// From the table in docs/decisions/064-clr-dump-cost.md. Before .NET 9 counting is a walk, too.
CaptureCosts ClrAdapter::costs() const noexcept {
  constexpr std::uint64_t kEventsNs = 120, kCallsNs = 200, kCensusNs = 25;
  constexpr std::uint64_t kCollectionNs = 5'000'000, kSuspensionNs = 500'000;
  const std::uint64_t walk_ns = info_.tells_heap_by_calls() ? kCallsNs : kEventsNs;
  CaptureCosts costs;
  costs.bytes_per_object = estimate_.bytes_per_object != 0 ? estimate_.bytes_per_object : 40;
  costs.references_per_object = 2;
  costs.walk_ns_per_object = walk_ns;
  costs.histogram_ns_per_object = info_.has(Needs::kHeapObjects) ? kCensusNs : walk_ns;
  costs.object_bytes_are_measured = estimate_.bytes_per_object != 0;
  costs.walk_base_ns = kCollectionNs;
  costs.histogram_base_ns = info_.has(Needs::kHeapObjects) ? kSuspensionNs : kCollectionNs;
  costs.vm_tag_bytes_per_object = 0;
  costs.ages_by_frozen_alone = false;
  return costs;
}

const char* ClrAdapter::trigger_state(Trigger trigger, const Options& options) const noexcept {
  if (trigger == Trigger::kPeriodic && !info_.has(Needs::kHeapObjects)) return kEachIsACollection;
  if (trigger == Trigger::kSignal) return "no signal reaches a CLR; holdfast dump asks for one";
  if (trigger == Trigger::kExit)
    return info_.has(Needs::kHeapObjects)
               ? "waits for the end; by then a graph comes from a frozen capture alone"
               : "cannot work: before .NET 9 the runtime tells nothing by then";
  if (trigger != Trigger::kOom) return nullptr;
  if (wants_exceptions(options)) return "waits for an OutOfMemoryException";
  return "hears no exceptions unless on=oom is said: it makes each throw a little dearer";
}

void ClrAdapter::warn_of_period(const Options& options) const noexcept {
  if (options.every_ns != 0 && !info_.has(Needs::kHeapObjects))
    log_line(LogLevel::kError, "every=: %s", kEachIsACollection);
}

// Figures of a time when they were told would be stale.
CollectionFigures ClrAdapter::collections() noexcept {
  return hears_collections() ? collections_.figures() : CollectionFigures{};
}

CollectionFigures ClrAdapter::collections_once_told() noexcept {
  if (!info_.has(Needs::kCollections)) return {};
  return collections_.figures_once_told();
}

const char* ClrAdapter::missing_for(Trigger trigger) const noexcept {
  if (!info_.has(Needs::kCollections)) return "this runtime does not tell its collections";
  if (trigger != Trigger::kHeapAbove) return nullptr;
  return "nothing but the machine's memory bounds this heap; it takes DOTNET_GCHeapHardLimit, "
         "DOTNET_GCHeapHardLimitPercent or a container with a memory limit";
}

// An older runtime does not tell collections alone, whoever watches.
Result<void> ClrAdapter::listen(const Options& wanted) noexcept {
  Options options = wanted;
  options.watched = wanted.watched && info_.has(Needs::kCollections);
  if (wants_collections(options) && !wants_collections(options_))
    collections_.begin_hearing(platforms::utc_ms());
  if (options.every_ns != options_.every_ns) warn_of_period(options);
  options_ = options;
  hears_collections_.store(wants_collections(options), std::memory_order_relaxed);
  return apply(info_, mask_at_rest(options));
}

void ClrAdapter::module_loaded(ModuleID id) noexcept {
  gate_.note_load();
  if (gate_.loads_closed() && is_collectible_module(info_, id)) gate_.pass_load();
}

// -- accounts --

Result<void> ClrAdapter::reserve_accounts(AccountBook& book, Ledger& ledger) noexcept {
  book_ = &book;
  return accounts_.reserve(ledger);
}

// Starting a session has the runtime run code of its own, which takes tens of milliseconds the first time.
Result<void> ClrAdapter::attach_capture_thread() noexcept {
  if (has_age_table_) begin_ages();  // first: collections count from here on
  if (book_ != nullptr) begin_accounts();
  return {};
}

void ClrAdapter::begin_accounts() noexcept {
  if (const Result<void> begun = accounts_.begin(info_, *book_, ages_); !begun)
    log_line(LogLevel::kError, "accounts=, ages=: nothing is sampled: %.*s (0x%llx)",
             static_cast<int>(error_text(begun.error().code).size()),
             error_text(begun.error().code).data(),
             static_cast<unsigned long long>(begun.error().detail));
}

// -- ages --

void ClrAdapter::reserve_ages(Ledger& ledger) noexcept {
  if (!ages_) return;
  const Result<void> reserved = age_session_.reserve(ledger);
  has_age_table_ = reserved.ok();
  if (has_age_table_) return;
  log_line(LogLevel::kError,
           "ages=: an eighth of memory= has no room for the ages of all objects, %zu MB at least: "
           "dumps do not tell them",
           AgeRanges::bytes_for(AgeSession::kLeastRanges) >> 20);
}

void ClrAdapter::begin_ages() noexcept {
  const Result<void> begun = age_session_.begin(info_);
  if (begun) return;
  log_line(LogLevel::kError, "ages=: no object has one: %.*s (0x%llx)",
           static_cast<int>(error_text(begun.error().code).size()),
           error_text(begun.error().code).data(),
           static_cast<unsigned long long>(begun.error().detail));
}

AgeRecorder* ClrAdapter::ages_for(const CapturePlan& plan, Notes& notes) noexcept {
  if (!plan.ages || !age_session_.running()) return nullptr;
  const AgeRanges& ranges = age_session_.recorder().ranges();
  const AgeLosses losses = ranges.losses();
  log_line(LogLevel::kDebug,
           "ages: %zu ranges, %llu forgotten, coarsened %llu times, begun anew %llu", ranges.size(),
           static_cast<unsigned long long>(losses.forgotten),
           static_cast<unsigned long long>(losses.coarsened),
           static_cast<unsigned long long>(losses.restarts));
  if (losses.forgotten != 0)
    notes.add("ages: %llu ranges found no room since the start, what lies there looks young",
              static_cast<unsigned long long>(losses.forgotten));
  if (losses.coarsened != 0)
    notes.add("ages: the table was too large, and ages were rounded down %llu times",
              static_cast<unsigned long long>(losses.coarsened));
  return &age_session_.recorder();
}

std::uint64_t ClrAdapter::collection_count() noexcept {
  return ages_ ? accounts_.collections() : VmAdapter::collection_count();
}

std::uint64_t ClrAdapter::tell_accounts(AccountBook&, std::uint64_t, Notes&) noexcept {
  accounts_.settle();
  return 0;
}

void ClrAdapter::module_unloads() noexcept {
  accounts_.pass_unload();
  gate_.pass_unload();
}

void ClrAdapter::leave_runtime() noexcept {
  age_session_.end();
  accounts_.end();
  collection_.close();
}

// -- dumps --

// Read of the collector's own segments. Where those cannot be followed, the process' own memory is what the heap holds at
// most; once a dump has counted, it holds about that and by how much the process has grown since.
Result<HeapFigures> ClrAdapter::heap_figures() noexcept {
  HeapFigures figures;
  const std::uint64_t resident = platforms::resident_bytes();
  if (resident != platforms::kUnknownBytes) {
    figures.used_bytes = figures.committed_bytes = resident;
    const std::uint64_t grown = resident > resident_then_ ? resident - resident_then_ : 0;
    if (counted_bytes_ != 0) figures.used_bytes = counted_bytes_ + grown;
  }
  if (hears_collections() && collections_.used_bytes() != kUnknownCount) {
    figures.used_bytes = collections_.used_bytes();
    figures.committed_bytes = collections_.committed_bytes();
  }
  if (estimate_heap_size()) {
    figures.used_bytes = estimate_.used_bytes;
    figures.committed_bytes = estimate_.committed_bytes;
  }
  const std::uint64_t limit = collections_.limit_bytes();
  if (limit != kUnknownCount) figures.max_bytes = limit;
  return figures;
}

// The collector may not have started, when the agent is young: asked until it has.
bool ClrAdapter::estimate_heap_size() noexcept {
  if (gc_tables_.generation_bytes == 0 &&
      read_gc_tables(platforms::loaded_symbol("libcoreclr.so", "g_dacTable"), gc_tables_) !=
          nullptr)
    gc_tables_ = GcTables{};
  const std::optional<HeapEstimate> estimate = estimate_heap(gc_tables_);
  if (!estimate) return false;
  estimate_ = *estimate;
  log_line(LogLevel::kDebug, "the heap holds about %llu bytes, %llu an object",
           static_cast<unsigned long long>(estimate_.used_bytes),
           static_cast<unsigned long long>(estimate_.bytes_per_object));
  return true;
}

void ClrAdapter::remember(const Capture& capture) noexcept {
  const std::uint64_t resident = platforms::resident_bytes();
  if (resident == platforms::kUnknownBytes) return;
  counted_bytes_ = capture.heap_after.used_bytes;
  resident_then_ = resident;
}

// Beside one each collection in the foreground walks the heap for us, with a pause of its own.
Result<void> ClrAdapter::await_background(const CapturePlan& plan, Notes& notes) noexcept {
  if (frozen_.background().ended_within(kBackgroundPatienceNs)) return {};
  const unsigned long long seconds = kBackgroundPatienceNs / kNsPerSecond;
  if (plan.predicted_pause_ns > plan.pause_limit_ns / kWalksBesideBackground) {
    notes.add(
        "no object graph: a collection in the background has gone on for %llu s, and beside it the "
        "heap would be walked up to %llu times, longer than pause= allows",
        seconds, static_cast<unsigned long long>(kWalksBesideBackground));
    return make_error(ErrorCode::kRefused, kReasonWasGiven);
  }
  notes.add(
      "a collection in the background had gone on for %llu s: while it went on, the heap was "
      "walked in every other collection, too",
      seconds);
  return {};
}

// Where the heap is told by calls, no static variables are read, and nothing has to be settled.
Result<void> ClrAdapter::settle(SettledContexts& contexts, Arena& arena, Notes& notes) noexcept {
  if (info_.tells_heap_by_calls()) return {};
  HF_CHECK_OK(contexts.settle(arena));
  if (const std::uint32_t collections = contexts.collections(); collections != 0)
    notes.add(
        "%u collections came first, each with a pause of its own: load contexts that can be "
        "unloaded are in use, and none may be half gone",
        collections);
  return {};
}

Result<void> ClrAdapter::take_graph(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                    Notes& notes) noexcept {
  HF_CHECK_OK(await_background(plan, notes));
  const OwnCollection own(collections_);
  const ArenaScope held(memory.work_arena());
  SettledContexts contexts(info_, collection_, gate_);
  HF_CHECK_OK(settle(contexts, memory.work_arena(), notes));
  const DumpTools tools{
      info_, options_, gate_, collection_, session_, contexts, ages_for(plan, notes)};
  return take_extended_dump(tools, plan, memory, out, notes);
}

Result<void> ClrAdapter::take_dump(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                   Notes& notes) noexcept {
  if (plan.rung == CaptureRung::kHistogram && info_.has(Needs::kHeapObjects))
    return take_simple_dump({info_, gate_, ages_for(plan, notes)}, memory, out, notes);
  const Result<void> taken = take_graph(plan, memory, out, notes);
  if (taken) return taken;
  explain(taken.error(), collection_.begun(), notes);
  // What a collection waits for, a suspension would wait for, too.
  if (collection_.stuck()) return make_error(ErrorCode::kRefused);
  if (!info_.has(Needs::kHeapObjects))
    return taken.error().code == ErrorCode::kTooMany ? make_error(ErrorCode::kRefused)
                                                     : taken.error();
  // A session or a collection that is refused (the runtime ends, somebody has all sessions): the heap can be counted all the same.
  for (std::size_t i = 0; i < CaptureMemory::kColumnCount; ++i) memory.shrink_column(i, 0);
  memory.settle();
  out.snapshot = Snapshot{};
  return take_simple_dump({info_, gate_, ages_for(plan, notes)}, memory, out, notes);
}

Result<void> ClrAdapter::freeze(const CapturePlan& plan, CaptureMemory& memory,
                                const FrozenWork& work, FrozenChild& out, Notes& notes) noexcept {
  // What a collection waits for, a suspension would wait for, too.
  if (collection_.stuck()) return make_error(ErrorCode::kDeadline);
  HF_TRY(before, heap_figures());
  out.heap_before = out.pause.heap_after = before;
  HF_CHECK_OK(apply(info_, mask_during_dump(info_, options_)));
  const Result<void> frozen =
      frozen_.freeze({info_, gate_, ages_for(plan, notes)}, plan, memory, work, out, notes);
  // Where there is a child, its dump goes on whatever the runtime says to this.
  const Result<void> rested = apply(info_, mask_at_rest(options_));
  return frozen && out.process == 0 ? rested : frozen;
}

void ClrAdapter::open_frozen(CaptureMemory& memory, const FrozenWork& work) noexcept {
  if (!frozen_.read_format(info_)) return;
  if (!apply(info_, mask_during_dump(info_, options_)))
    return frozen_.forbid("the runtime does not tell of its stacks");
  frozen_.prove(info_, memory, work);
  if (!apply(info_, mask_at_rest(options_)))
    log_line(LogLevel::kError, "the runtime keeps telling what only dumps need");
}

Result<void> ClrAdapter::capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                 Notes& notes) noexcept {
  if (collection_.stuck()) {
    notes.add("the collection of an earlier dump has not come, or is not over yet");
    return make_error(ErrorCode::kRefused);
  }
  HF_TRY(before, heap_figures());
  out.heap_before = out.heap_after = before;
  HF_CHECK_OK(apply(info_, mask_during_dump(info_, options_)));
  const Result<void> taken = take_dump(plan, memory, out, notes);
  HF_CHECK_OK(apply(info_, mask_at_rest(options_)));
  HF_CHECK_OK(taken);
  if (out.stops > 1)
    notes.add(
        "the application was stopped %u times, %.1f ms together; the pause is the longest of them",
        out.stops, static_cast<double>(out.stopped_ns) / kNsOfMs);
  remember(out);
  return {};
}

}  // namespace holdfast::clr
