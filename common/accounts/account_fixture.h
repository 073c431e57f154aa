// For tests of accounts: a book on memory of its own, and a VM that samples allocations by bytes, as HotSpot does.
// Why bytes: the gap to the next sample is exponential in bytes, so an object of s bytes is sampled with 1 - exp(-s/I), however
//         allocations of different sizes follow each other.
// Zone:   tests.   Errors: the book is refused: the test ends.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "common/accounts/account_book.h"
#include "common/arena_for_test.h"

namespace holdfast {

class TestBook {
 public:
  explicit TestBook(const AccountSettings& settings, const std::string& patterns = "shop.*+pay.*",
                    const AccountRoom& room = AccountRoom{})
      : figures_(std::uint64_t{256} << 20) {
    REQUIRE(reservation_.open(kAddressSpace));
    auto arena = reservation_.take_arena(kAddressSpace, ledger_, MemoryCategory::kAccounts);
    REQUIRE(arena);
    PatternError error;
    auto made = AccountPatterns::make(patterns, *arena, error);
    REQUIRE_MESSAGE(made, error.text);
    REQUIRE(book.open(std::move(*arena), *made, settings, room));
    book.set_live_known(true);
  }
  // Valid until the next one.
  AccountFigures read() {
    figures_.arena().reset();
    auto figures = book.read(figures_.arena());
    REQUIRE(figures);
    return *figures;
  }
  AllocationKey key(AccountId account, const std::string& class_name, AccountId principal = 0) {
    return {account, principal, book.name(class_name)};
  }
  std::uint64_t charged_bytes() const { return ledger_.category_bytes(MemoryCategory::kAccounts); }

 private:
  static constexpr std::size_t kAddressSpace = std::size_t{64} << 20;
  Ledger ledger_{kAddressSpace};
  Reservation reservation_;
  TestArena figures_;

 public:
  AccountBook book;  // before its memory goes
};

inline AccountSettings sampled_by(std::uint64_t interval_bytes, std::uint64_t chance_seed = 1) {
  return {AccountMode::kSampled, 0, interval_bytes, true, chance_seed};
}

class ByteSampler {
 public:
  ByteSampler(std::uint64_t interval_bytes, std::uint64_t seed)
      : random_(seed), gap_(1 / static_cast<double>(interval_bytes)), left_(gap_(random_)) {}

  // The next `bytes` allocated: does a sample fall into them?
  bool samples(std::uint64_t bytes) {
    left_ -= static_cast<double>(bytes);
    if (left_ > 0) return false;
    // A large object may have several: it is one sample. What is left of the gap has no memory.
    left_ = gap_(random_);
    return true;
  }

 private:
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_;
  double left_;
};

}  // namespace holdfast
