#include "platforms/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "platforms/fault_points.h"
#include "platforms/linux/raw_file.h"

namespace holdfast::platforms {

namespace {

constexpr mode_t kPrivateDirectory = 0700;
constexpr mode_t kPrivateSocket = 0600;
constexpr mode_t kOthersWrite = 0022;

int answer_of(long answer) noexcept { return answer < 0 ? -errno : static_cast<int>(answer); }

int open_directory(const char* path, int more_flags) noexcept {
  const int opened = answer_of(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | more_flags));
  return raw_above_standard_streams(opened);
}

bool put_path(sockaddr_un& out, const char* directory, const char* name) noexcept {
  const int length = std::snprintf(out.sun_path, sizeof out.sun_path, "%s/%s", directory, name);
  return length > 0 && static_cast<std::size_t>(length) < sizeof out.sun_path;
}

// The whole path, which others can use too; where it is too long, the directory is entered by its descriptor.
bool address_in(int directory, const char* name, sockaddr_un& out) noexcept {
  out = {};
  out.sun_family = AF_UNIX;
  char entry[32];
  std::snprintf(entry, sizeof entry, "/proc/self/fd/%d", directory);
  char path[sizeof out.sun_path];
  const ssize_t length = ::readlink(entry, path, sizeof path);
  if (length > 0 && static_cast<std::size_t>(length) < sizeof path) {
    path[length] = '\0';
    if (put_path(out, path, name)) return true;
  }
  return put_path(out, entry, name);
}

// Is the directory ours, and such that nobody else can take our files out of it?
bool is_own(int directory, struct stat& about) noexcept {
  return ::fstat(directory, &about) == 0 && about.st_uid == ::geteuid() &&
         (about.st_mode & kOthersWrite) == 0;
}

int only_if(bool good, int opened) noexcept {
  if (good) return opened;
  ::close(opened);
  return -EPERM;
}

int stream_socket() noexcept {
  if (const int error = fault_error(FaultPoint::kSocket); error != 0) return -error;
  const int made = answer_of(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return raw_above_standard_streams(made);
}

// fchmod() before bind(): the kernel gives the file the socket's own mode, and umask only ever takes away from it. So there is no
// moment at which others could connect, and the umask, which belongs to the whole process, stays untouched.
int bind_private(int made, const sockaddr_un& address) noexcept {
  if (::fchmod(made, kPrivateSocket) != 0) return errno;
  if (const int error = fault_error(FaultPoint::kBind); error != 0) return error;
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return errno;
  return 0;
}

bool stat_in(int directory, const char* name, struct stat& out) noexcept {
  return ::fstatat(directory, name, &out, AT_SYMLINK_NOFOLLOW) == 0;
}

std::uint32_t events_of(Interest interest) noexcept {
  return interest == Interest::kRead ? EPOLLIN : interest == Interest::kWrite ? EPOLLOUT : 0u;
}

int control_ready(int set, int operation, int descriptor, std::uint32_t number,
                  Interest interest) noexcept {
  if (const int error = fault_error(FaultPoint::kReadySet); error != 0) return error;
  epoll_event event{};
  event.events = events_of(interest);
  event.data.u32 = number;
  return ::epoll_ctl(set, operation, descriptor, &event) == 0 ? 0 : errno;
}

}  // namespace

std::uint32_t effective_user() noexcept { return ::geteuid(); }

int open_own_directory(const char* path) noexcept {
  const int opened = open_directory(path, 0);
  if (opened < 0) return opened;
  struct stat about {};
  return only_if(is_own(opened, about), opened);
}

int open_private_directory(const char* path) noexcept {
  if (::mkdir(path, kPrivateDirectory) != 0 && errno != EEXIST) return -errno;
  const int opened = open_directory(path, O_NOFOLLOW);
  if (opened < 0) return opened == -ELOOP || opened == -ENOTDIR ? -EPERM : opened;
  struct stat about {};
  return only_if(is_own(opened, about) && (about.st_mode & 07777) == kPrivateDirectory, opened);
}

int lock_directory(int directory) noexcept {
  const int opened = raw_above_standard_streams(
      answer_of(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (opened < 0 || ::flock(opened, LOCK_EX | LOCK_NB) == 0) return opened;
  const int error = errno;
  ::close(opened);
  return -error;
}

int listen_in(int directory, const char* name, int backlog) noexcept {
  sockaddr_un address{};
  if (!address_in(directory, name, address)) return -ENAMETOOLONG;
  const int made = stream_socket();
  if (made < 0) return made;
  const int error = bind_private(made, address);
  if (error == 0 && ::listen(made, backlog) == 0) return made;
  const int listen_error = errno;
  if (error == 0) ::unlink(address.sun_path);
  ::close(made);
  return -(error == 0 ? listen_error : error);
}

bool find_socket_file(int directory, const char* name, SocketFile& out) noexcept {
  struct stat about {};
  if (!stat_in(directory, name, about) || !S_ISSOCK(about.st_mode)) return false;
  out = {about.st_dev, about.st_ino};
  return true;
}

bool remove_socket_file(int directory, const char* name, const SocketFile& file) noexcept {
  SocketFile found;
  if (!find_socket_file(directory, name, found)) return false;
  if (found.device != file.device || found.inode != file.inode) return false;
  return ::unlinkat(directory, name, 0) == 0;
}

bool is_abandoned_socket(int directory, const char* name) noexcept {
  struct stat about {};
  if (!stat_in(directory, name, about) || !S_ISSOCK(about.st_mode) || about.st_uid != ::geteuid())
    return false;
  sockaddr_un address{};
  if (!address_in(directory, name, address)) return false;
  const int made = stream_socket();
  if (made < 0) return false;
  const bool refused =
      ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  ::close(made);
  return refused;
}

int accept_connection(int listening) noexcept {
  if (const int error = fault_error(FaultPoint::kAccept); error != 0) return -error;
  int taken = 0;
  do taken = answer_of(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  while (taken == -EINTR || taken == -ECONNABORTED);
  return raw_above_standard_streams(taken);
}

bool peer_of(int connection, Peer& out) noexcept {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0) return false;
  out = {who.uid, static_cast<std::uint32_t>(who.pid)};
  return true;
}

std::int64_t receive_some(int connection, void* out, std::size_t capacity) noexcept {
  ssize_t got = 0;
  do got = ::recv(connection, out, capacity, MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : got;
}

std::int64_t send_some(int connection, const void* data, std::size_t bytes) noexcept {
  ssize_t sent = 0;
  do sent = ::send(connection, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int connect_to(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  char directory_path[4096];
  const std::size_t length = slash == nullptr ? 0 : static_cast<std::size_t>(slash - path);
  if (length >= sizeof directory_path) return -ENAMETOOLONG;
  std::memcpy(directory_path, path, length);
  directory_path[length] = '\0';
  const char* const where = slash == nullptr ? "." : length == 0 ? "/" : directory_path;
  const int directory = answer_of(::open(where, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (directory < 0) return directory;
  sockaddr_un address{};
  int made = -ENAMETOOLONG;
  if (address_in(directory, slash == nullptr ? path : slash + 1, address))
    made = answer_of(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made >= 0 &&
      ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(made);
    made = -error;
  }
  ::close(directory);
  return made;
}

int open_ready_set() noexcept {
  if (const int error = fault_error(FaultPoint::kReadySet); error != 0) return -error;
  return raw_above_standard_streams(answer_of(::epoll_create1(EPOLL_CLOEXEC)));
}

int watch_ready(int set, int descriptor, std::uint32_t number, Interest interest) noexcept {
  return control_ready(set, EPOLL_CTL_ADD, descriptor, number, interest);
}

int change_ready(int set, int descriptor, std::uint32_t number, Interest interest) noexcept {
  return control_ready(set, EPOLL_CTL_MOD, descriptor, number, interest);
}

void forget_ready(int set, int descriptor) noexcept {
  epoll_event unused{};
  ::epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &unused);
}

int take_ready(int set, Ready* out, std::size_t capacity) noexcept {
  constexpr std::size_t kMost = 32;
  epoll_event events[kMost];
  const int wanted = static_cast<int>(capacity < kMost ? capacity : kMost);
  const int count = answer_of(::epoll_wait(set, events, wanted, 0));
  for (int i = 0; i < count; ++i)
    out[i] = {events[i].data.u32, (events[i].events & EPOLLIN) != 0,
              (events[i].events & EPOLLOUT) != 0, (events[i].events & (EPOLLHUP | EPOLLERR)) != 0};
  return count == -EINTR ? 0 : count;
}

}  // namespace holdfast::platforms
