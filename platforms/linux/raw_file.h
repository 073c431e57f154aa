// Opening and reading files by raw system calls, for what runs in a child or beside other people's errno.
// Zone:   any but stopped.   Errors: -errno, as the kernel answers.
#pragma once

#include <errno.h>
#include <fcntl.h>

#include <cstddef>
#include <cstdint>

#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

// Descriptor or -errno. A new file gets mode 0600.
inline long raw_open(const char* path, int flags) noexcept {
  return raw_syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

inline void raw_close(long descriptor) noexcept { raw_syscall(SYS_close, descriptor); }

}  // namespace holdfast::platforms
