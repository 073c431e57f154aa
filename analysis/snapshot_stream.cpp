#include "analysis/snapshot_stream.h"

#include <algorithm>
#include <memory>

#include "analysis/snapshot_file/catalog_writer.h"
#include "analysis/snapshot_file/graph_writer.h"

namespace holdfast::analysis {

struct SnapshotStream::State {
  BlockWriter out;
  GraphWriter graph;
  SnapshotCounts counts;
};

namespace {

Result<SnapshotCounts> count_all(const SnapshotStreamFacts& facts,
                                 std::span<const std::byte> report) noexcept {
  Snapshot without_graph;
  without_graph.catalog = facts.catalog;
  without_graph.roots = facts.roots;
  SnapshotCounts counts = count_snapshot(without_graph);
  counts.objects = facts.objects;
  counts.references = facts.references;
  counts.report_bytes = report.size();
  if (facts.objects > kMaxObjects || facts.references > 0xFFFFFFFEu ||
      facts.instances.size() != facts.catalog.classes.size() + 1 ||
      counts.report_bytes > kMaxEmbeddedReportBytes || !is_shallow_unit(facts.shallow_unit_bytes))
    return make_error(ErrorCode::kInconsistent);
  return counts;
}

}  // namespace

std::size_t SnapshotStream::memory_bytes(std::size_t class_count) noexcept {
  return sizeof(State) + Arena::kAlignment + BlockWriter::memory_bytes() +
         (class_count + 1) * sizeof(std::uint32_t) + Arena::kAlignment +
         GraphWriter::memory_bytes(class_count, GraphOrder::kMixed);
}

Result<void> SnapshotStream::open(AnalysisInput& input, const FileName& name,
                                  const SnapshotStreamFacts& facts,
                                  std::span<const std::byte> report) noexcept {
  abandon();
  HF_TRY(counts, count_all(facts, report));
  static_assert(alignof(State) <= Arena::kAlignment);
  HF_TRY(memory, input.arena.make<std::byte>(sizeof(State)));
  state_ = std::construct_at(reinterpret_cast<State*>(memory.data()));
  state_->counts = counts;
  return kept(write_front(input, name, facts, report));
}

// Everything before the graph.
Result<void> SnapshotStream::write_front(AnalysisInput& input, const FileName& name,
                                         const SnapshotStreamFacts& facts,
                                         std::span<const std::byte> report) noexcept {
  BlockWriter& out = state_->out;
  HF_CHECK_OK(out.open(input.arena, input.options.dir, name.text,
                       {GraphOrder::kMixed, has_later_kinds(facts.roots)}));
  HF_TRY(instances, input.arena.make<std::uint32_t>(facts.instances.size()));
  std::transform(facts.instances.begin(), facts.instances.end(), instances.begin(),
                 [](const ClassCount& c) { return static_cast<std::uint32_t>(c.instances); });
  HF_CHECK_OK(
      out.emit_header(input.record, state_->counts, facts.losses, facts.shallow_unit_bytes));
  HF_CHECK_OK(write_embedded_report(report, out));
  HF_CHECK_OK(write_catalog_blocks(facts.catalog, facts.roots, input.cancel, out));
  return state_->graph.open(out, input.cancel, input.arena, GraphOrder::kMixed,
                            {facts.objects, facts.references}, instances);
}

Result<void> SnapshotStream::append(std::span<const ClassId> classes,
                                    std::span<const std::uint32_t> units,
                                    std::span<const std::uint32_t> rows,
                                    std::span<const ObjectId> targets,
                                    std::span<const RefLabel> labels) noexcept {
  if (state_ == nullptr) return make_error(ErrorCode::kInconsistent);
  const ObjectWindow window{classes, units, rows};
  HF_CHECK_OK(kept(state_->graph.add_objects(window)));
  return kept(state_->graph.add_references(window, {targets, labels}));
}

Result<void> SnapshotStream::finish() noexcept {
  if (state_ == nullptr || !state_->graph.complete()) {
    abandon();
    return make_error(ErrorCode::kInconsistent);
  }
  HF_CHECK_OK(kept(state_->out.emit_end(state_->counts)));
  const Result<void> published = state_->out.publish();
  abandon();
  return published;
}

void SnapshotStream::abandon() noexcept {
  if (state_ != nullptr) std::destroy_at(state_);
  state_ = nullptr;
}

// The first error is the end of the file.
Result<void> SnapshotStream::kept(Result<void> done) noexcept {
  if (!done) abandon();
  return done;
}

}  // namespace holdfast::analysis
