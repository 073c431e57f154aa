// Keeps types from being unloaded while a dump still asks for their names.
// Why: a ClassID is an address. When a collectible load context goes between the collection and the names, it points at memory that is
//      somebody else's or nobody's, and neither the runtime nor we can tell.
// Shape:  closed from before objects are looked at until all names are known, and no longer: the graph is made with it open. Whoever
//         unloads waits in the runtime's event, and nobody else: milliseconds, at most kMostWaitNs, after which it goes on and the dump
//         is given up (check()).
// Zone:   close(), open(), check(): capture. pass(): event, application running.
// Errors: check() alone.
#pragma once

#include <atomic>

#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::clr {

class UnloadGate {
 public:
  static constexpr std::uint64_t kMostWaitNs = 10'000'000'000;

  void close() noexcept;
  void open() noexcept;
  // kInconsistent: something was unloaded although the gate was closed.
  Result<void> check() const noexcept {
    if (broken_.load(std::memory_order_acquire)) return make_error(ErrorCode::kInconsistent);
    return {};
  }
  void pass(std::uint64_t most_wait_ns = kMostWaitNs) noexcept;
  // A module was loaded: nobody waits for that, it is only counted.
  void note_load() noexcept { moves_.fetch_add(1, std::memory_order_release); }
  // How many modules have gone.
  std::uint32_t gone() const noexcept { return gone_.load(std::memory_order_acquire); }
  // How many modules have come or gone.
  std::uint32_t moves() const noexcept { return moves_.load(std::memory_order_acquire); }

 private:
  platforms::Mutex mutex_;
  platforms::Condition changed_;
  bool closed_ = false;
  std::atomic<bool> broken_{false};
  std::atomic<std::uint32_t> gone_{0};
  std::atomic<std::uint32_t> moves_{0};
};

// Closed for as long as this lives.
class ClosedGate {
 public:
  explicit ClosedGate(UnloadGate& gate) noexcept : gate_(gate) { gate_.close(); }
  ~ClosedGate() { gate_.open(); }
  Result<void> check() const noexcept { return gate_.check(); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

 private:
  UnloadGate& gate_;
};

}  // namespace holdfast::clr
