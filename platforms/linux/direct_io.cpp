#include "platforms/direct_io.h"

#include <sys/utsname.h>

#include <charconv>

#include "platforms/linux/open_descriptors.h"

namespace holdfast::platforms {

bool kernel_pins_direct_io(std::string_view release) noexcept {
  constexpr int kMajor = 6, kMinor = 5;
  int major = 0, minor = 0;
  const char* end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc{}) return false;
  if (first.ptr != end && *first.ptr == '.') std::from_chars(first.ptr + 1, end, minor);
  return major > kMajor || (major == kMajor && minor >= kMinor);
}

bool has_direct_io() noexcept {
  bool found = false;
  for_each_descriptor([&](int descriptor) {
    const long flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
    found = flags >= 0 && (flags & O_DIRECT) != 0;
    return !found;
  });
  return found;
}

bool clone_endangers_direct_io() noexcept {
  utsname system{};
  if (raw_syscall(SYS_uname, &system) == 0 && kernel_pins_direct_io(system.release)) return false;
  return has_direct_io();
}

}  // namespace holdfast::platforms
