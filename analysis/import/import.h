// The front of this folder: a heap dump that something else made becomes a Snapshot, and the passes run on it as on a captured one.
// Shape:  HPROF 1.0.x, our own snapshots (.hfs), IBM heap dumps as PHD and as text (HeapRoots' input); each plain or packed with
//         gzip or zstd, told apart by content. README.md says where the next format goes.
//         Memory: one ledger with `memory_limit_bytes`; reading() and passes() bound what is taken, printed by the command.
// Zone:   offline.
// Errors: ImportFailure, with the offset in the (uncompressed) input. What can be read of a damaged dump is read, and what is
//         lost stands in `losses`, a sentence each, and in snapshot.losses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/import/hprof_survey.h"  // ImportProgress
#include "common/arena.h"
#include "common/dump_record.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct ImportOptions {
  bool like_mat = false;  // Eclipse MAT's rules instead of ours
  bool keep_addresses = false;
  bool mapped_input =
      false;  // the input is a mapped file: what has been read is dropped from memory
  std::uint64_t memory_limit_bytes = UINT64_MAX;
  ImportProgress progress;
};

class ImportedHeap {
 public:
  virtual ~ImportedHeap() = default;
  ImportedHeap(const ImportedHeap&) = delete;
  ImportedHeap& operator=(const ImportedHeap&) = delete;

  // For the passes that follow: everything is charged to the same ledger.
  Ledger& ledger() noexcept { return ledger_; }
  Arena& arena() noexcept { return arena_; }

  Snapshot snapshot;
  DumpRecord record;  // who and when, as far as the dump says
  std::span<const std::uint64_t>
      addresses;                    // [objects] with keep_addresses, where the format has them
  std::vector<std::string> losses;  // sentences, in the order of their weight
  std::uint64_t input_bytes = 0;    // uncompressed
  std::string format;               // "HPROF 1.0.2", ...
  bool like_mat = false;

 protected:
  explicit ImportedHeap(std::uint64_t limit_bytes) : ledger_(limit_bytes) {}
  void open_arena(std::uint64_t address_space_bytes);

  Ledger ledger_;
  Reservation reservation_;
  Arena arena_;
};

std::unique_ptr<ImportedHeap> import_heap(const std::string& path, const ImportOptions& options);

// The bound on memory, printed by `holdfast analyze` and held by a test. While reading an HPROF dump: identifiers and their
// index, the columns, names and rows of classes. While the passes run: the snapshot, dominators, reachability.
// Each of the arrays that grow is rounded up to a step.
inline constexpr std::uint64_t kImportRoundingBytes = 24 * GrowingArray<std::uint64_t>::kStepBytes;
constexpr std::uint64_t import_reading_bytes(std::uint64_t objects, std::uint64_t references,
                                             std::uint64_t names_bytes) noexcept {
  return objects * (8 + 16 + 12) + references * (6 + 3) + names_bytes + kImportRoundingBytes;
}

}  // namespace holdfast::analysis
