// The lines of a /proc or cgroup file of any length, one by one, in a fixed buffer.
// Why: /proc/self/mountinfo has hundreds of long lines on a container host, and what we look for may
//      stand in the last one.
// Shape:  a line's first kMaxLineBytes bytes, without its end; the rest of a longer line is skipped.
// Zone:   any but stopped.
// Errors: an unreadable file has no lines; the errno that kept the file from being read to its end, 0 also where visit() did.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "platforms/linux/raw_file.h"

namespace holdfast::platforms {

inline constexpr std::size_t kMaxLineBytes = 8192;

// Calls visit(line) until it answers false.
template <class Visit>
int for_each_line(const char* path, Visit&& visit) noexcept {
  const int file = raw_open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -file;
  char buffer[kMaxLineBytes];
  std::size_t held = 0;
  bool skipping = false;  // the rest of a line that was too long
  bool wanted = true;
  long got = 0;
  while (wanted) {
    got = raw_syscall(SYS_read, file, buffer + held, sizeof buffer - held);
    if (got == -EINTR) continue;
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
    std::string_view rest(buffer, held);
    for (std::size_t end = rest.find('\n'); wanted && end != rest.npos; end = rest.find('\n')) {
      if (!skipping) wanted = visit(rest.substr(0, end));
      skipping = false;
      rest.remove_prefix(end + 1);
    }
    if (wanted && rest.size() == sizeof buffer) {
      if (!skipping) wanted = visit(rest);
      skipping = true;
      rest = {};
    }
    held = rest.size();
    std::memmove(buffer, rest.data() == nullptr ? buffer : rest.data(), held);
  }
  if (wanted && held != 0 && !skipping) visit(std::string_view(buffer, held));
  raw_close(file);
  return got < 0 ? static_cast<int>(-got) : 0;
}

// The text between spaces number `index`, from 0.
inline std::string_view field_of(std::string_view line, std::size_t index) noexcept {
  for (; index != 0; --index) {
    const std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

}  // namespace holdfast::platforms
