// The book's rows, found by their keys; when no more fit, one row for each account takes the rest.
// Why rows are never given back: an amount counts from the beginning, and half of it would be worth nothing.
// Shape:  rows[0 .. size()) in the order in which they came, behind them one row for each account; 136 bytes a row. An index of 32-bit
//         numbers, open addressing, load <= 1/2: 8 to 16 bytes a row. All of it untouched until it is used.
//         allocated >= at_read >= reported, amount by amount: what there was at the last read(), and at the last one that was reported.
// Zone:   make(): load. The rest: under the book's lock.   Errors: make(): kOutOfBudget, kTooMany.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/allocation_key.h"
#include "common/accounts/sample_weight.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast {

struct alignas(8) AllocationRow {
  AllocationKey key;
  std::uint32_t copied_to = 0;  // its number in the figures that were read last
  std::uint64_t samples = 0;
  AmountSum allocated;
  AmountSum at_read;
  AmountSum reported;
};
static_assert(sizeof(AllocationRow) == 136);

// A row for an account's rest has a key only when it has taken something.
inline bool took_something(const AllocationRow& rest) noexcept {
  return rest.key.class_name != StringId{0};
}

class AllocationRows {
 public:
  static std::size_t arena_bytes(std::uint32_t rows, std::uint32_t accounts) noexcept;
  // Classes of the rows for the rest are called `others`.
  Result<void> make(std::uint32_t rows, std::uint32_t accounts, StringId others,
                    Arena& arena) noexcept;

  // The number of the row of this key; of its account's rest when there is no room, and then is_rest().
  std::uint32_t find_or_add(const AllocationKey& key) noexcept;
  std::uint32_t rest_of(AccountId account) noexcept;
  bool is_rest(std::uint32_t row) const noexcept { return row >= capacity_; }
  AllocationRow& row(std::uint32_t number) noexcept { return rows_[number]; }

  // Rows of their own, and those for the rest, whether they took something or not.
  std::span<AllocationRow> own() noexcept { return rows_.first(size_); }
  std::span<AllocationRow> rest() noexcept { return rows_.subspan(capacity_); }
  std::size_t own_capacity() const noexcept { return capacity_; }

 private:
  std::span<AllocationRow> rows_;
  std::span<std::uint32_t> index_;  // number + 1; 0 is free
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  StringId others_{0};
};

}  // namespace holdfast
