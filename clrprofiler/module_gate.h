// Keeps types from being unloaded while a dump still asks for their names, and modules from being loaded while none may be half gone.
// Why: a ClassID is an address. When a collectible load context goes between the collection and the names, it points at memory that is
//      somebody else's or nobody's, and neither the runtime nor we can tell. And a context whose modules came after all others were held
//      (settled_contexts.h) could die in the dump's own collection.
// Shape:  unloads: closed from before objects are looked at until all names are known; the graph is made with them open. Loads: closed from
//         before contexts are held until the collection is over. Whoever unloads, or loads what can be unloaded, waits in the runtime's event,
//         and nobody else but who waits for the same module: milliseconds, at most kMostWaitNs. After that it goes on; what is unloaded then
//         ends the dump (check()).
// Zone:   close_*(), open_*(), check(): capture. note_load(), loads_closed(), pass_*(): event, application running.
// Errors: check() alone.
#pragma once

#include <atomic>

#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::clr {

class ModuleGate {
 public:
  static constexpr std::uint64_t kMostWaitNs = 10'000'000'000;

  void close_unloads() noexcept;
  void open_unloads() noexcept { open(unloads_closed_); }
  void close_loads() noexcept;
  void open_loads() noexcept { open(loads_closed_); }
  // kInconsistent: something was unloaded although that was closed.
  Result<void> check() const noexcept {
    if (broken_.load(std::memory_order_acquire)) return make_error(ErrorCode::kInconsistent);
    return {};
  }
  void pass_unload(std::uint64_t most_wait_ns = kMostWaitNs) noexcept;
  void note_load() noexcept { moves_.fetch_add(1, std::memory_order_release); }
  bool loads_closed() noexcept;
  // For modules that can be unloaded, no others: it is in the runtime's lists, and whoever loads it has its context in a local variable.
  void pass_load(std::uint64_t most_wait_ns = kMostWaitNs) noexcept;
  // How many modules have gone.
  std::uint32_t gone() const noexcept { return gone_.load(std::memory_order_acquire); }
  // How many modules have come or gone.
  std::uint32_t moves() const noexcept { return moves_.load(std::memory_order_acquire); }

 private:
  void open(bool& closed) noexcept;
  // False: it was closed to the end.
  bool wait_while(const bool& closed, std::uint64_t most_wait_ns) noexcept;

  platforms::Mutex mutex_;  // of both
  platforms::Condition changed_;
  bool unloads_closed_ = false;
  bool loads_closed_ = false;
  std::atomic<bool> broken_{false};
  std::atomic<std::uint32_t> gone_{0};
  std::atomic<std::uint32_t> moves_{0};
};

// Closed for unloads as long as this lives.
class ClosedUnloads {
 public:
  explicit ClosedUnloads(ModuleGate& gate) noexcept : gate_(gate) { gate_.close_unloads(); }
  ~ClosedUnloads() { gate_.open_unloads(); }
  Result<void> check() const noexcept { return gate_.check(); }
  ClosedUnloads(const ClosedUnloads&) = delete;
  ClosedUnloads& operator=(const ClosedUnloads&) = delete;

 private:
  ModuleGate& gate_;
};

}  // namespace holdfast::clr
