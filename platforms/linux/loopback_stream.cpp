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

std::int64_t send_some_to(int stream, const void* data, std::size_t bytes, unsigned milliseconds,
                          int waker) noexcept {
  for (;;) {
    const ::ssize_t sent = ::send(stream, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -errno;
    if (const int error = wait_for_stream(stream, StreamWait::kWritable, milliseconds, waker);
        error != 0)
      return error == EAGAIN ? -ETIMEDOUT : -error;
  }
}

std::int64_t receive_some(int stream, void* out, std::size_t capacity, unsigned milliseconds,
                          int waker) noexcept {
  for (;;) {
    const ::ssize_t got = ::recv(stream, out, capacity, MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -errno;
    if (const int error = wait_for_stream(stream, StreamWait::kReadable, milliseconds, waker);
        error != 0)
      return error == EAGAIN ? -ETIMEDOUT : -error;
  }
}

}  // namespace holdfast::platforms
