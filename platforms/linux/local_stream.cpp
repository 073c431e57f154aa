#include "platforms/local_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>

namespace holdfast::platforms {

namespace {

Descriptor open_socket_file(int directory, const char* name, std::uint32_t user) noexcept {
  const int descriptor = ::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return Descriptor(-errno);
  Descriptor file(descriptor);
  FileOwner owner;
  if (const int error = read_owner(descriptor, owner); error != 0) return Descriptor(-error);
  if (!owner.is_socket) return Descriptor(-ENOTSOCK);
  return owner.user == user ? static_cast<Descriptor&&>(file) : Descriptor(-EPERM);
}

}  // namespace

Descriptor connect_local_stream(int directory, const char* name, std::uint32_t owner) noexcept {
  Descriptor file = open_socket_file(directory, name, owner);
  if (!file.valid()) return file;
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return Descriptor(-errno);
  Descriptor stream(made);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file.get());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(made, generic, sizeof address) != 0) return Descriptor(-errno);
  return stream;
}

int wait_for_stream(int stream, StreamWait what, unsigned milliseconds, int waker) noexcept {
  const auto events = static_cast<short>(what == StreamWait::kReadable ? POLLIN : POLLOUT);
  pollfd wanted[] = {{stream, events, 0}, {waker, POLLIN, 0}};  // poll() passes over one below 0
  const int ready = ::poll(wanted, 2, static_cast<int>(milliseconds));
  if (ready < 0) return errno;
  if (wanted[0].revents != 0) return 0;
  return ready == 0 ? EAGAIN : EINTR;
}

}  // namespace holdfast::platforms
