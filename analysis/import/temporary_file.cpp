#include "analysis/import/temporary_file.h"

#include <cstdlib>
#include <cstring>

#include "analysis/import/import_failure.h"

namespace holdfast::analysis {
namespace {

std::string temporary_directory() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

TemporaryFile::TemporaryFile(std::uint64_t keep_free_bytes)
    : directory_(temporary_directory()), keep_free_bytes_(keep_free_bytes) {
  descriptor_ = platforms::create_unnamed_file(directory_.c_str());
  if (descriptor_ < 0)
    refuse(std::string("no temporary file there: ") + std::strerror(-descriptor_));
}

void TemporaryFile::append(std::span<const std::byte> bytes) {
  if (size_ >= next_check_) {
    check_room();
    next_check_ = size_ + kCheckBytes;
  }
  if (const int error = platforms::write_all(descriptor_, bytes.data(), bytes.size()); error != 0)
    refuse("after " + std::to_string(size_) + " bytes: " + std::strerror(error));
  size_ += bytes.size();
}

platforms::MappedFile TemporaryFile::map() const {
  platforms::MappedFile mapped;
  if (const int error = platforms::map_descriptor(descriptor_, mapped); error != 0)
    refuse(std::strerror(error));
  return mapped;
}

void TemporaryFile::check_room() const {
  const std::uint64_t free_bytes = platforms::free_disk_bytes(directory_.c_str());
  if (free_bytes >= keep_free_bytes_ && free_bytes - keep_free_bytes_ >= kCheckBytes) return;
  refuse("after " + std::to_string(size_) + " bytes only " + std::to_string(free_bytes) +
         " are free");
}

void TemporaryFile::refuse(const std::string& what) const {
  throw ImportFailure(ErrorCode::kRefused, 0,
                      "cannot be unpacked to " + directory_ + ": " + what +
                          "; TMPDIR can name a directory with more room");
}

}  // namespace holdfast::analysis
