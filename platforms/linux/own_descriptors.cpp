#include "platforms/linux/own_descriptors.h"

#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/resource.h>

#include <cstring>

#include "platforms/linux/raw_file.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kListBytes = 2048;
constexpr int kMostDescriptors = 1 << 20;  // what a system allows a process unless told otherwise

// The kernel's struct linux_dirent64 before the name.
struct EntryHead {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
};
constexpr std::size_t kNameAt = 19;  // the structure is packed

// -1: "." and "..".
int descriptor_named(const char* name) noexcept {
  int number = -1;
  for (; *name >= '0' && *name <= '9'; ++name)
    number = (number < 0 ? 0 : number * 10) + (*name - '0');
  return number;
}

// /proc/self/fd is listed by number, so closing what was listed moves nothing.
bool close_listed() noexcept {
  const int list = raw_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return false;
  char entries[kListBytes];
  long got = 0;
  while ((got = raw_syscall(SYS_getdents64, list, entries, sizeof entries)) > 0) {
    for (long at = 0; at < got;) {
      EntryHead head;
      std::memcpy(&head, entries + at, sizeof head);
      const int descriptor = descriptor_named(entries + at + kNameAt);
      if (descriptor >= 0 && descriptor != list) raw_close(descriptor);
      at += head.bytes;
    }
  }
  raw_close(list);
  return got == 0;
}

void close_below_limit() noexcept {
  rlimit limit{};
  const long asked = raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0L, &limit);
  const bool known = asked == 0 && limit.rlim_cur < static_cast<rlim_t>(kMostDescriptors);
  const int end = known ? static_cast<int>(limit.rlim_cur) : kMostDescriptors;
  for (int descriptor = 0; descriptor < end; ++descriptor) raw_close(descriptor);
}

}  // namespace

bool close_all_descriptors(bool shared_with_parent) noexcept {
  if (raw_syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) == 0) return true;
  // Closing in a table that is still the parent's would close the parent's files.
  if (shared_with_parent && raw_syscall(SYS_unshare, CLONE_FILES) != 0) return false;
  raw_close(0);  // leaves a number for the list where all are taken
  if (!close_listed()) close_below_limit();
  return true;
}

}  // namespace holdfast::platforms
