#include "platforms/mappings.h"

#include <errno.h>

#include "platforms/linux/mapping_line.h"
#include "platforms/linux/raw_syscall.h"
#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

bool mappings_are_private(const void* start, std::size_t bytes) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(start);
  const std::uint64_t to = from + bytes;
  bool met = false;
  bool all_private = true;
  for_each_line("/proc/self/maps", [&](std::string_view line) {
    MappingLine mapping;
    if (!parse_mapping(line, mapping)) return all_private = false;
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
