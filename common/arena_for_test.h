// A ledger and an arena of a test's own.
// Zone:   tests.   Errors: the reservation is refused: the test ends.
#pragma once

#include <doctest/doctest.h>

#include <utility>

#include "common/arena.h"
#include "common/ledger.h"
#include "common/reservation.h"

namespace holdfast {

class TestArena {
 public:
  explicit TestArena(std::uint64_t limit_bytes = std::uint64_t{1} << (sizeof(void*) == 8 ? 30 : 28))
      : ledger_(limit_bytes) {
    const auto address_space = static_cast<std::size_t>(limit_bytes + kRoundingBytes);
    REQUIRE(reservation_.open(address_space));
    auto made = reservation_.take_arena(address_space, ledger_, MemoryCategory::kAnalysis);
    REQUIRE(made);
    arena_ = std::move(*made);
  }
  Arena& arena() { return arena_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  // Beside the limit, so that tests meet the ledger's first.
  static constexpr std::size_t kRoundingBytes = std::size_t{64} << 20;
  Ledger ledger_;
  Reservation reservation_;
  Arena arena_;
};

}  // namespace holdfast
