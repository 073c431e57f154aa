#include "platforms/linux/own_descriptors.h"

#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/resource.h>

#include "platforms/linux/open_descriptors.h"

namespace holdfast::platforms {

namespace {

constexpr int kMostDescriptors = 1 << 20;  // what a system allows a process unless told otherwise

// /proc/self/fd is listed by number, so closing what was listed moves nothing.
bool close_listed() noexcept {
  return for_each_descriptor([](int descriptor) {
    raw_close(descriptor);
    return true;
  });
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
