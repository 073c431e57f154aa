// A connection to a port of this machine's loopback address.
// Shape:  a close-on-exec descriptor; what is sent or received waits at most this long for the next bytes.
// Zone:   offline.
// Errors: errno values, below 0 where a count is answered. ETIMEDOUT: not in time. EINTR: a signal came, or `waker` is readable;
//         nothing was sent or received, and the caller decides whether it goes on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/foreign_files.h"

namespace holdfast::platforms {

Descriptor connect_loopback(std::uint16_t port) noexcept;
// How many bytes the system took; -errno.
std::int64_t send_some_to(int stream, const void* data, std::size_t bytes, unsigned milliseconds,
                          int waker = -1) noexcept;
// What is there, at most `capacity` bytes; 0: the other side has ended; -errno.
std::int64_t receive_some(int stream, void* out, std::size_t capacity, unsigned milliseconds,
                          int waker = -1) noexcept;

}  // namespace holdfast::platforms
