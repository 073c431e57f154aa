// The memory of the control socket: what its connections read into, what answers are made in, and what slow peers have not taken.
// Why not libuv's allocator: what a peer can make us hold must be bounded and in the ledger, and idle connections must cost nothing.
// Shape:  one piece of address space (8.7 MiB), committed by parts, each charged to kWorker:
//           requests    kMaxRequestBytes a connection   128 KiB, from open() on
//           answers     kShortAnswerBytes               64 KiB, from open() on: everything but histograms
//           histograms  kMaxAnswerBytes                 512 KiB, while somebody watches
//           backlogs    up to kMaxAnswerBytes each      while a peer is slow; kMaxBacklogBytes all together
// Zone:   load (open, close), worker.
// Errors: kOutOfBudget, kOutOfMemory; nullptr or empty where there is no room now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/control/messages.h"
#include "common/ledger.h"
#include "common/result.h"

namespace holdfast::control {

inline constexpr std::size_t kMaxConnections = 16;
inline constexpr std::size_t kShortAnswerBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxBacklogBytes = std::size_t{1} << 20;
// What is charged while nobody is connected.
inline constexpr std::size_t kRestingBytes = kMaxConnections * kMaxRequestBytes + kShortAnswerBytes;

class ControlMemory {
 public:
  ControlMemory() = default;
  ControlMemory(const ControlMemory&) = delete;
  ControlMemory& operator=(const ControlMemory&) = delete;
  ~ControlMemory() { close(); }

  Result<void> open(Ledger& ledger) noexcept;
  void close() noexcept;
  bool is_open() const noexcept { return start_ != nullptr; }

  std::span<std::byte> request_room(std::size_t connection) const noexcept;
  std::span<std::byte> answer_room() const noexcept;
  // Empty where the ledger or the system refuses.
  std::span<std::byte> take_histogram_room() noexcept;
  std::span<std::byte> histogram_room() const noexcept;  // empty unless taken
  void give_back_histogram_room() noexcept;
  std::byte* take_backlog(std::size_t connection, std::size_t bytes) noexcept;
  void give_back_backlog(std::size_t connection) noexcept;

 private:
  bool commit(std::size_t offset, std::size_t bytes) noexcept;
  void decommit(std::size_t offset, std::size_t bytes) noexcept;

  Ledger* ledger_ = nullptr;
  std::byte* start_ = nullptr;
  bool histogram_taken_ = false;
  std::size_t backlog_bytes_[kMaxConnections] = {};  // committed
};

}  // namespace holdfast::control
