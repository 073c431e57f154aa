// Report names from the pattern of `file=`: %e %h %c %p %t %n %k %% and %{NAME}.
// Shape:  the result is a plain name of at most kMaxFileName bytes, valid UTF-8, that does not begin with a dot: '/', control
//         characters and bad bytes become '_'. Values are cut to kMaxNameValue bytes, so that a long class name does not
//         cost the dump. Reads the environment (%{NAME}), so not while somebody changes it.
// Zone:   worker, child, offline.
// Errors: kBadOption for an unknown letter, an open brace or a result that is empty or too long.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/result.h"

namespace holdfast {

// A file system's 255 less ".4194304.tmp", under which a file is written (atomic_file.h).
inline constexpr std::size_t kMaxFileName = 240;
inline constexpr std::size_t kMaxNameValue = 100;

struct FileNameFacts {
  std::string_view main_name;  // %e main class, jar or assembly
  std::string_view host;       // %h
  std::string_view container;  // %c
  std::uint32_t pid = 0;       // %p
  std::uint64_t utc_ms = 0;    // %t as 20261121T074205Z
  std::uint32_t sequence = 0;  // %n
  std::string_view kind;       // %k simple, extended
};

struct FileName {
  char text[kMaxFileName + 1] = "";
};

// Are all its letters known and all its braces closed? What expand_file_name() will say, said at load.
bool valid_file_pattern(std::string_view pattern) noexcept;

Result<FileName> expand_file_name(std::string_view pattern, const FileNameFacts& facts) noexcept;

// The part of every name from `pattern` that does not change from dump to dump or from run to run: what stands before the
// first of %p %t %n %k %{NAME}. Files that begin with it are this service's.
Result<FileName> constant_prefix(std::string_view pattern, const FileNameFacts& facts) noexcept;

}  // namespace holdfast
