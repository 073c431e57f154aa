#include "platforms/loopback_stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "platforms/local_stream.h"

namespace holdfast::platforms {

Descriptor connect_loopback(std::uint16_t port) noexcept {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return Descriptor(-errno);
  Descriptor stream(made);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A loopback address answers at once, or refuses at once.
  if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Descriptor(-errno);
  const int at_once = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return stream;
}

int send_all(int stream, const void* data, std::size_t bytes, unsigned milliseconds) noexcept {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ::ssize_t sent = ::send(stream, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return errno;
    if (sent < 0) {
      if (wait_for_stream(stream, StreamWait::kWritable, milliseconds) != 0) return ETIMEDOUT;
      continue;
    }
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return 0;
}

std::int64_t receive_some(int stream, void* out, std::size_t capacity,
                          unsigned milliseconds) noexcept {
  for (;;) {
    const ::ssize_t got = ::recv(stream, out, capacity, MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -errno;
    if (wait_for_stream(stream, StreamWait::kReadable, milliseconds) != 0) return -ETIMEDOUT;
  }
}

}  // namespace holdfast::platforms
