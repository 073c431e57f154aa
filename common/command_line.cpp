#include "common/command_line.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "platforms/file.h"

namespace holdfast {

std::string_view read_command_line(char (&out)[kMaxCommandLine]) noexcept {
  const std::int64_t bytes = platforms::read_small_file("/proc/self/cmdline", out, sizeof out);
  return {out, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

std::uint64_t command_line_hash() noexcept {
  char line[kMaxCommandLine];
  const std::string_view read = read_command_line(line);
  return read.empty() ? 0 : XXH3_64bits(read.data(), read.size());
}

}  // namespace holdfast
