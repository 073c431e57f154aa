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

Descriptor open_socket_file(int directory, const char* name) noexcept {
  const int descriptor = ::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return Descriptor(-errno);
  Descriptor file(descriptor);
  FileOwner owner;
  if (const int error = read_owner(descriptor, owner); error != 0) return Descriptor(-error);
  return owner.is_socket ? static_cast<Descriptor&&>(file) : Descriptor(-ENOTSOCK);
}

}  // namespace

Descriptor connect_local_stream(int directory, const char* name) noexcept {
  Descriptor file = open_socket_file(directory, name);
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

int read_stream_peer(int stream, StreamPeer& out) noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(stream, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return errno;
  out = {static_cast<std::uint32_t>(peer.pid), peer.uid};
  return 0;
}

std::int64_t read_stream(int stream, void* out, std::size_t capacity) noexcept {
  const ssize_t count = ::recv(stream, out, capacity, 0);
  return count < 0 ? -errno : count;
}

std::int64_t write_stream(int stream, const void* data, std::size_t bytes) noexcept {
  const ssize_t count = ::send(stream, data, bytes, MSG_NOSIGNAL);
  return count < 0 ? -errno : count;
}

int wait_for_stream(int stream, StreamWait what, unsigned milliseconds) noexcept {
  const auto events = static_cast<short>(what == StreamWait::kReadable ? POLLIN : POLLOUT);
  pollfd wanted{stream, events, 0};
  return ::poll(&wanted, 1, static_cast<int>(milliseconds)) > 0 ? 0 : EAGAIN;
}

}  // namespace holdfast::platforms
