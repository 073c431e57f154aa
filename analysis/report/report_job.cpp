#include "analysis/report/report_job.h"

#include "analysis/accounts/account_findings.h"
#include "analysis/ages/age_findings.h"
#include "analysis/dominator_tree.h"
#include "analysis/report/ranking.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kStepsOfCut = 2;  // the reference, and again as the root's path

// Everything but classes must fit beside a fair number of them, whatever the findings are.
constexpr ReportCounts kAtLimits{
    .options = kMaxReportOptions,
    .passes = kMaxPasses,
    .notes = Notes::kMaxNotes,
    .classes = 0,
    .loaders = kMaxReportLoaders,
    .packages = kMaxReportPackages,
    .threads = kMaxReportThreads,
    .frames = kMaxReportFrames,
    .tree = kMaxReportTree,
    .top_objects = kMaxReportTopObjects,
    .suspects = kMaxReportSuspects,
    .levels = kMaxReportSuspects * kMaxReportLevels,
    .evidence = kMaxReportSuspects * Evidence::kMaxSentences,
    .hidden = kMaxReportHidden,
    .most_references = kMaxReportImportant,
    .most_referrers = kMaxReportImportant,
    .cuts = kMaxReportCuts,
    .paths = kMaxReportTopObjects + kMaxReportSuspects + kMaxWithOthers * kMaxOtherPaths +
             kMaxPlaces + kMaxReportCuts,
    .steps = (kMaxReportTopObjects + kMaxReportSuspects) * kMaxPathSteps +
             (kMaxWithOthers * kMaxOtherPaths + kMaxPlaces) * kMaxOtherSteps +
             kStepsOfCut * kMaxReportCuts,
    .objects = kMaxReportTree + kMaxReportTopObjects + kMaxReportFrames + kMaxReportSuspects + 1 +
               kMaxReportHidden + 2 * kMaxReportImportant + 2 * kMaxReportCuts +
               (kMaxReportTopObjects + kMaxReportSuspects) * kMaxPathSteps +
               (kMaxWithOthers * kMaxOtherPaths + kMaxPlaces) * kMaxOtherSteps,
    .tracked = kMaxReportTracked,
    .states = kHeapStateCount,
    .state_classes = (kHeapStateCount + 1) * kMaxReportStateClasses,
    .state_groups = kHeapStateCount * kMaxReportStateGroups,
    .backlogs = kMaxReportBacklogs,
    .backlog_frames = kMaxReportBacklogs * kMaxReportBacklogFrames};
static_assert(fixed_row_bytes(kAtLimits) + kMaxFixedTextBytes <= kMaxReportFixedBytes);
static_assert(kMaxReportFixedBytes < kMaxReportBytes);

std::size_t cut(std::size_t count, std::size_t limit, std::size_t divisor) noexcept {
  return std::min(count, limit / divisor);
}

void count_suspects(const Findings& findings, ReportCounts& counts) noexcept {
  for (const SuspectResult& suspect : findings.suspects.first(counts.suspects)) {
    counts.levels += std::min<std::size_t>(suspect.levels.size(), kMaxReportLevels);
    counts.evidence += std::min<std::size_t>(suspect.evidence.size(), Evidence::kMaxSentences);
    counts.steps += suspect.path.steps.size();
    counts.paths += suspect.others.size() + (suspect.variable.length != 0 ? 1 : 0);
    counts.steps += suspect.variable.steps.size();
    for (const RootPathResult& path : suspect.others) counts.steps += path.steps.size();
  }
  for (const RootPathResult& path :
       findings.top_paths.first(std::min(counts.top_objects, findings.top_paths.size()))) {
    counts.steps += path.steps.size();
  }
  counts.paths += counts.suspects + counts.top_objects;
}

void count_shape(const Findings& findings, std::size_t divisor, ReportCounts& counts) noexcept {
  const ImportantNodes& nodes = findings.cuts.important;
  counts.hidden = cut(findings.reachable.hidden.size(), kMaxReportHidden, divisor);
  counts.most_references = cut(nodes.most_references.size(), kMaxReportImportant, divisor);
  counts.most_referrers = cut(nodes.most_referrers.size(), kMaxReportImportant, divisor);
  counts.cuts = cut(nodes.cuts.size(), kMaxReportCuts, divisor);
}

std::size_t account_rows(const AccountFindings& found, std::size_t divisor) noexcept {
  return cut(found.accounts.rows.size(), kMostAccounts, divisor) +
         cut(found.pairs.rows.size(), kMostAccountPairs, divisor) +
         cut(found.classes.rows.size(), kMostAccountClasses, divisor) +
         cut(found.methods.rows.size(), kMostAccountMethods, divisor) +
         cut(found.threads.rows.size(), kMostAccountThreads, divisor) +
         cut(found.annotations.rows.size(), kMostAccountAnnotations, divisor);
}

void count_ages(const AgeFindings& found, std::size_t divisor, ReportCounts& counts) noexcept {
  ClassAges total;
  for (const ClassAges& one : found.classes) add(total, one);
  for (const std::uint64_t objects : total.objects) counts.age_ranges += objects != 0 ? 1 : 0;
  counts.aged_classes = cut(found.classes.size(), kMaxReportAged, divisor);
}

void count_holders(const HolderFindings& found, std::size_t divisor,
                   ReportCounts& counts) noexcept {
  counts.holder_classes = cut(found.classes.size(), kMaxReportHolderClasses, divisor);
  for (const ClassHolders& one : found.classes.first(counts.holder_classes))
    counts.holder_places += one.places.size();
  counts.holder_places = cut(counts.holder_places, kMaxReportHolderPlaces, divisor);
}

void count_states(const HeapStateFindings& found, std::size_t divisor,
                  ReportCounts& counts) noexcept {
  if (!found.told) return;
  counts.states = kHeapStateCount;
  for (const HeapStateFigures& one : found.states) {
    counts.state_classes += cut(one.classes.size(), kMaxReportStateClasses, divisor);
    counts.state_groups += cut(one.groups.size(), kMaxReportStateGroups, divisor);
  }
  counts.state_classes += cut(found.unreached.classes.size(), kMaxReportStateClasses, divisor);
  counts.backlogs = cut(found.backlogs.size(), kMaxReportBacklogs, divisor);
  counts.backlog_frames = counts.backlogs * kMaxReportBacklogFrames;
}

void count_aging(const DumpAges* found, std::size_t divisor, ReportCounts& counts) noexcept {
  if (found == nullptr) return;
  counts.aging = true;
  counts.aging_suspects = std::min<std::size_t>(found->verdict.count, kMostAgeSuspects);
  counts.aging_classes = cut(found->sampled.classes.size(), kMaxReportAging, divisor);
}

std::size_t objects_named(const ReportCounts& c) noexcept {
  return c.tree + c.top_objects + c.frames + c.suspects + c.steps + c.hidden + c.most_references +
         c.most_referrers + 2 * c.cuts + 1;
}

}  // namespace

void ReportJob::count(std::size_t divisor) noexcept {
  counts = ReportCounts{};
  counts.options = kMaxReportOptions;
  counts.passes = std::min<std::size_t>(findings.pass_count, kMaxPasses);
  counts.notes = record.notes.all().size();
  classes_total = 0;
  for (std::size_t c = 0; c <= catalog.class_count(); ++c)
    classes_total += worth_listing(class_figures(c)) ? 1 : 0;
  counts.classes = cut(classes_total, kMaxReportClasses, divisor);
  counts.loaders = cut(catalog.loaders.size(), kMaxReportLoaders, divisor);
  counts.packages = cut(findings.packages.size(), kMaxReportPackages, divisor);
  counts.threads = cut(catalog.threads.size(), kMaxReportThreads, divisor);
  counts.frames = cut(snapshot.roots.size(), kMaxReportFrames, divisor);
  counts.tree = cut(findings.tree.size(), kMaxReportTree, divisor);
  counts.top_objects = cut(findings.top_objects.size(), kMaxReportTopObjects, divisor);
  counts.suspects = cut(findings.suspects.size(), kMaxReportSuspects, divisor);
  count_suspects(findings, counts);
  count_shape(findings, divisor, counts);
  counts.objects = std::min<std::size_t>(objects_named(counts), snapshot.object_count());
  counts.tracked = cut(findings.identities.objects.size(), kMaxReportTracked, divisor);
  counts.account_rows = account_rows(findings.accounts, divisor);
  count_ages(findings.ages, divisor, counts);
  count_aging(findings.aging, divisor, counts);
  count_holders(findings.holders, divisor, counts);
  count_states(findings.states, divisor, counts);
  counts.divisor = divisor;
  counts.paths += counts.cuts;
  counts.steps += kStepsOfCut * counts.cuts;
}

Result<void> ReportJob::open(std::size_t divisor) noexcept {
  count(divisor);
  HF_TRY(block, arena.make<std::byte>(report_bound_bytes(counts)));
  HF_TRY(string_list, StringList::make(arena, static_cast<std::uint32_t>(string_bound(counts))));
  HF_TRY(object_list, ObjectList::make(arena, static_cast<std::uint32_t>(counts.objects)));
  HF_TRY(loaders, arena.make_filled<std::uint32_t>(catalog.loaders.size(), kNoRow));
  HF_TRY(threads, arena.make_filled<std::uint32_t>(catalog.threads.size(), kNoRow));
  block_ = block;
  strings = string_list;
  strings.set_limit(kMaxFixedTextBytes / divisor);
  objects = object_list;
  loader_rows = loaders;
  thread_rows = threads;
  builder_.reset();
  allocator_.emplace(block_);
  builder_.emplace(block_.size(), &*allocator_);
  builder_->Align(sizeof(
      std::uint64_t));  // the payload's size becomes a multiple of 8, so its start stays aligned
  open_list_bytes_ = 0;
  return index_mirrors();
}

Result<void> ReportJob::index_mirrors() noexcept {
  HF_TRY(ids, arena.make<std::uint32_t>(catalog.classes.size()));
  std::size_t size = 0;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    if (catalog.classes[c].mirror.valid()) ids[size++] = c;
  }
  class_by_mirror_ = ids.first(size);
  std::sort(class_by_mirror_.begin(), class_by_mirror_.end(),
            [this](std::uint32_t a, std::uint32_t b) {
              return catalog.classes[a].mirror < catalog.classes[b].mirror;
            });
  return {};
}

ClassId ReportJob::class_behind(ObjectId class_object) const noexcept {
  const auto at = std::lower_bound(
      class_by_mirror_.begin(), class_by_mirror_.end(), class_object,
      [this](std::uint32_t c, ObjectId mirror) { return catalog.classes[c].mirror < mirror; });
  if (at == class_by_mirror_.end() || catalog.classes[*at].mirror != class_object) return {};
  return ClassId{*at};
}

std::uint32_t ReportJob::class_name(ClassId id) noexcept { return text(catalog.class_name(id)); }

std::uint32_t ReportJob::loader_of(ClassId id) const noexcept {
  if (!id.valid()) return kNoRow;
  const LoaderId loader = catalog.classes[id.value].loader;
  return loader.value < loader_rows.size() ? loader_rows[loader.value] : kNoRow;
}

std::uint32_t ReportJob::thread_row_of(ThreadId id) const noexcept {
  return id.value < thread_rows.size() ? thread_rows[id.value] : kNoRow;
}

// The names of a new object's row are interned at once, so that pending_bytes() knows about them.
std::uint32_t ReportJob::object(ObjectId id) noexcept {
  if (!id.valid()) return kNoRow;
  const ObjectList::Added added = objects.add(id);
  if (added.fresh) {
    class_name(class_of(id));
    if (const ClassId behind = class_behind(id); behind.valid()) class_name(behind);
  }
  return added.row;
}

std::uint64_t ReportJob::retained_bytes(ObjectId id) const noexcept {
  const auto& retained = findings.dominators.retained_bytes;
  return id.value < retained.size() ? retained[id.value] : 0;
}

std::uint64_t ReportJob::retained_bytes(const RootRecord& root) const noexcept {
  const Dominators& d = findings.dominators;
  const bool holds = d.position.empty() || root_counts(snapshot, d, root);
  return holds ? retained_bytes(root.object) : 0;
}

ReachableFigure ReportJob::reachable(ObjectId id) const noexcept {
  const auto& listed = findings.reachable.objects;
  const auto at = std::lower_bound(
      listed.begin(), listed.end(), id,
      [](const ReachableFigure& row, ObjectId wanted) { return row.object < wanted; });
  return at != listed.end() && at->object == id ? *at : ReachableFigure{};
}

TrackedObject ReportJob::identity(ObjectId id) const noexcept {
  const std::span<const TrackedObject> all = findings.identities.objects;
  const auto at = std::lower_bound(
      all.begin(), all.end(), id,
      [](const TrackedObject& row, ObjectId wanted) { return row.object.value < wanted.value; });
  if (at == all.end() || at->object != id) return {};
  TrackedObject found = *at;
  if (found.first_sequence != 0) return found;
  found.first_sequence = record.sequence;
  found.first_utc_ms = record.started_utc_ms;
  return found;
}

ClassReach ReportJob::class_reach(std::size_t index) const noexcept {
  const auto& classes = findings.reachable.classes;
  return index < classes.size() ? classes[index] : ClassReach{};
}

ClassFigures ReportJob::class_figures(std::size_t index) const noexcept {
  if (index < findings.classes.size()) return findings.classes[index];
  ClassFigures figures;
  if (!capture.has_graph && index < capture.histogram.size()) {
    figures.instances = capture.histogram[index].instances;
    figures.shallow_bytes = capture.histogram[index].shallow_bytes;
  }
  return figures;
}

Result<Offset<IndexList>> write_indices(ReportJob& job,
                                        std::span<const std::uint32_t> indices) noexcept {
  if (!job.room(indices.size_bytes() + kListBytes)) {
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(indices.size_bytes()));
  }
  return job.builder().CreateVector(indices.data(), indices.size());
}

}  // namespace holdfast::analysis
