// Report names from the pattern of `file=`: %e %h %c %p %t %n %k %% and %{NAME}.
// Shape:  a pure function; the result is a plain name (a '/' from a variable becomes '_'), at most kMaxFileName bytes.
// Zone:   worker, offline.
// Errors: kBadOption for an unknown letter, an open brace or a result that is empty or too long.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/result.h"

namespace holdfast {

inline constexpr std::size_t kMaxFileName = 255;

struct FileNameFacts {
  std::string_view main_name;     // %e main class, jar or assembly
  std::string_view host;          // %h
  std::string_view container;     // %c
  std::uint32_t pid = 0;          // %p
  std::uint64_t utc_ms = 0;       // %t as 20261121T074205Z
  std::uint32_t sequence = 0;     // %n
  std::string_view kind;          // %k simple, extended
};

struct FileName {
  char text[kMaxFileName + 1] = "";
};

Result<FileName> expand_file_name(std::string_view pattern, const FileNameFacts& facts) noexcept;

// The part of every name from `pattern` that does not change from dump to dump or from run to run: what stands before the
// first of %p %t %n %k %{NAME}. Files that begin with it are this service's.
Result<FileName> constant_prefix(std::string_view pattern, const FileNameFacts& facts) noexcept;

}  // namespace holdfast
