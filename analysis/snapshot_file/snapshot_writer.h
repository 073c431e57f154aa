// Writes a snapshot as a .hfs file: the whole graph, compact, streamed in bounded memory.
// Shape:  O(objects + references); about 4 MiB of scratch + 24 B a class from the arena, given back at the end.
//         Order: header, report, strings, classes, fields, loaders, threads, methods, roots, class codes, objects, references,
//         addresses, end.
//         Sizes and speed: snapshot-format.md.
//         Who has no whole graph in memory: analysis/snapshot_stream.h.
// Zone:   worker (inside a VM: arena only), offline.
// Errors: kOutOfBudget, kIo (detail: errno), kExists, kCancelled, kInconsistent (extras that do not fit the snapshot, a unit that
//         is not 1, 2, 4 or 8); then no file is left behind.
#pragma once

#include "common/arena.h"
#include "common/atomic_file.h"
#include "common/cancel.h"
#include "common/dump_record.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct SnapshotFileInfo {
  std::uint64_t file_bytes = 0;
  std::uint64_t raw_bytes = 0;  // before compression
  std::uint32_t blocks = 0;
};

// What a file may have besides the graph; empty: it has none.
struct SnapshotExtras {
  std::span<const std::byte> report{};  // a finished report image, shown without reading the graph
  std::span<const std::uint64_t> addresses{};  // [objects] of an imported dump
};

Result<SnapshotFileInfo> write_snapshot_file(const Snapshot& snapshot, const DumpRecord& record,
                                             Arena& arena, const CancelToken& cancel,
                                             const char* directory, const char* name,
                                             const SnapshotExtras& extras = {}) noexcept;

}  // namespace holdfast::analysis
