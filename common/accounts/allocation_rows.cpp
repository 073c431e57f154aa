#include "common/accounts/allocation_rows.h"

#include <xxhash.h>

#include <bit>

namespace holdfast {

namespace {

std::size_t index_slots(std::uint32_t rows) noexcept {
  return std::bit_ceil(std::size_t{rows} * 2 + 2);
}

std::size_t hash_of(const AllocationKey& key) noexcept {
  return static_cast<std::size_t>(XXH3_64bits(&key, sizeof key));
}

}  // namespace

std::size_t AllocationRows::arena_bytes(std::uint32_t rows, std::uint32_t accounts) noexcept {
  return (std::size_t{rows} + accounts) * sizeof(AllocationRow) +
         index_slots(rows) * sizeof(std::uint32_t) + 2 * Arena::kAlignment;
}

Result<void> AllocationRows::make(std::uint32_t rows, std::uint32_t accounts, StringId others,
                                  Arena& arena) noexcept {
  HF_TRY(index, arena.make_zeroed<std::uint32_t>(index_slots(rows)));
  HF_TRY(room, arena.make_zeroed<AllocationRow>(std::size_t{rows} + accounts));
  index_ = index;
  rows_ = room;
  capacity_ = rows;
  size_ = 0;
  others_ = others;
  return {};
}

std::uint32_t AllocationRows::find_or_add(const AllocationKey& key) noexcept {
  const std::size_t mask = index_.size() - 1;
  std::size_t at = hash_of(key) & mask;
  for (; index_[at] != 0; at = (at + 1) & mask)
    if (rows_[index_[at] - 1].key == key) return index_[at] - 1;
  if (size_ == capacity_) return rest_of(key.account);
  rows_[size_].key = key;
  index_[at] = size_ + 1;
  return size_++;
}

std::uint32_t AllocationRows::rest_of(AccountId account) noexcept {
  const std::uint32_t number = capacity_ + account;
  rows_[number].key = AllocationKey{account, kUnaccounted, others_};
  return number;
}

}  // namespace holdfast
