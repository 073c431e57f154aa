// What the passes found about the graph: statistics, the upper dominator tree, top objects with their paths, suspects.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

std::uint32_t share_per_mille(const ReportJob& job, std::uint64_t bytes) noexcept {
  const std::uint64_t held = job.findings.dominators.held_bytes;
  if (held == 0) return 0;
  const double share =
      1000.0 * static_cast<double>(std::min(bytes, held)) / static_cast<double>(held);
  return static_cast<std::uint32_t>(share + 0.5);
}

// What waits for a finalizer need not be held, so its share is of all that the graph has.
std::uint32_t share_of_suspect(const ReportJob& job, const SuspectResult& suspect) noexcept {
  if (!suspect.waits_for_finalizer) return share_per_mille(job, suspect.retained_bytes);
  std::uint64_t all = 0;
  for (const HeapStateFigures& one : job.findings.states.states) all += one.shallow_bytes;
  if (all == 0) return 0;
  const double share = 1000.0 * static_cast<double>(std::min(suspect.retained_bytes, all)) /
                       static_cast<double>(all);
  return static_cast<std::uint32_t>(share + 0.5);
}

bool is_platform(const ReportJob& job, ClassId id) noexcept {
  return id.valid() && (job.catalog.classes[id.value].flags & kClassPlatform) != 0;
}

Result<Offset<RowList<report::GroupLevel>>> write_levels(
    ReportJob& job, std::span<const GroupLevelResult> levels) noexcept {
  const std::size_t count = std::min<std::size_t>(levels.size(), kMaxReportLevels);
  return write_rows<report::GroupLevel>(
      job, count, kGroupLevelBytes, [&job, levels](std::size_t i) {
        const GroupLevelResult& level = levels[i];
        return report::CreateGroupLevel(job.builder(), job.class_name(level.class_id),
                                        level.instances, level.shallow_bytes, level.retained_bytes,
                                        is_platform(job, level.class_id));
      });
}

PathHolder holder_of(ReportJob& job, const SuspectResult& suspect) noexcept {
  const PathHolder holder = path_holder(job, suspect.path);
  // A static field without a known class keeps its name, and does not get that of what it holds.
  if (holder.class_name != 0 || holder.field != 0 || !suspect.holder.valid()) return holder;
  return {job.class_name(job.class_of(suspect.holder)), 0};
}

Result<Offset<report::Suspect>> write_suspect(ReportJob& job,
                                              const SuspectResult& suspect) noexcept {
  HF_TRY(levels, write_levels(job, suspect.levels));
  HF_TRY(path, write_path(job, suspect.path));
  HF_TRY(others, write_rows<report::RootPath>(
                     job, suspect.others.size(), kRootPathBytes + kListBytes,
                     [&](std::size_t i) { return write_path(job, suspect.others[i]); }));
  Offset<report::RootPath> variable = 0;
  if (suspect.variable.length != 0) {
    HF_TRY(written, write_path(job, suspect.variable));
    variable = written;
  }
  HF_TRY(evidence, write_evidence(job, suspect.evidence));
  const PathHolder holder = holder_of(job, suspect);
  return report::CreateSuspect(
      job.builder(), suspect.group ? report::SuspectKind::Group : report::SuspectKind::SingleObject,
      job.class_name(suspect.class_id), job.loader_of(suspect.class_id), suspect.instances,
      suspect.shallow_bytes, suspect.retained_bytes, share_of_suspect(job, suspect),
      job.object(suspect.holder), holder.class_name, holder.field, levels, path,
      std::min(suspect.confidence_percent, 100u), evidence, suspect.instances_below, others,
      suspect.waits_for_finalizer, suspect.threads, variable);
}

Offset<report::TreeNode> write_node(ReportJob& job, const TreeNodeResult& node) noexcept {
  const std::uint32_t group = node.object.valid() ? 0 : job.class_name(node.group_class);
  return report::CreateTreeNode(job.builder(), job.object(node.object), node.parent, group,
                                node.group_instances, node.shallow_bytes, node.retained_bytes,
                                node.children, node.rest_children, node.rest_retained_bytes);
}

Result<Offset<IndexList>> write_top_objects(ReportJob& job) noexcept {
  std::uint32_t rows[kMaxReportTopObjects] = {};
  for (std::size_t i = 0; i < job.counts.top_objects; ++i)
    rows[i] = job.object(job.findings.top_objects[i]);
  return write_indices(job, std::span(rows, job.counts.top_objects));
}

// One path for each top object, or none at all when the pass was left out.
Result<Offset<RowList<report::RootPath>>> write_top_paths(ReportJob& job) noexcept {
  const auto paths = job.findings.top_paths;
  const std::size_t count = paths.size() < job.counts.top_objects ? 0 : job.counts.top_objects;
  return write_rows<report::RootPath>(
      job, count, kRootPathBytes + kListBytes,
      [&job, paths](std::size_t i) { return write_path(job, paths[i]); });
}

Result<Offset<RowList<report::StrengthRow>>> write_strengths(ReportJob& job) noexcept {
  const Reachability& found = job.findings.reachability;
  const std::size_t count = found.strength.empty() ? 0 : kStrengthCount;
  return write_rows<report::StrengthRow>(
      job, count, kStrengthRowBytes, [&job, &found](std::size_t i) {
        return report::CreateStrengthRow(job.builder(), static_cast<report::Strength>(i),
                                         found.objects[i], found.shallow_bytes[i]);
      });
}

// A reader of 1.2 refuses kinds that it does not know, so only who has such roots lists them.
std::size_t listed_root_kinds(const GraphStatistics& statistics) noexcept {
  constexpr auto kFirstNew = static_cast<std::size_t>(RootKind::kStaticField);
  std::size_t listed = kRootKindCount;
  while (listed > kFirstNew && statistics.root_kinds[listed - 1].roots == 0) --listed;
  return listed;
}

Result<Offset<RowList<report::RootKindRow>>> write_root_kinds(ReportJob& job) noexcept {
  return write_rows<report::RootKindRow>(
      job, listed_root_kinds(job.findings.statistics), kRootKindRowBytes, [&job](std::size_t i) {
        const RootKindFigures& kind = job.findings.statistics.root_kinds[i];
        return report::CreateRootKindRow(job.builder(), static_cast<report::RootKind>(i),
                                         kind.roots, kind.objects, kind.retained_bytes);
      });
}

std::uint64_t shallow_bytes_total(const Snapshot& snapshot) noexcept {
  std::uint64_t units = 0;
  for (const std::uint32_t one : snapshot.shallow_units) units += one;
  return units * snapshot.shallow_unit_bytes;
}

// What is held: by the dominators, or where there are none, by the classes.
ClassFigures held_of(const ReportJob& job) noexcept {
  const Dominators& dominators = job.findings.dominators;
  ClassFigures held;
  held.instances = dominators.held_objects;
  held.shallow_bytes = dominators.held_bytes;
  if (held.instances != 0) return held;
  for (const ClassFigures& one : job.findings.classes) {
    held.instances += one.instances;
    held.shallow_bytes += one.shallow_bytes;
  }
  return held;
}

}  // namespace

Result<Offset<IndexList>> write_evidence(ReportJob& job,
                                         std::span<const Evidence> evidence) noexcept {
  std::uint32_t ids[Evidence::kMaxSentences] = {};
  std::size_t count = 0;
  for (const Evidence& sentence : evidence) {
    if (count == Evidence::kMaxSentences) break;
    ids[count++] = job.text(fixed_text(sentence.text));
  }
  return write_indices(job, std::span(ids, count));
}

Result<Offset<report::GraphFacts>> write_graph_facts(ReportJob& job) noexcept {
  if (!job.capture.has_graph) return Offset<report::GraphFacts>();
  HF_TRY(strengths, write_strengths(job));
  HF_TRY(root_kinds, write_root_kinds(job));
  const ClassFigures held = held_of(job);
  const GraphStatistics& statistics = job.findings.statistics;
  return report::CreateGraphFacts(
      job.builder(), job.snapshot.object_count(), job.snapshot.reference_count(),
      job.snapshot.roots.size(), shallow_bytes_total(job.snapshot), held.instances,
      held.shallow_bytes, job.findings.dominators.depth, statistics.max_out_degree,
      job.object(statistics.max_out_degree_object), strengths, root_kinds);
}

Result<Offset<RowList<report::TreeNode>>> write_tree(ReportJob& job) noexcept {
  return write_rows<report::TreeNode>(job, job.counts.tree, kTreeNodeBytes, [&job](std::size_t i) {
    return write_node(job, job.findings.tree[i]);
  });
}

Result<Offset<RowList<report::Suspect>>> write_suspects(ReportJob& job) noexcept {
  return write_rows<report::Suspect>(
      job, job.counts.suspects, kSuspectBytes + 3 * kListBytes,
      [&job](std::size_t i) { return write_suspect(job, job.findings.suspects[i]); });
}

Result<FindingsPart> write_findings(ReportJob& job) noexcept {
  FindingsPart part;
  HF_TRY(suspects, write_suspects(job));
  HF_TRY(top_paths, write_top_paths(job));
  HF_TRY(top_objects, write_top_objects(job));
  HF_TRY(tree, write_tree(job));
  HF_TRY(graph, write_graph_facts(job));
  HF_TRY(reachable, write_reachable(job));
  HF_TRY(cuts, write_cuts(job));
  part.suspects = suspects;
  part.top_paths = top_paths;
  part.top_objects = top_objects;
  part.tree = tree;
  part.graph = graph;
  part.reachable = reachable;
  part.cuts = cuts;
  return part;
}

Result<Offset<RowList<report::ObjectRow>>> write_objects(ReportJob& job) noexcept {
  const auto objects = job.objects.all();
  return write_rows<report::ObjectRow>(
      job, objects.size(), kObjectRowBytes, [&job, objects](std::size_t i) {
        job.object_written();
        const ObjectId id = objects[i];
        const ClassId behind = job.class_behind(id);
        const ReachableFigure reach = job.reachable(id);
        return report::CreateObjectRow(
            job.builder(), job.class_name(job.class_of(id)), job.loader_of(job.class_of(id)),
            behind.valid() ? job.class_name(behind) : 0, job.snapshot.shallow_bytes(id),
            job.retained_bytes(id), reach.bytes, reach.estimated);
      });
}

}  // namespace holdfast::analysis
