#include "platforms/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "platforms/fault_points.h"
#include "platforms/linux/raw_file.h"
#include "platforms/pages.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr unsigned kRenameNoReplace = 1;

int error_of(long answer) noexcept { return answer < 0 ? static_cast<int>(-answer) : 0; }

// 0 also where a directory cannot be opened for reading or be synced at all: then no one can do better.
int sync_directory_of(const char* path) noexcept {
  if (const int error = fault_error(FaultPoint::kSyncDirectory); error != 0) return error;
  char directory[kMaxPath];
  const std::size_t slash = std::string_view(path).rfind('/');
  const std::size_t length = slash == std::string_view::npos ? 0 : slash;
  if (length >= kMaxPath) return ENAMETOOLONG;
  std::memcpy(directory, path, length);
  directory[length] = '\0';
  const char* name = slash == std::string_view::npos ? "." : (length == 0 ? "/" : directory);
  const int descriptor = raw_open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return descriptor == -EACCES ? 0 : -descriptor;
  const int error = error_of(raw_syscall(SYS_fsync, descriptor));
  raw_close(descriptor);
  return error == EINVAL || error == EOPNOTSUPP ? 0 : error;
}

// For file systems without RENAME_NOREPLACE: a hard link fails when the name is taken.
int publish_by_link(const char* temporary_path, const char* final_path) noexcept {
  const long linked = raw_syscall(SYS_linkat, AT_FDCWD, temporary_path, AT_FDCWD, final_path, 0);
  if (linked == 0) raw_unlink(temporary_path);
  return error_of(linked);
}

// File systems that cannot answer EINVAL, kernels that cannot ENOSYS, sandboxes that forbid it EPERM.
bool rename_flag_unknown(int error) noexcept {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
}

int rename_to_new(const char* temporary_path, const char* final_path) noexcept {
  int error = fault_error(FaultPoint::kRename);
  if (error == 0)
    error = error_of(raw_syscall(SYS_renameat2, AT_FDCWD, temporary_path, AT_FDCWD, final_path,
                                 kRenameNoReplace));
  return rename_flag_unknown(error) ? publish_by_link(temporary_path, final_path) : error;
}

// File systems without O_TMPFILE answer EOPNOTSUPP, kernels without it take the directory for the file.
bool tmpfile_unknown(int error) noexcept {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
}

int create_and_unlink(const char* directory) noexcept {
  if (const int error = fault_error(FaultPoint::kCreateFile); error != 0) return -error;
  char path[kMaxPath];
  const int length = std::snprintf(path, sizeof path, "%s/holdfast-XXXXXX", directory);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return -ENAMETOOLONG;
  const int created = ::mkostemp(path, O_CLOEXEC);
  if (created < 0) return -errno;
  raw_unlink(path);
  return raw_above_standard_streams(created);
}

// Of a link, the link itself.
long look_at(const char* path, struct stat& out) noexcept {
  return raw_stat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

bool is_ours(const struct stat& info) noexcept {
  return S_ISREG(info.st_mode) && static_cast<long>(info.st_uid) == raw_syscall(SYS_geteuid);
}

// Ours: a plain file of the same user. Anything else under such a name is somebody's trap or mistake.
int check_ours(int descriptor) noexcept {
  struct stat info {};
  if (const long answer = raw_stat_of(descriptor, info); answer < 0) return error_of(answer);
  return is_ours(info) ? 0 : EPERM;
}

long lock_now(int descriptor) noexcept {
  return raw_syscall(SYS_flock, descriptor, LOCK_EX | LOCK_NB);
}

// Between creating and locking a file a sweep may have found it unlocked and removed it.
bool lost_to_a_sweep(int descriptor) noexcept {
  struct stat info {};
  return raw_stat_of(descriptor, info) == 0 && info.st_nlink == 0;
}

}  // namespace

int create_file(const char* path) noexcept {
  if (const int error = fault_error(FaultPoint::kCreateFile); error != 0) return -error;
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    const int descriptor = raw_above_standard_streams(raw_open(path, kFlags));
    if (descriptor < 0) return descriptor;
    // Where there are no locks (EOPNOTSUPP, ENOLCK), nobody will find this one unlocked either.
    const bool raced = lock_now(descriptor) == -EWOULDBLOCK;
    if (!raced && !lost_to_a_sweep(descriptor)) return descriptor;
    raw_close(descriptor);
  }
  return -EAGAIN;
}

int create_unnamed_file(const char* directory) noexcept {
  int error = fault_error(FaultPoint::kCreateFile);
  if (error == 0) {
    const int descriptor =
        raw_above_standard_streams(raw_open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC));
    if (descriptor >= 0) return descriptor;
    error = -descriptor;
  }
  return tmpfile_unknown(error) ? create_and_unlink(directory) : -error;
}

int append_file(const char* path) noexcept {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
  return raw_above_standard_streams(raw_open(path, kFlags));
}

int write_all(int descriptor, const void* data, std::size_t bytes) noexcept {
  if (const int error = fault_error(FaultPoint::kWrite); error != 0) return error;
  const char* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const long written = raw_syscall(SYS_write, descriptor, at, bytes);
    if (written == -EINTR) continue;
    if (written <= 0) return written == 0 ? ENOSPC : error_of(written);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

int sync_file(int descriptor) noexcept {
  if (const int error = fault_error(FaultPoint::kSync); error != 0) return error;
  const int error = error_of(raw_syscall(SYS_fsync, descriptor));
  return error == EINVAL ? 0 : error;
}

int sync_and_close(int descriptor) noexcept {
  const int synced = sync_file(descriptor);
  const int closed = error_of(raw_close(descriptor));
  return synced != 0 ? synced : closed;
}

void close_quietly(int descriptor) noexcept {
  if (descriptor >= 0) raw_close(descriptor);
}

int remove_file(const char* path) noexcept { return error_of(raw_unlink(path)); }

int remove_abandoned_file(const char* path) noexcept {
  // For writing, because some network file systems want that for a lock.
  const int descriptor = raw_open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -descriptor;
  int error = check_ours(descriptor);
  if (error == 0) error = error_of(lock_now(descriptor));
  if (error == 0) error = remove_file(path);
  raw_close(descriptor);
  return error;
}

int publish_file(const char* temporary_path, const char* final_path) noexcept {
  if (const int error = rename_to_new(temporary_path, final_path); error != 0) return error;
  const int error = sync_directory_of(final_path);
  // Not known to survive a power cut: then rather absent, so that an error always means no file.
  if (error != 0) raw_unlink(final_path);
  return error;
}

int replace_file(const char* temporary_path, const char* final_path) noexcept {
  int error = fault_error(FaultPoint::kRename);
  if (error == 0)
    error = error_of(raw_syscall(SYS_renameat2, AT_FDCWD, temporary_path, AT_FDCWD, final_path, 0));
  return error != 0 ? error : sync_directory_of(final_path);
}

bool is_being_written(const char* path) noexcept {
  const int descriptor = raw_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = raw_syscall(SYS_flock, descriptor, LOCK_SH | LOCK_NB) == -EWOULDBLOCK;
  raw_close(descriptor);
  return locked;
}

int check_directory_writable(const char* path) noexcept {
  struct stat info {};
  const long answer = raw_stat(AT_FDCWD, path, info, 0);
  if (answer < 0) return error_of(answer);
  if (!S_ISDIR(info.st_mode)) return ENOTDIR;
  return error_of(raw_syscall(SYS_faccessat, AT_FDCWD, path, W_OK | X_OK));
}

bool is_own_plain_file(const char* path) noexcept {
  struct stat info {};
  return look_at(path, info) == 0 && is_ours(info);
}

bool file_exists(const char* path) noexcept {
  struct stat info {};
  return look_at(path, info) != -ENOENT;
}

std::uint64_t file_bytes(const char* path) noexcept {
  struct stat info {};
  return look_at(path, info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::uint64_t file_modified_ns(const char* path) noexcept {
  struct stat info {};
  if (look_at(path, info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

std::uint64_t free_disk_bytes(const char* path) noexcept {
  if (fault_error(FaultPoint::kFreeDisk) != 0) return 0;
  struct statvfs info {};
  if (::statvfs(path, &info) != 0) return UINT64_MAX;
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

int map_descriptor(int descriptor, MappedFile& out) noexcept {
  out = {};
  struct stat info {};
  if (const long answer = raw_stat_of(descriptor, info); answer < 0) return error_of(answer);
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EINVAL;
  if (info.st_size == 0) return 0;
  if (static_cast<std::uint64_t>(info.st_size) > SIZE_MAX) return EFBIG;
  const auto bytes = static_cast<std::size_t>(info.st_size);
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) return errno;
  out = MappedFile{static_cast<const std::byte*>(start), bytes};
  return 0;
}

int map_file(const char* path, MappedFile& out) noexcept {
  out = {};
  // A named pipe must not hold us up before we have seen what it is.
  const int descriptor = raw_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -descriptor;
  const int error = map_descriptor(descriptor, out);
  raw_close(descriptor);
  return error;
}

void unmap_file(MappedFile& file) noexcept {
  if (file.data != nullptr) ::munmap(const_cast<std::byte*>(file.data), file.bytes);
  file = {};
}

void drop_mapped_pages(const std::byte* start, std::uint64_t bytes) noexcept {
  const std::uintptr_t page = page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(start) / page * page;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(start) + static_cast<std::size_t>(bytes)) / page * page;
  if (end > first) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

std::int64_t read_small_file(const char* path, char* buffer, std::size_t capacity) noexcept {
  // Where somebody names a pipe or a terminal, nothing waits for what may come through it.
  const int descriptor = raw_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  std::size_t count = 0;
  std::int64_t error = 0;
  while (count < capacity && error == 0) {
    const long got = raw_syscall(SYS_read, descriptor, buffer + count, capacity - count);
    if (got == 0) break;
    if (got > 0)
      count += static_cast<std::size_t>(got);
    else if (got != -EINTR)
      error = got;
  }
  raw_close(descriptor);
  return error != 0 ? error : static_cast<std::int64_t>(count);
}

int highest_of_next_descriptors(int count) noexcept {
  constexpr int kMost = 16;
  int opened[kMost];
  int highest = 0;
  int error = 0;
  int got = 0;
  for (; got < count && got < kMost && error == 0; ++got) {
    opened[got] = ::open("/", O_PATH | O_CLOEXEC);
    if (opened[got] < 0) error = errno;
    highest = opened[got] > highest ? opened[got] : highest;
  }
  for (int i = 0; i < got; ++i)
    if (opened[i] >= 0) ::close(opened[i]);
  return error == 0 ? highest : -error;
}

int list_directory(const char* path, void (*visit)(void* context, const char* name),
                   void* context) noexcept {
  DIR* directory = ::opendir(path);
  if (directory == nullptr) return errno;
  while (const dirent* entry = ::readdir(directory)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      visit(context, entry->d_name);
  }
  ::closedir(directory);
  return 0;
}

}  // namespace holdfast::platforms
