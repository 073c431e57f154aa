// Which version and build a file of ours is, without loading it.
// Shape:  looks for the text of common/version.h in the whole file.   Zone: offline.
// Errors: empty texts: none of ours, or from before that text.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

struct LibraryMark {
  std::string version;  // "0.1.0"
  std::string build;    // "c5bc4dc0f3a1"; may be empty beside a version
};
LibraryMark library_mark(std::string_view file);
LibraryMark read_library_mark(const std::string& path);

}  // namespace holdfast::cli
