#include "analysis/snapshot_file/snapshot_writer.h"

#include <algorithm>

#include "analysis/snapshot_file/address_coding.h"
#include "analysis/snapshot_file/block_writer.h"
#include "analysis/snapshot_file/catalog_writer.h"
#include "analysis/snapshot_file/graph_writer.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::BlockKind;

struct WriteJob {
  const Snapshot& snapshot;
  const CancelToken& cancel;
  BlockWriter& out;
};

Result<std::span<std::uint32_t>> count_instances(const Snapshot& snapshot, Arena& arena) noexcept {
  const std::size_t classes = snapshot.catalog.classes.size();
  HF_TRY(counts, arena.make_filled<std::uint32_t>(classes + 1, 0));
  for (const ClassId c : snapshot.class_of) ++counts[c.valid() ? c.value : classes];
  return counts;
}

Result<void> write_graph(WriteJob& job, std::span<const std::uint32_t> instances,
                         Arena& arena) noexcept {
  const Snapshot& s = job.snapshot;
  GraphWriter graph;
  HF_CHECK_OK(graph.open(job.out, job.cancel, arena, GraphOrder::kObjectsFirst,
                         {s.class_of.size(), s.target.size()}, instances));
  const ObjectWindow all{s.class_of, s.shallow_units, s.first_ref};
  HF_CHECK_OK(graph.add_objects(all));
  return graph.add_references(all, {s.target, s.label});
}

Result<void> write_addresses(WriteJob& job, std::span<const std::uint64_t> addresses) noexcept {
  ColumnWriter& columns = job.out.columns();
  AddressPosition position;
  for (std::size_t first = 0; first < addresses.size(); first += kAddressesPerBlock) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(1);
    const std::size_t end = std::min(addresses.size(), first + kAddressesPerBlock);
    for (std::size_t v = first; v < end; ++v) {
      std::uint64_t address = addresses[v];
      code_address(columns, position, address,
                   job.snapshot.shallow_bytes(ObjectId{static_cast<std::uint32_t>(v)}));
    }
    HF_CHECK_OK(job.out.emit(BlockKind::Addresses, first, end - first));
  }
  return {};
}

Result<SnapshotCounts> count_all(const Snapshot& snapshot, const SnapshotExtras& extras) noexcept {
  SnapshotCounts counts = count_snapshot(snapshot);
  counts.report_bytes = extras.report.size();
  counts.addresses = extras.addresses.size();
  const bool fit = extras.addresses.empty() || counts.addresses == counts.objects;
  if (!fit || counts.report_bytes > kMaxEmbeddedReportBytes ||
      !is_shallow_unit(snapshot.shallow_unit_bytes))
    return make_error(ErrorCode::kInconsistent);
  return counts;
}

}  // namespace

Result<SnapshotFileInfo> write_snapshot_file(const Snapshot& snapshot, const DumpRecord& record,
                                             Arena& arena, const CancelToken& cancel,
                                             const char* directory, const char* name,
                                             const SnapshotExtras& extras) noexcept {
  const ArenaScope scratch(arena);
  HF_TRY(counts, count_all(snapshot, extras));
  HF_TRY(instances, count_instances(snapshot, arena));
  BlockWriter out;
  WriteJob job{snapshot, cancel, out};
  HF_CHECK_OK(
      out.open(arena, directory, name,
               {GraphOrder::kObjectsFirst, has_later_kinds(snapshot.roots), snapshot.roots_alike}));
  HF_CHECK_OK(out.emit_header(record, counts, snapshot.losses, snapshot.shallow_unit_bytes));
  HF_CHECK_OK(write_embedded_report(extras.report, out));
  HF_CHECK_OK(write_catalog_blocks(snapshot.catalog, snapshot.roots, cancel, out));
  HF_CHECK_OK(write_graph(job, instances, arena));
  HF_CHECK_OK(write_addresses(job, extras.addresses));
  HF_CHECK_OK(out.emit_end(counts));
  HF_CHECK_OK(out.publish());
  return SnapshotFileInfo{out.file_bytes(), out.raw_bytes(), out.blocks()};
}

}  // namespace holdfast::analysis
