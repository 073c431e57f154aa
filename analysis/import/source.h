// The bytes of a heap dump: the file itself, mapped, or what its compression hides.
// Shape:  one span for the whole (uncompressed) input. An archive is unpacked once, into a temporary file, which is mapped; it
//         is given up as soon as its first piece is no heap dump. What came out before a damage stays, and loss() tells.
// Zone:   offline.
// Errors: ImportFailure (kIo with errno's text, kNotOurs for an empty file or an archive of something else, kDamaged when
//         nothing comes out of an archive, kRefused when it does not fit on the disk, kCancelled).
#pragma once

#include <functional>
#include <span>
#include <string>

#include "analysis/import/archive.h"
#include "platforms/file.h"

namespace holdfast::analysis {

// Do these first bytes belong to a heap dump that can be read?
using KnownFormat = bool (*)(std::span<const std::byte> first_bytes);
// Told how much of an archive is read; a false answer cancels.
using UnpackProgress = std::function<bool(std::uint64_t packed_bytes)>;

class Source {
 public:
  Source(const std::string& path, KnownFormat known, const UnpackProgress& progress);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() { platforms::unmap_file(file_); }

  std::span<const std::byte> bytes() const noexcept {
    return {file_.data, static_cast<std::size_t>(file_.bytes)};
  }
  ArchiveKind archive() const noexcept { return archive_; }  // that the bytes were packed in
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }  // packed
  const std::string& loss() const noexcept { return loss_; }  // a sentence; empty: nothing is lost

 private:
  void unpack_all(KnownFormat known, const UnpackProgress& progress);

  platforms::MappedFile file_;
  ArchiveKind archive_ = ArchiveKind::kNone;
  std::uint64_t file_bytes_ = 0;
  std::string loss_;
};

}  // namespace holdfast::analysis
