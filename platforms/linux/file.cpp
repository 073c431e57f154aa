#include "platforms/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr unsigned kRenameNoReplace = 1;

int sync_directory_of(const char* path) noexcept {
  char directory[kMaxPath];
  const char* slash = std::strrchr(path, '/');
  const std::size_t length = slash == nullptr ? 0 : static_cast<std::size_t>(slash - path);
  if (length >= kMaxPath) return ENAMETOOLONG;
  std::memcpy(directory, path, length);
  directory[length] = '\0';
  const char* name = slash == nullptr ? "." : (length == 0 ? "/" : directory);
  const int descriptor = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems cannot sync a directory; the rename itself is done.
  return error == EINVAL ? 0 : error;
}

// For file systems without RENAME_NOREPLACE: a hard link fails when the name is taken.
int publish_by_link(const char* temporary_path, const char* final_path) noexcept {
  if (::link(temporary_path, final_path) != 0) return errno;
  ::unlink(temporary_path);
  return 0;
}

}  // namespace

int create_file(const char* path) noexcept {
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  return descriptor >= 0 ? descriptor : -errno;
}

int append_file(const char* path) noexcept {
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return descriptor >= 0 ? descriptor : -errno;
}

int write_all(int descriptor, const void* data, std::size_t bytes) noexcept {
  const char* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t written = ::write(descriptor, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written == 0 ? ENOSPC : errno;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

int sync_and_close(int descriptor) noexcept {
  const int synced = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  const int closed = ::close(descriptor) == 0 ? 0 : errno;
  return synced != 0 ? synced : closed;
}

void close_quietly(int descriptor) noexcept {
  if (descriptor >= 0) ::close(descriptor);
}

int remove_file(const char* path) noexcept { return ::unlink(path) == 0 ? 0 : errno; }

int publish_file(const char* temporary_path, const char* final_path) noexcept {
  int error = 0;
  if (::syscall(SYS_renameat2, AT_FDCWD, temporary_path, AT_FDCWD, final_path, kRenameNoReplace) != 0) error = errno;
  if (error == EINVAL || error == ENOSYS) error = publish_by_link(temporary_path, final_path);
  return error != 0 ? error : sync_directory_of(final_path);
}

int check_directory_writable(const char* path) noexcept {
  struct stat info {};
  if (::stat(path, &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) return ENOTDIR;
  return ::access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

bool file_exists(const char* path) noexcept {
  struct stat info {};
  return ::lstat(path, &info) == 0 || errno != ENOENT;
}

std::uint64_t file_modified_ns(const char* path) noexcept {
  struct stat info {};
  if (::lstat(path, &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

std::uint64_t free_disk_bytes(const char* path) noexcept {
  struct statvfs info {};
  if (::statvfs(path, &info) != 0) return UINT64_MAX;
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

int map_file(const char* path, MappedFile& out) noexcept {
  out = {};
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat info {};
  int error = ::fstat(descriptor, &info) == 0 ? 0 : errno;
  if (error == 0 && S_ISDIR(info.st_mode)) error = EISDIR;
  if (error == 0 && !S_ISREG(info.st_mode)) error = EINVAL;
  if (error == 0 && info.st_size > 0) {
    const auto bytes = static_cast<std::uint64_t>(info.st_size);
    void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    error = start == MAP_FAILED ? errno : 0;
    if (error == 0) out = MappedFile{static_cast<const std::byte*>(start), bytes};
  }
  ::close(descriptor);
  return error;
}

void unmap_file(MappedFile& file) noexcept {
  if (file.data != nullptr) ::munmap(const_cast<std::byte*>(file.data), file.bytes);
  file = {};
}

std::int64_t read_small_file(const char* path, char* buffer, std::size_t capacity) noexcept {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  std::size_t count = 0;
  std::int64_t error = 0;
  while (count < capacity && error == 0) {
    const ssize_t got = ::read(descriptor, buffer + count, capacity - count);
    if (got == 0) break;
    if (got > 0) count += static_cast<std::size_t>(got);
    else if (errno != EINTR) error = -errno;
  }
  ::close(descriptor);
  return error != 0 ? error : static_cast<std::int64_t>(count);
}

int list_directory(const char* path, void (*visit)(void* context, const char* name), void* context) noexcept {
  DIR* directory = ::opendir(path);
  if (directory == nullptr) return errno;
  while (const dirent* entry = ::readdir(directory)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) visit(context, entry->d_name);
  }
  ::closedir(directory);
  return 0;
}

}  // namespace holdfast::platforms
