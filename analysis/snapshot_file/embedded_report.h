// The report inside a .hfs file, without reading the graph: only the head of the file is looked at.
// Shape:  header block, then report blocks, then nothing more is read; the image is what was embedded, aligned for check_report().
//         O(report); memory is the image + 1.5 MiB, whatever the heap's size. A file that was cut behind the report still has it.
// Zone:   offline.
// Errors: kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset in the file), kIo (detail: errno), kOutOfMemory. The
//         image is not checked here: check_report() does that. A file without a report is no error: image() is empty.
#pragma once

#include "common/arena.h"
#include "common/reservation.h"

namespace holdfast::analysis {

class BlockReader;

class EmbeddedReport {
 public:
  EmbeddedReport() = default;
  EmbeddedReport(const EmbeddedReport&) = delete;
  EmbeddedReport& operator=(const EmbeddedReport&) = delete;

  Result<void> open(const char* path) noexcept;
  Result<void> read(std::span<const std::byte> file) noexcept;

  std::span<const std::byte> image() const noexcept { return image_; }
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }  // of the .hfs

 private:
  Result<void> read_image(BlockReader& blocks) noexcept;

  Ledger ledger_{UINT64_MAX};
  Reservation reservation_;
  Arena arena_;
  std::span<const std::byte> image_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace holdfast::analysis
