#include "platforms/mappings.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

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

std::uint64_t mapping_end(std::uint64_t address) noexcept {
  std::uint64_t end = 0;
  for_each_line("/proc/self/maps", [&](std::string_view line) {
    MappingLine mapping;
    if (!parse_mapping(line, mapping)) return false;
    if (mapping.start <= address && address < mapping.end) end = mapping.end;
    return mapping.end <= address;
  });
  return end;
}

// The kernel copies the set before it finds that there is no such way to change a mask: EFAULT or EINVAL.
bool is_readable(std::uint64_t address) noexcept {
  constexpr long kNoSuchWay = -1;
  constexpr std::size_t kSetBytes = 8;
  return raw_syscall(SYS_rt_sigprocmask, kNoSuchWay, reinterpret_cast<const void*>(address), 0L,
                     kSetBytes) == -EINVAL;
}

bool copy_if_readable(std::uint64_t address, void* to, std::size_t bytes) noexcept {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), bytes};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace holdfast::platforms
