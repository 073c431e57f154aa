// The descriptors that are open now, by raw system calls.
// Shape:  2 KiB of stack. visit(descriptor) in rising order, until it answers false; it may close what it is shown. The list's
//         own descriptor is not shown.
// Zone:   any but stopped.
// Errors: false where /proc/self/fd cannot be listed to its end, or visit() answered false.
#pragma once

#include <cstring>

#include "platforms/linux/raw_file.h"

namespace holdfast::platforms {

// The kernel's struct linux_dirent64 before the name.
struct DirectoryEntryHead {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
};
inline constexpr std::size_t kDirectoryNameAt = 19;  // the structure is packed

// -1: "." and "..".
inline int descriptor_named(const char* name) noexcept {
  int number = -1;
  for (; *name >= '0' && *name <= '9'; ++name)
    number = (number < 0 ? 0 : number * 10) + (*name - '0');
  return number;
}

template <class Visit>
bool for_each_descriptor(Visit visit) noexcept {
  constexpr std::size_t kListBytes = 2048;
  const int list = raw_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return false;
  char entries[kListBytes];
  long got = 0;
  bool go_on = true;
  while (go_on && (got = raw_syscall(SYS_getdents64, list, entries, sizeof entries)) > 0) {
    for (long at = 0; go_on && at < got;) {
      DirectoryEntryHead head;
      std::memcpy(&head, entries + at, sizeof head);
      const int descriptor = descriptor_named(entries + at + kDirectoryNameAt);
      if (descriptor >= 0 && descriptor != list) go_on = visit(descriptor);
      at += head.bytes;
    }
  }
  raw_close(list);
  return go_on && got == 0;
}

}  // namespace holdfast::platforms
