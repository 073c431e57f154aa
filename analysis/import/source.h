// The bytes of a heap dump: the file itself, mapped, or what its compression hides.
// Shape:  one span for the whole (uncompressed) input.
// Zone:   offline.   Errors: ImportFailure (kIo with errno's text, kNotOurs for an empty file).
#pragma once

#include <span>
#include <string>

#include "platforms/file.h"

namespace holdfast::analysis {

class Source {
 public:
  explicit Source(const std::string& path);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() { platforms::unmap_file(file_); }
  std::span<const std::byte> bytes() const noexcept {
    return {file_.data, static_cast<std::size_t>(file_.bytes)};
  }

 private:
  platforms::MappedFile file_;
};

}  // namespace holdfast::analysis
