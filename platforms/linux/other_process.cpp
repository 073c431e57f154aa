#include "platforms/other_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <ctime>

#include "platforms/file.h"
#include "platforms/linux/container_id.h"
#include "platforms/linux/other_process_text.h"
#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxProcPath = 64;  // "/proc/4194304/fd/1073741816"

struct ProcPath {
  ProcPath(std::uint32_t pid, const char* name) noexcept {
    std::snprintf(text, sizeof text, "/proc/%u/%s", pid, name);
  }
  char text[kMaxProcPath];
};

// What /proc answers about a process that has ended.
int gone_or(int error) noexcept { return error == ENOENT ? ESRCH : error; }

int check_readable(const char* path) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return gone_or(errno);
  char first;
  // A dead process' maps open, and the first read tells.
  const bool failed = ::read(file, &first, 1) < 0;
  const int error = failed ? gone_or(errno) : 0;
  ::close(file);
  return error;
}

int read_start(std::uint32_t pid, std::uint64_t& ticks) noexcept {
  constexpr std::size_t kMaxStat = 2048;  // 52 numbers and a name of at most 64 bytes
  char text[kMaxStat];
  const std::int64_t bytes = read_small_file(ProcPath(pid, "stat").text, text, sizeof text);
  if (bytes < 0) return gone_or(static_cast<int>(-bytes));
  return parse_start({text, static_cast<std::size_t>(bytes)}, ticks) ? 0 : ESRCH;
}

bool same_inode(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Is this file of the other's /proc folder the same as ours?
int compare_own(std::uint32_t pid, const char* name, bool& same) noexcept {
  struct stat theirs {};
  struct stat ours {};
  char own[kMaxProcPath];
  std::snprintf(own, sizeof own, "/proc/self/%s", name);
  if (::stat(ProcPath(pid, name).text, &theirs) != 0) return gone_or(errno);
  if (::stat(own, &ours) != 0) return errno;
  same = same_inode(theirs, ours);
  return 0;
}

}  // namespace

bool proc_has_our_numbers() noexcept {
  char link[kMaxProcPath];
  const ssize_t bytes = ::readlink("/proc/self", link, sizeof link);
  if (bytes <= 0) return false;
  pid_t number = 0;
  const auto parsed = std::from_chars(link, link + bytes, number);
  return parsed.ec == std::errc{} && parsed.ptr == link + bytes && number == ::getpid();
}

int read_other_process(std::uint32_t pid, OtherProcess& out) noexcept {
  OtherProcess found;
  found.pid = found.group_pid = found.inner_pid = pid;
  if (const int error = read_start(pid, found.started_ticks); error != 0) return error;
  bool met = false;
  for_each_line(ProcPath(pid, "status").text, [&](std::string_view line) {
    take_status_line(line, found);
    return met = true;
  });
  if (!met) return ESRCH;
  out = found;
  return 0;
}

bool same_process(const OtherProcess& process) noexcept {
  OtherProcess now;
  return read_other_process(process.pid, now) == 0 && now.started_ticks == process.started_ticks &&
         now.state != ProcessState::kDead;
}

std::uint64_t process_age_ms(const OtherProcess& process) noexcept {
  const auto ticks_per_s = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  const std::uint64_t started_ms = process.started_ticks * 1000 / ticks_per_s;
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  const std::uint64_t now_ms = static_cast<std::uint64_t>(boot.tv_sec) * 1000 +
                               static_cast<std::uint64_t>(boot.tv_nsec) / 1'000'000;
  return now_ms > started_ms ? now_ms - started_ms : 0;
}

int open_process(std::uint32_t pid) noexcept {
  const long descriptor = ::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0u);
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

int send_quit(int process, std::uint32_t pid) noexcept {
  if (process < 0 && process != -ENOSYS) return -process;
  const long answer = process >= 0 ? ::syscall(SYS_pidfd_send_signal, process, SIGQUIT, nullptr, 0u)
                                   : ::kill(static_cast<pid_t>(pid), SIGQUIT);
  return answer == 0 ? 0 : errno;
}

std::int64_t read_process_text(std::uint32_t pid, ProcessText which, char* out,
                               std::size_t capacity) noexcept {
  const char* name = which == ProcessText::kCommandLine ? "cmdline" : "environ";
  const std::int64_t bytes = read_small_file(ProcPath(pid, name).text, out, capacity);
  return bytes == -ENOENT ? -ESRCH : bytes;
}

int has_other_root(std::uint32_t pid, bool& out) noexcept {
  bool same_mounts = false;
  bool same_root = false;
  if (const int error = compare_own(pid, "ns/mnt", same_mounts); error != 0) return error;
  if (const int error = compare_own(pid, "root", same_root); error != 0) return error;
  out = !same_mounts || !same_root;
  return 0;
}

int read_process_link(std::uint32_t pid, const char* link, char* out,
                      std::size_t capacity) noexcept {
  const ssize_t bytes = ::readlink(ProcPath(pid, link).text, out, capacity);
  if (bytes < 0) return gone_or(errno);
  if (static_cast<std::size_t>(bytes) == capacity) return ENAMETOOLONG;
  out[bytes] = '\0';
  return 0;
}

int visit_mapped_files(std::uint32_t pid, VisitMapped visit, void* context) noexcept {
  const ProcPath path(pid, "maps");
  if (const int error = check_readable(path.text); error != 0) return error;
  for_each_line(path.text, [&](std::string_view line) {
    MappedName file;
    return !parse_mapped_file(line, file) || visit(context, file);
  });
  return 0;
}

int visit_sockets(std::uint32_t pid, VisitInode visit, void* context) noexcept {
  DIR* directory = ::opendir(ProcPath(pid, "fd").text);
  if (directory == nullptr) return gone_or(errno);
  bool wanted = true;
  while (wanted) {
    const dirent* entry = ::readdir(directory);
    if (entry == nullptr) break;
    char link[kMaxProcPath];
    const ssize_t bytes = ::readlinkat(::dirfd(directory), entry->d_name, link, sizeof link);
    std::uint64_t inode = 0;
    if (bytes > 0 && parse_socket_link({link, static_cast<std::size_t>(bytes)}, inode))
      wanted = visit(context, inode);
  }
  ::closedir(directory);
  return 0;
}

int visit_local_sockets(std::uint32_t pid, VisitLocalSocket visit, void* context) noexcept {
  const ProcPath path(pid, "net/unix");
  if (const int error = check_readable(path.text); error != 0) return error;
  for_each_line(path.text, [&](std::string_view line) {
    LocalSocketName socket;
    return !parse_local_socket(line, socket) || visit(context, socket);
  });
  return 0;
}

int visit_processes(bool (*visit)(void* context, std::uint32_t pid), void* context) noexcept {
  struct Visit {
    bool (*visit)(void* context, std::uint32_t pid);
    void* context;
    bool wanted;
  } state{visit, context, true};
  return list_directory(
      "/proc",
      [](void* raw, const char* name) {
        auto& to = *static_cast<Visit*>(raw);
        const std::string_view text(name);
        std::uint32_t pid = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), pid);
        if (parsed.ec == std::errc{} && *parsed.ptr == '\0' && to.wanted)
          to.wanted = to.visit(to.context, pid);
      },
      &state);
}

void container_id_of(std::uint32_t pid, char* out, std::size_t capacity) noexcept {
  char process[kMaxProcPath];
  std::snprintf(process, sizeof process, "%u", pid);
  read_container_id("", out, capacity, process);
}

void user_name(std::uint32_t user, char* out, std::size_t capacity) noexcept {
  std::snprintf(out, capacity, "%u", user);
  // By hand: libc's own way loads libraries, which a static command cannot.
  for_each_line("/etc/passwd", [&](std::string_view line) {
    std::string_view name;
    if (!parse_user(line, user, name)) return true;
    std::snprintf(out, capacity, "%.*s", static_cast<int>(name.size()), name.data());
    return false;
  });
}

std::uint32_t own_effective_user() noexcept { return ::geteuid(); }

}  // namespace holdfast::platforms
