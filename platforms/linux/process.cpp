#include "platforms/process.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/linux/cgroup.h"
#include "platforms/linux/container_id.h"
#include "platforms/linux/raw_syscall.h"
#include "platforms/pages.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxSmallFile = 8192;

// A small file as text that ends with a zero; false where there is none or it is empty.
template <std::size_t N>
bool read_small_text(const char* path, char (&out)[N]) noexcept {
  const std::int64_t bytes = read_small_file(path, out, N - 1);
  out[std::max<std::int64_t>(bytes, 0)] = '\0';
  return bytes > 0;
}

// The number behind `key` in a "key:   123 kB" file, in bytes.
std::uint64_t read_kilobytes(const char* path, const char* key) noexcept {
  char text[kMaxSmallFile];
  if (!read_small_text(path, text)) return kUnknownBytes;
  const char* at = std::strstr(text, key);
  return at == nullptr ? kUnknownBytes : std::strtoull(at + std::strlen(key), nullptr, 10) * 1024;
}

}  // namespace

std::uint32_t process_id() noexcept { return static_cast<std::uint32_t>(raw_syscall(SYS_getpid)); }

std::uint64_t resident_bytes() noexcept {
  char text[256];
  if (!read_small_text("/proc/self/statm", text)) return kUnknownBytes;
  const char* second = std::strchr(text, ' ');
  return second == nullptr ? kUnknownBytes : std::strtoull(second, nullptr, 10) * page_bytes();
}

std::uint64_t process_uptime_ms() noexcept {
  char text[1024];
  if (!read_small_text("/proc/self/stat", text)) return 0;
  // Fields are counted from behind the command's name, which may hold anything; the start time is
  // field 22.
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  if (at == nullptr) return 0;
  const std::uint64_t ticks_per_s = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  const std::uint64_t started_ms = std::strtoull(at, nullptr, 10) * 1000 / ticks_per_s;
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  const std::uint64_t now_ms = static_cast<std::uint64_t>(boot.tv_sec) * 1000 +
                               static_cast<std::uint64_t>(boot.tv_nsec) / 1'000'000;
  return now_ms > started_ms ? now_ms - started_ms : 0;
}

std::uint64_t physical_memory_bytes() noexcept {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

std::uint64_t available_memory_bytes() noexcept {
  const std::uint64_t available = read_kilobytes("/proc/meminfo", "MemAvailable:");
  const std::uint64_t room = read_cgroup_memory("").head_room_bytes;
  return std::min(available, room);
}

std::uint32_t cpu_demand_percent() noexcept {
  constexpr std::uint32_t kLooks = 5;
  constexpr std::uint64_t kBetweenNs = 1'000'000;
  std::uint64_t runnable = 0;
  for (std::uint32_t look = 0; look < kLooks; ++look) {
    if (look != 0) sleep_ns(kBetweenNs);
    // "0.20 0.18 0.12 1/80 11206": the fourth field is what runs or could run, the reader included.
    char text[128];
    unsigned long long now = 0;
    if (!read_small_text("/proc/loadavg", text) ||
        std::sscanf(text, "%*s %*s %*s %llu/", &now) != 1)
      return 0;
    if (now != 0) runnable += now - 1;
  }
  const long cpus = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L);
  return static_cast<std::uint32_t>(runnable * 100 / (kLooks * static_cast<std::uint64_t>(cpus)));
}

std::uint64_t cgroup_limit_bytes() noexcept { return read_cgroup_memory("").limit_bytes; }

void host_name(char* out, std::size_t capacity) noexcept {
  utsname names{};
  ::uname(&names);
  std::snprintf(out, capacity, "%s", names.nodename);
}

void executable_name(char* out, std::size_t capacity) noexcept {
  char path[kMaxSmallFile];
  const ssize_t bytes = ::readlink("/proc/self/exe", path, sizeof path - 1);
  path[std::max<ssize_t>(bytes, 0)] = '\0';
  const char* const slash = std::strrchr(path, '/');
  std::snprintf(out, capacity, "%s", slash == nullptr ? path : slash + 1);
}

bool matches_pattern(const char* pattern, const char* name) noexcept {
  return ::fnmatch(pattern, name, 0) == 0;
}

void container_id(char* out, std::size_t capacity) noexcept {
  read_container_id("", out, capacity);
}

namespace {

// "PID (name) Z …": it has ended, and nobody has asked how yet; where the first process of a container asks nobody, for good.
bool is_zombie(std::uint32_t pid) noexcept {
  char path[32];
  char text[kMaxSmallFile];
  std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
  if (!read_small_text(path, text)) return false;
  const char* const name_end = std::strrchr(text, ')');
  return name_end != nullptr && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

}  // namespace

bool process_alive(std::uint32_t pid) noexcept {
  // 0 and what would be negative name groups of processes.
  if (pid == 0 || pid > INT32_MAX) return false;
  return (::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH) && !is_zombie(pid);
}

// A small init (tini, a shell) ends when what it started ends, and the kernel then ends the rest of its namespace.
bool ends_its_container() noexcept {
  constexpr long kInit = 1;
  if (raw_syscall(SYS_getpid) == kInit) return true;
  if (raw_syscall(SYS_getppid) != kInit) return false;
  constexpr std::string_view kMachines = "pid:[4026531836]";  // PROC_PID_INIT_INO
  char name[64];
  const ssize_t bytes = ::readlink("/proc/self/ns/pid", name, sizeof name);
  return bytes > 0 && std::string_view(name, static_cast<std::size_t>(bytes)) != kMachines;
}

// By hand: getenv() of a recent libc waits for a thread that is changing the environment.
const char* environment_value(const char* name) noexcept {
  const std::string_view wanted(name);
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.size() > wanted.size() && text.substr(0, wanted.size()) == wanted &&
        text[wanted.size()] == '=')
      return *entry + wanted.size() + 1;
  }
  return nullptr;
}

void crash_thread() noexcept {
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), SIGILL);
}

void end_process(int status) noexcept { ::_exit(status); }

}  // namespace holdfast::platforms
