#include "cli/doctor/library_mark.h"

#include <algorithm>

#include "common/version.h"
#include "platforms/file.h"

namespace holdfast::cli {
namespace {

// Letters and marks of a version; nothing that a terminal obeys.
bool fits(char c) {
  constexpr std::string_view kMarks = "._+~:-";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kMarks.find(c) != kMarks.npos;
}

std::string word_at(std::string_view text) {
  return {text.begin(), std::ranges::find_if_not(text, fits)};
}

}  // namespace

LibraryMark library_mark(std::string_view file) {
  constexpr std::size_t kMost = 200;
  const std::size_t at = file.find(kVersionMark);
  if (at == file.npos) return {};
  const std::string_view text = file.substr(at + kVersionMark.size(), kMost);
  LibraryMark mark;
  mark.version = word_at(text);
  if (text.size() > mark.version.size() && text[mark.version.size()] == ' ')
    mark.build = word_at(text.substr(mark.version.size() + 1));
  return mark;
}

LibraryMark read_library_mark(const std::string& path) {
  platforms::MappedFile file;
  if (platforms::map_file(path.c_str(), file) != 0) return {};
  LibraryMark mark = library_mark({reinterpret_cast<const char*>(file.data), file.bytes});
  platforms::unmap_file(file);
  return mark;
}

}  // namespace holdfast::cli
