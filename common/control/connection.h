// One connection of the control socket: a whole request in, answers out, within bounds of size and time.
// Why: whoever connects may send garbage, too much, too slowly or nothing, may stop reading, or may go away at any moment.
// Shape:  free -> reading (until the request is whole) -> answering -> free. What a peer has not taken is copied to a backlog once; the
//         next answer waits until that is gone. Deadlines: kRequestTimeoutNs for the request, kStallTimeoutNs without progress of a
//         backlog. A peer that only stops sending (half-closed) still gets its answers.
// Zone:   worker (the loop).
// Errors: false, or kBroken: the connection has to be closed; the caller does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/control/control_memory.h"
#include "platforms/local_socket.h"

namespace holdfast::control {

inline constexpr std::uint64_t kRequestTimeoutNs = 2'000'000'000;
inline constexpr std::uint64_t kStallTimeoutNs = 5'000'000'000;
inline constexpr std::uint64_t kNoDeadline = UINT64_MAX;

class Connection {
 public:
  enum class Received : std::uint8_t { kMore, kWhole, kBroken };

  // Takes the descriptor over, whatever comes of it.
  bool open(int descriptor, int ready_set, std::uint32_t number, ControlMemory& memory) noexcept;
  void close() noexcept;
  bool in_use() const noexcept { return descriptor_ >= 0; }
  bool reading() const noexcept { return in_use() && reading_; }

  // Takes what has come. kWhole once: the request is in message().
  Received receive() noexcept;
  std::span<const std::byte> message() const noexcept;

  bool send(std::span<const std::byte> message) noexcept;  // not while blocked()
  bool flush() noexcept;
  bool blocked() const noexcept { return backlog_ != nullptr; }
  std::uint64_t deadline_ns() const noexcept { return deadline_ns_; }

 private:
  Received receive_request() noexcept;
  Received receive_behind() noexcept;
  bool listen_for(platforms::Interest interest) noexcept;
  platforms::Interest resting_interest() const noexcept;

  ControlMemory* memory_ = nullptr;
  int descriptor_ = -1;
  int ready_set_ = -1;
  std::uint32_t number_ = 0;
  bool reading_ = false;
  bool peer_ended_ = false;  // sends no more
  platforms::Interest interest_ = platforms::Interest::kNothing;
  std::size_t received_ = 0;
  std::byte* backlog_ = nullptr;  // backlog_sent_ < backlog_bytes_ while there is one
  std::size_t backlog_bytes_ = 0;
  std::size_t backlog_sent_ = 0;
  std::uint64_t deadline_ns_ = kNoDeadline;
};

}  // namespace holdfast::control
