// Files by raw system calls, for what runs in a child or inside other people's calls, whose errno it must not touch.
// Zone:   any but stopped.   Errors: -errno, as the kernel answers.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

// Descriptor or -errno. A new file gets mode 0600.
inline int raw_open(const char* path, int flags) noexcept {
  return static_cast<int>(raw_syscall(SYS_openat, AT_FDCWD, path, flags, 0600));
}

inline long raw_close(int descriptor) noexcept { return raw_syscall(SYS_close, descriptor); }

// An application that closed its standard streams must not find our file behind them: what it prints
// would end in a report.
inline int raw_above_standard_streams(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const long moved = raw_syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  raw_close(descriptor);
  return static_cast<int>(moved);
}

inline long raw_unlink(const char* path) noexcept {
  return raw_syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

#if defined(SYS_newfstatat)
inline constexpr long kStatCall = SYS_newfstatat;
#else
inline constexpr long kStatCall = SYS_fstatat64;
#endif
// libc's struct stat is the kernel's on 64-bit systems, and elsewhere where offsets have 64 bits. With AT_EMPTY_PATH and "", of the descriptor itself.
inline long raw_stat(int directory, const char* path, struct stat& out, int flags) noexcept {
  return raw_syscall(kStatCall, directory, path, &out, flags);
}

inline long raw_stat_of(int descriptor, struct stat& out) noexcept {
  return raw_stat(descriptor, "", out, AT_EMPTY_PATH);
}

}  // namespace holdfast::platforms
