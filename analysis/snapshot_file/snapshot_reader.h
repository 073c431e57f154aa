// Reads a .hfs file into a Snapshot, everything checked; a file that was cut is read up to the cut and says so.
// Shape:  the file is mapped and read forward once; memory is SnapshotParts::reading_bytes() of the announced counts + 1.2 MiB,
//         refused at once when it is more than the limit. Parts live in the object's own arena.
//         At a cut: objects that came too late are missing, rows end where the references end, what points to a missing object
//         (roots, class objects, loader and thread objects) is dropped or emptied. A cut before the first object is damage.
// Zone:   offline.
// Errors: kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset of the block at fault), kIo (detail: errno),
//         kOutOfBudget, kOutOfMemory.
#pragma once

#include "common/arena.h"
#include "common/dump_record.h"
#include "common/reservation.h"
#include "common/snapshot/snapshot.h"
#include "platforms/file.h"

namespace holdfast::analysis {

struct SnapshotParts;
class BlockReader;

struct SnapshotCut {
  bool cut = false;
  std::uint64_t offset = 0;  // where the file stops making sense
  std::uint64_t objects_missing = 0;
  std::uint64_t references_missing = 0;
  std::uint64_t roots_dropped = 0;
  std::uint64_t addresses_missing = 0;  // then there are none
};

// What to read a file for.
struct SnapshotReading {
  static constexpr std::uint64_t kDefaultLimitBytes = std::uint64_t{64} << 30;
  std::uint64_t memory_limit_bytes = kDefaultLimitBytes;
  bool addresses = false;  // 8 B an object more, where the file has them
};

class SnapshotFile {
 public:
  SnapshotFile() = default;
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  Result<void> open(const char* path, const SnapshotReading& reading = {}) noexcept;
  // The same for a file that is in memory already, which may go afterwards.
  Result<void> read(std::span<const std::byte> file, const SnapshotReading& reading = {}) noexcept;

  const Snapshot& snapshot() const noexcept { return snapshot_; }
  const DumpRecord& record() const noexcept { return record_; }  // who and when; the rest is empty
  const SnapshotCut& cut() const noexcept { return cut_; }
  // [objects]; empty when they were not asked for, or when the file has none or not all of them.
  std::span<const std::uint64_t> addresses() const noexcept { return addresses_; }
  std::uint64_t report_bytes() const noexcept {
    return report_bytes_;
  }  // of the report inside; 0: none

 private:
  Result<void> read_all(BlockReader& blocks, const SnapshotReading& reading) noexcept;
  Result<void> read_blocks(BlockReader& blocks, SnapshotParts& parts) noexcept;
  Result<void> finish(SnapshotParts& parts, std::uint64_t offset) noexcept;

  Ledger ledger_{UINT64_MAX};
  Reservation reservation_;
  Arena arena_;
  Snapshot snapshot_;
  DumpRecord record_;
  SnapshotCut cut_;
  std::span<const std::uint64_t> addresses_;
  std::uint64_t report_bytes_ = 0;
};

}  // namespace holdfast::analysis
