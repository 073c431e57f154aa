// A ledger and an arena of their own, for tests and benchmarks of passes.
// Zone:   offline.   Errors: the reservation is refused: the process ends.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "common/arena.h"
#include "common/ledger.h"
#include "common/reservation.h"

namespace holdfast::analysis::lab {

class TestArena {
 public:
  explicit TestArena(std::uint64_t limit_bytes = std::uint64_t{1} << 32)
      : TestArena(Limit{std::min(limit_bytes, kMostBytes)}) {}
  Arena& arena() { return arena_; }
  Ledger& ledger() { return ledger_; }
  std::uint64_t peak_bytes() const { return ledger_.peak_bytes(); }

 private:
  struct Limit {
    std::uint64_t bytes;
  };
  static constexpr std::uint64_t kRoundingBytes = std::uint64_t{1} << 20;
  // Of some that stand side by side in an address space of 4 GB.
  static constexpr std::uint64_t kMostBytes =
      sizeof(void*) == 8 ? UINT64_MAX : std::uint64_t{1} << 28;

  explicit TestArena(Limit limit) : ledger_(limit.bytes) {
    // Room for the rounding of every array beside the limit, so that tests meet the ledger's limit first.
    const auto address_space =
        static_cast<std::size_t>((limit.bytes / kRoundingBytes + 64) * kRoundingBytes);
    if (!reservation_.open(address_space)) std::abort();
    auto arena = reservation_.take_arena(address_space, ledger_, MemoryCategory::kAnalysis);
    if (!arena) std::abort();
    arena_ = std::move(*arena);
  }

  Ledger ledger_;
  Reservation reservation_;
  Arena arena_;
};

}  // namespace holdfast::analysis::lab
