// Where an archive is unpacked to: a file without a name, read back as memory.
// Why a file and not memory: an unpacked dump is often larger than the machine's memory, and pages of a file can go.
// Shape:  in TMPDIR, else /tmp; gone with its mapping, whatever happens to us. The file system keeps `keep_free_bytes` free
//         for others: looked at every kCheckBytes written.
// Zone:   offline.
// Errors: ImportFailure (kRefused, naming the directory and TMPDIR, when it does not fit or may not be made).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "platforms/file.h"

namespace holdfast::analysis {

class TemporaryFile {
 public:
  static constexpr std::uint64_t kKeepFreeBytes = std::uint64_t{16} << 20;
  static constexpr std::uint64_t kCheckBytes = std::uint64_t{4} << 20;

  explicit TemporaryFile(std::uint64_t keep_free_bytes = kKeepFreeBytes);
  ~TemporaryFile() { platforms::close_quietly(descriptor_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(std::span<const std::byte> bytes);
  std::uint64_t size() const noexcept { return size_; }
  platforms::MappedFile map() const;  // the caller's, and may outlive the file

 private:
  void check_room() const;
  [[noreturn]] void refuse(const std::string& what) const;

  const std::string directory_;
  const std::uint64_t keep_free_bytes_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t next_check_ = 0;
};

}  // namespace holdfast::analysis
