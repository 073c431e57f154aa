#include "platforms/foreign_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "platforms/fault_points.h"
#include "platforms/file.h"

namespace holdfast::platforms {

namespace {

constexpr int kLookOnly = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr std::size_t kMaxName = 256;

int opened(long descriptor) noexcept {
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

// The next part of a path, taken off its front.
std::string_view take_part(std::string_view& path) noexcept {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

// ENOTDIR is what the kernel says of a link where a directory is wanted.
int link_or(int directory, const char* name, int error) noexcept {
  struct stat info {};
  const bool is_link = error == ENOTDIR &&
                       ::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISLNK(info.st_mode);
  return is_link ? ELOOP : error;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close_quietly(value_);
    value_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() { close_quietly(value_); }

Descriptor open_process_directory(std::uint32_t pid, ProcessDirectory which) noexcept {
  char path[64];
  const char* const name = which == ProcessDirectory::kRoot      ? "root"
                           : which == ProcessDirectory::kWorking ? "cwd"
                                                                 : "fd";
  std::snprintf(path, sizeof path, "/proc/%u/%s", pid, name);
  const int descriptor = opened(::open(path, kLookOnly));
  return Descriptor(descriptor == -ENOENT ? -ESRCH : descriptor);
}

Descriptor open_process_descriptor(std::uint32_t pid, unsigned descriptor) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/fd/%u", pid, descriptor);
  return Descriptor(opened(::open(path, kLookOnly)));
}

Descriptor open_directory_strictly(int root, const char* path) noexcept {
  Descriptor at(opened(::openat(root, ".", kLookOnly)));
  std::string_view rest(path);
  for (std::string_view part = take_part(rest); at.valid() && !part.empty();
       part = take_part(rest)) {
    char name[kMaxName];
    if (part.size() >= sizeof name) return Descriptor(-ENAMETOOLONG);
    if (part == "..") return Descriptor(-EINVAL);
    std::memcpy(name, part.data(), part.size());
    name[part.size()] = '\0';
    const int next = opened(::openat(at.get(), name, kLookOnly | O_NOFOLLOW));
    at = Descriptor(next < 0 ? -link_or(at.get(), name, -next) : next);
  }
  return at;
}

Descriptor open_directory_inside(int root, const char* path) noexcept {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kLookOnly);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const int descriptor = opened(::syscall(SYS_openat2, root, path, &how, sizeof how));
  // EPERM: a sandbox that does not know the call.
  if (descriptor == -ENOSYS || descriptor == -EPERM) return open_directory_strictly(root, path);
  return Descriptor(descriptor);
}

int read_directory_facts(int directory, DirectoryFacts& out) noexcept {
  struct statvfs info {};
  if (::fstatvfs(directory, &info) != 0) return errno;
  out.no_exec = (info.f_flag & ST_NOEXEC) != 0;
  out.read_only = (info.f_flag & ST_RDONLY) != 0;
  out.free_bytes = std::uint64_t{info.f_bavail} * info.f_frsize;
  return 0;
}

Descriptor create_in(int directory, const char* name, unsigned mode) noexcept {
  if (const int error = fault_error(FaultPoint::kCreateFile); error != 0) return Descriptor(-error);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(opened(::openat(directory, name, kFlags, mode)));
}

Descriptor make_directory_in(int directory, const char* name) noexcept {
  if (::mkdirat(directory, name, S_IRWXU) != 0) return Descriptor(-errno);
  Descriptor made(opened(::openat(directory, name, kLookOnly | O_NOFOLLOW)));
  if (!made.valid()) ::unlinkat(directory, name, AT_REMOVEDIR);
  return made;
}

int remove_in(int directory, const char* name) noexcept {
  return ::unlinkat(directory, name, 0) == 0 ? 0 : errno;
}

int remove_directory_in(int directory, const char* name) noexcept {
  return ::unlinkat(directory, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

int set_mode(int descriptor, unsigned mode) noexcept {
  return ::fchmod(descriptor, mode) == 0 ? 0 : errno;
}

namespace {

int owner_at(int directory, const char* name, int flags, FileOwner& out) noexcept {
  struct stat info {};
  if (::fstatat(directory, name, &info, flags) != 0) return errno;
  out = {info.st_uid, info.st_gid, S_ISSOCK(info.st_mode), S_ISREG(info.st_mode)};
  return 0;
}

}  // namespace

int read_owner_in(int directory, const char* name, FileOwner& out) noexcept {
  return owner_at(directory, name, AT_SYMLINK_NOFOLLOW, out);
}

int read_owner(int descriptor, FileOwner& out) noexcept {
  return owner_at(descriptor, "", AT_EMPTY_PATH, out);
}

Descriptor open_file_in(int directory, const char* name) noexcept {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  return Descriptor(opened(::openat(directory, name, kFlags)));
}

std::int64_t read_descriptor(int descriptor, void* out, std::size_t capacity) noexcept {
  std::size_t count = 0;
  while (count < capacity) {
    const ssize_t got = ::read(descriptor, static_cast<char*>(out) + count, capacity - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(count);
}

std::int64_t read_first_in(int directory, const char* name, void* out,
                           std::size_t capacity) noexcept {
  const Descriptor file = open_file_in(directory, name);
  if (!file.valid()) return -file.error();
  const ssize_t bytes = ::read(file.get(), out, capacity);
  return bytes < 0 ? -errno : bytes;
}

int check_readable_file(const char* path) noexcept {
  const Descriptor file(opened(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  return file.error();
}

bool on_no_exec_mount(const char* path) noexcept {
  struct statvfs info {};
  return ::statvfs(path, &info) == 0 && (info.f_flag & ST_NOEXEC) != 0;
}

int random_digits(char* out, std::size_t count) noexcept {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < count; ++i) {
    unsigned char byte = 0;
    if (::getrandom(&byte, 1, 0) != 1) return errno;
    out[i] = kDigits[byte % 16];
  }
  out[count] = '\0';
  return 0;
}

}  // namespace holdfast::platforms
