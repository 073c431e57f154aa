// The passes of one dump, from top to bottom. Behind each stands the invariant that it leaves for the next ones.
#include "analysis/passes.h"

#include <algorithm>

#include "analysis/accounts/account_findings.h"
#include "analysis/ages/age_findings.h"
#include "analysis/class_figures.h"
#include "analysis/cuts/cut_findings.h"
#include "analysis/dominators.h"
#include "analysis/holders/class_holders.h"
#include "analysis/identities.h"
#include "analysis/packages.h"
#include "analysis/reachability.h"
#include "analysis/reachable/reachable_findings.h"
#include "analysis/report/writer.h"
#include "analysis/root_figures.h"
#include "analysis/root_paths.h"
#include "analysis/states/heap_states.h"
#include "analysis/suspects.h"
#include "analysis/top_objects.h"
#include "analysis/upper_tree.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

bool heap_is_full(const AnalysisInput& input) noexcept {
  const HeapFigures& heap = input.capture.heap_before;
  const bool nearly = heap.max_bytes != 0 && heap.used_bytes >= heap.max_bytes / 4 * 3;
  return nearly || input.record.request.trigger == Trigger::kOom;
}

// Passes serve analyses (AnalysisBits). Whatever is wanted, the classes' own figures are.
constexpr std::uint32_t kAnalyseClasses = 1u << 31;
constexpr std::uint32_t kServesAll = kAnalyseClasses | kAnalyseAll;
constexpr std::uint32_t kServesDominated =
    kAnalyseRetained | kAnalyseSuspects | kAnalyseObjects | kAnalyseTree | kAnalyseThreads |
    kAnalyseLoaders | kAnalysePackages | kAnalyseStatistics | kAnalyseReachable | kAnalyseCuts;
constexpr std::uint32_t kServesReached = kAnalyseSuspects | kAnalyseObjects;
constexpr std::uint32_t kServesCondensed = kAnalyseReachable | kAnalyseCuts;
constexpr std::uint32_t kServesOptional = kServesCondensed | kAnalyseHolders;

// The hardest graphs of so many objects take half a second for the optional passes; a graph whose basic passes took so long is analysed
// beside others that want the cores, whatever its size.
constexpr std::uint32_t kFewObjects = 50'000;
constexpr std::uint64_t kShortBasicNs = 100'000'000;

// The condensation, behind room for what is found on it: that stays, the condensation goes.
struct Condensed {
  ReachableRoom reachable;
  CutRoom cuts;
  Arena::Mark end_of_room = 0;
  Condensation condensation;
};

Result<Condensed> condense_behind_room(const CountedReferences& references, StrengthSet holding,
                                       const ReachableQuestion& question, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  Condensed made;
  HF_TRY(reachable, ReachableRoom::make(question, arena));
  HF_TRY(cuts, CutRoom::make(ImportantNodesLimits{}, arena));
  made.reachable = reachable;
  made.cuts = cuts;
  made.end_of_room = arena.mark();
  HF_TRY(condensation, condense(references, {holding, false}, arena, cancel));
  made.condensation = condensation;
  return made;
}

// More than was needed so far, it may only take where the system has it to spare: a dump that runs into its end is lost, and the
// application may be, too. (memory= bounds everything besides.)
std::uint64_t bytes_to_spare(const AnalysisInput& input) noexcept {
  const std::uint64_t most =
      std::max(input.ledger.peak_bytes(), input.record.plan.system_room_bytes);
  return most - std::min(most, input.ledger.total_bytes());
}

// Figures alone where no state but the strong one matters.
void analyse_states(AnalysisInput& input, PassRunner& run, const CountedReferences& references,
                    bool reached, Findings& f) noexcept {
  const HeapStateQuestion question{references, f.reachability, f.dominators,
                                   holding_strengths(input.options.retain),
                                   &input.capture.unreached};
  const ArenaCap cap(input.arena, bytes_to_spare(input));
  // -> the states' figures add up to the graph
  if (!run.run(kServesReached, "heap states", reached, f.states, [&] {
        return find_heap_states(question, HeapStateLimits{}, input.arena, input.cancel);
      }))
    return;
  const auto ranked = with_waiting(f.suspects, f.states, references, f.reachability, input.arena);
  if (ranked) f.suspects = *ranked;
}

// Of references alone, so it needs no dominators: they only say at once who is held.
void analyse_holders(AnalysisInput& input, PassRunner& run, bool classes, Findings& f,
                     const CancelToken& deadline) noexcept {
  const StrengthSet holding = holding_strengths(input.options.retain);
  const HolderQuestion question{
      input.capture.snapshot, f.dominators, f.reachability, holding, f.classes, f.suspects};
  const ArenaCap cap(input.arena, bytes_to_spare(input));
  // -> of each class told, references == those of its places + the unplaced ones
  run.run(kAnalyseHolders, "holders", classes, f.holders,
          [&] { return find_holders(question, HolderLimits{}, input.arena, deadline); });
}

void analyse_condensation(AnalysisInput& input, PassRunner& run,
                          const CountedReferences& references, bool dominated, Findings& f,
                          AnalysisClock& clock, const CancelToken& cancel) noexcept {
  Arena& arena = input.arena;
  const StrengthSet holding = holding_strengths(input.options.retain);
  const ReachableQuestion question{input.capture.snapshot, f.dominators, f.top_objects, f.suspects};
  const ArenaCap cap(arena, bytes_to_spare(input));
  // -> every object of the graph is in one node; references go to lower numbers
  Condensed made;
  const bool condensed = run.run(kServesCondensed, "condensation", dominated, made, [&] {
    return condense_behind_room(references, holding, question, arena, cancel);
  });
  // -> the differences count every held object
  ReachableLimits limits;
  limits.expect = [](void* context, std::uint64_t ns) noexcept {
    static_cast<AnalysisClock*>(context)->reachable_takes(ns);
  };
  limits.expect_context = &clock;
  run.run(kAnalyseReachable, "reachable sizes", condensed, f.reachable, [&] {
    return find_reachable(question, made.condensation, limits, made.reachable, arena, cancel);
  });
  // -> falling freed size; no cut is another one's continuation
  run.run(kAnalyseCuts, "cuts", condensed, f.cuts, [&] {
    return find_cuts(references, holding, f.dominators, made.condensation, made.cuts, arena,
                     cancel);
  });
  if (condensed) arena.rewind(made.end_of_room);
}

void analyse_graph(AnalysisInput& input, PassRunner& run, Findings& f, BasicPasses& left) noexcept {
  const Snapshot& s = input.capture.snapshot;
  const CancelToken& cancel = input.cancel;
  Arena& arena = input.arena;
  const StrengthSet holding = holding_strengths(input.options.retain);

  // -> every reference has a strength, the implied ones included
  CountedReferences& references = left.references;
  const bool counted = run.run(kServesAll, "count references", true, references,
                               [&] { return CountedReferences::make(s, arena, cancel); });
  // The largest scratch first, while little else is there.
  // -> retained[v] == shallow[v] + the sum over v's children; the root's children sum up to the held bytes
  const bool dominated = run.run(kServesDominated, "dominators", counted, f.dominators, [&] {
    return compute_dominators(references, holding, arena, cancel);
  });
  // -> each object's strength, and a parent on a shortest path over the strongest references
  const bool reached =
      run.run(dominated ? kServesReached : kServesAll, "reachability", counted, f.reachability,
              [&] { return find_reachability(references, arena, cancel); });
  // -> the classes' instances sum up to the held objects
  const bool classes = run.run(kServesAll, "classes", dominated || reached, f.classes, [&] {
    return dominated ? class_figures(s, f.dominators, arena, cancel, input.class_objects_count)
                     : class_counts(s, f.reachability, holding, arena, cancel);
  });
  // -> the classes' objects sum up to all objects
  if (!s.ages.empty())
    run.run(kServesAll, "ages", true, f.ages, [&] { return find_ages(s, arena, cancel); });
  run.run(kAnalyseLoaders, "loaders", classes, f.loaders,
          [&] { return loader_figures(s, f.dominators, f.classes, arena, cancel); });
  run.run(kAnalysePackages, "packages", classes, f.packages,
          [&] { return package_figures(s, f.dominators, f.classes, arena, cancel); });
  run.run(kAnalyseThreads, "threads", dominated, f.threads,
          [&] { return thread_figures(s, f.dominators, arena); });
  run.run(kAnalyseStatistics, "statistics", true, f.statistics,
          [&] { return graph_statistics(s, f.dominators, arena, cancel); });
  // -> each node: retained == shallow + nodes + groups + rest
  run.run(kAnalyseTree, "upper dominator tree", dominated, f.tree,
          [&] { return upper_tree(s, f.dominators, TreeLimits{}, arena, cancel); });
  // -> falling retained size
  const bool top = run.run(kAnalyseObjects, "top objects", dominated, f.top_objects, [&] {
    return top_objects(f.dominators, kMaxReportTopObjects, arena, cancel);
  });
  run.run(kAnalyseObjects, "root paths", top && reached, f.top_paths,
          [&] { return root_paths(references, f.reachability, f.top_objects, arena); });
  // -> falling retained size times confidence; no byte in two suspects
  run.run(kAnalyseSuspects, "suspects", dominated && reached, f.suspects, [&] {
    SuspectInput suspects{references, f.reachability, f.dominators, f.classes,
                          f.aging != nullptr ? &f.aging->verdict : nullptr};
    suspects.heap_is_full = heap_is_full(input);
    return find_suspects(suspects, arena, cancel);
  });
  analyse_states(input, run, references, reached, f);
  // -> each object that is named has one number
  if (input.capture.tracking.told)
    run.run(kAnalyseObjects | kAnalyseSuspects, "identities", true, f.identities, [&] {
      return find_identities(input.capture.tracking, f.top_paths, f.suspects, arena);
    });
  left.dominated = dominated;
  left.classes = classes;
}

void analyse_histogram(AnalysisInput& input, PassRunner& run, Findings& f) noexcept {
  const Snapshot& s = input.capture.snapshot;
  const bool classes = run.run(kServesAll, "classes", true, f.classes, [&] {
    return class_figures_of(input.capture.histogram, input.arena);
  });
  f.ages = {input.capture.age_source, input.capture.class_ages};
  run.run(kAnalyseLoaders, "loaders", classes, f.loaders,
          [&] { return loader_figures(s, f.dominators, f.classes, input.arena, input.cancel); });
  run.run(kAnalysePackages, "packages", classes, f.packages,
          [&] { return package_figures(s, f.dominators, f.classes, input.arena, input.cancel); });
}

// Whatever became of the classes: without their counts nothing is calibrated, and the accounts are told all the same.
void analyse_accounts(AnalysisInput& input, PassRunner& run, Findings& f) noexcept {
  // -> accounts and pairs sum up to all rows; of a class no more is given to accounts than was counted
  run.run(kServesAll, "accounts", true, f.accounts, [&] {
    return find_accounts(*input.accounts, input.capture.snapshot.catalog, f.classes, input.arena,
                         input.cancel);
  });
}

}  // namespace

Passes::Passes(AnalysisInput& input, Findings& findings) noexcept
    : input_(input),
      findings_(findings),
      run_(input.options.analyses | kAnalyseClasses, input.arena, findings),
      clock_(input, input.options.analyses) {
  findings.aging = input.ages;
}

Result<void> Passes::run_basic() noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  clock_.begin(is_report_due(), optional_wall_ns());
  if (input_.capture.has_graph)
    analyse_graph(input_, run_, findings_, basic_);
  else
    analyse_histogram(input_, run_, findings_);
  if (input_.accounts != nullptr) analyse_accounts(input_, run_, findings_);
  basic_.passes = findings_.pass_count;
  basic_.wall_ns = platforms::monotonic_ns() - began;
  clock_.basic_done();
  if (run_.cancelled()) return make_error(ErrorCode::kCancelled);
  return {};
}

bool Passes::wants_optional() const noexcept {
  return input_.capture.has_graph && run_.wants(kServesOptional);
}

bool Passes::is_report_due() const noexcept {
  return wants_optional() &&
         (input_.capture.snapshot.object_count() > kFewObjects || basic_.wall_ns > kShortBasicNs);
}

void Passes::list_missing() noexcept {
  run_.list_as_missing(kAnalyseHolders, "holders");
  run_.list_as_missing(kAnalyseReachable, "reachable sizes");
  run_.list_as_missing(kAnalyseCuts, "cuts");
}

// A VM that ends waits for its report no longer than exit-wait=.
std::uint64_t Passes::optional_wall_ns() const noexcept {
  if (input_.capture.rung == CaptureRung::kImported)
    return std::max(kOptionalWallNs, basic_.wall_ns);
  const Trigger trigger = input_.record.request.trigger;
  const bool may_be_ending = trigger == Trigger::kExit || trigger == Trigger::kOom;
  return may_be_ending ? std::min(kOptionalWallNs, input_.options.exit_wait_ns / 4)
                       : kOptionalWallNs;
}

Result<void> Passes::run_optional() noexcept {
  findings_.pass_count = basic_.passes;
  if (wants_optional()) {
    const std::uint64_t wall_ns = optional_wall_ns();
    run_.set_time_for_optional(wall_ns, input_.arena);
    const CancelToken deadline(input_.cancel, platforms::monotonic_ns() + wall_ns);
    analyse_holders(input_, run_, basic_.classes, findings_, deadline);
    analyse_condensation(input_, run_, basic_.references, basic_.dominated, findings_, clock_,
                         deadline);
  }
  if (run_.cancelled()) return make_error(ErrorCode::kCancelled);
  return {};
}

Result<void> run_passes(AnalysisInput& input, Findings& findings) noexcept {
  Passes passes(input, findings);
  HF_CHECK_OK(passes.run_basic());
  return passes.run_optional();
}

}  // namespace holdfast::analysis
