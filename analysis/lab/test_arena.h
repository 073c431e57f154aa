// A ledger and an arena of their own, for tests and benchmarks of passes.
// Zone:   offline.   Errors: the reservation is refused: the process ends.
#pragma once

#include <cstdlib>

#include "common/arena.h"
#include "common/ledger.h"
#include "common/reservation.h"

namespace holdfast::analysis::lab {

class TestArena {
 public:
  explicit TestArena(std::uint64_t limit_bytes = std::uint64_t{1} << 32) : ledger_(limit_bytes) {
    // Room for the rounding of every array beside the limit, so that tests meet the ledger's limit first.
    const std::uint64_t address_space = (limit_bytes / kRoundingBytes + 64) * kRoundingBytes;
    if (!reservation_.open(address_space)) std::abort();
    auto arena = reservation_.take_arena(address_space, ledger_, MemoryCategory::kAnalysis);
    if (!arena) std::abort();
    arena_ = std::move(*arena);
  }
  Arena& arena() { return arena_; }
  Ledger& ledger() { return ledger_; }
  std::uint64_t peak_bytes() const { return ledger_.peak_bytes(); }

 private:
  static constexpr std::uint64_t kRoundingBytes = std::uint64_t{1} << 20;
  Ledger ledger_;
  Reservation reservation_;
  Arena arena_;
};

}  // namespace holdfast::analysis::lab
