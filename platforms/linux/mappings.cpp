#include "platforms/mappings.h"

#include <errno.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "platforms/linux/raw_syscall.h"
#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool shared = false;
};

// "7f12a000-7f12b000 rw-p 00000000 00:00 0 ..."
bool read_mapping(std::string_view line, Mapping& out) noexcept {
  const char* end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, out.start, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, end, out.end, 16);
  constexpr std::ptrdiff_t kShared = 4;  // " rwxp": the fourth letter
  if (second.ec != std::errc{} || end - second.ptr <= kShared) return false;
  out.shared = second.ptr[kShared] != 'p';
  return true;
}

}  // namespace

bool mappings_are_private(const void* start, std::size_t bytes) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(start);
  const std::uint64_t to = from + bytes;
  bool met = false;
  bool all_private = true;
  for_each_line("/proc/self/maps", [&](std::string_view line) {
    Mapping mapping;
    if (!read_mapping(line, mapping)) return all_private = false;
    if (mapping.start < to && mapping.end > from) {
      met = true;
      all_private = all_private && !mapping.shared;
    }
    return all_private && mapping.start < to;
  });
  return met && all_private;
}

// The kernel copies the set before it finds that there is no such way to change a mask: EFAULT or EINVAL.
bool is_readable(std::uint64_t address) noexcept {
  constexpr long kNoSuchWay = -1;
  constexpr std::size_t kSetBytes = 8;
  return raw_syscall(SYS_rt_sigprocmask, kNoSuchWay, reinterpret_cast<const void*>(address), 0L,
                     kSetBytes) == -EINVAL;
}

}  // namespace holdfast::platforms
