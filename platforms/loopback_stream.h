// A connection to a port of this machine's loopback address.
// Shape:  a non-blocking, close-on-exec descriptor; what is sent or received waits at most this long for the next bytes.
// Zone:   offline.   Errors: errno values; ETIMEDOUT: not in time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/foreign_files.h"

namespace holdfast::platforms {

Descriptor connect_loopback(std::uint16_t port) noexcept;
int send_all(int stream, const void* data, std::size_t bytes, unsigned milliseconds) noexcept;
// What is there, at most `capacity` bytes; 0: the other side has ended; -errno.
std::int64_t receive_some(int stream, void* out, std::size_t capacity,
                          unsigned milliseconds) noexcept;

}  // namespace holdfast::platforms
