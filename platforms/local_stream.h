// A connection to a local stream socket in another process' file system, and who is at its other end.
// Why by descriptor: a socket's address has 108 bytes, a path in a container may be longer, and its last part may be a link that
//      leads out of the container. The socket's own file is opened first, without following, and then connected to.
// Shape:  a non-blocking, close-on-exec descriptor; each call returns at once but wait_for_stream.
// Zone:   offline.
// Errors: errno values, 0 when it worked. EAGAIN: not now (the listener's queue is full, nothing to read, no room to write).
//         ECONNREFUSED: nobody listens any more. ENOTSOCK: the name is not a socket's. EPERM: it is not this user's; it was left alone.
// Source: unix(7).
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/foreign_files.h"
#include "platforms/local_socket.h"

namespace holdfast::platforms {

Descriptor connect_local_stream(int directory, const char* name, std::uint32_t owner) noexcept;

enum class StreamWait : std::uint8_t { kReadable, kWritable };
// Until that can be done without waiting, or this long. 0; EAGAIN: not in time; EINTR: a signal came, or `waker` is readable.
int wait_for_stream(int stream, StreamWait what, unsigned milliseconds, int waker = -1) noexcept;

}  // namespace holdfast::platforms
