// One line of /proc/self/maps: "7f12a000-7f12b000 rw-s 00000000 00:01 1034   /memfd:name (deleted)".
// Zone:   any, child included.   Errors: false for a line that is none.
// Source: proc(5).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace holdfast::platforms {

struct MappingLine {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool shared = false;
  std::string_view path;  // as it stands there; empty where nothing does
};

inline bool parse_mapping(std::string_view line, MappingLine& out) noexcept {
  constexpr std::string_view kAccess = " rwxp ";
  constexpr int kFieldsBetween = 3;  // offset, device, inode: before the path
  const char* end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, out.start, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, end, out.end, 16);
  if (second.ec != std::errc{} || out.end < out.start) return false;
  line.remove_prefix(static_cast<std::size_t>(second.ptr - line.data()));
  if (line.size() < kAccess.size()) return false;
  out.readable = line[1] == 'r';
  out.writable = line[2] == 'w';
  out.shared = line[4] != 'p';
  line.remove_prefix(kAccess.size());
  for (int field = 0; field < kFieldsBetween; ++field) {
    const std::size_t space = line.find(' ');
    line.remove_prefix(space == line.npos ? line.size() : space + 1);
  }
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  out.path = line;
  return true;
}

}  // namespace holdfast::platforms
