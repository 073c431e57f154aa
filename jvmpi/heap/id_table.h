// The ids that a dump lists, sorted: an id's place is its object's number.
// Why sorted and not hashed: 4 B beside each id are enough to find it in a step or two, and objects come out in the order of their
//      addresses, in which a VM reads them fastest.
// Shape:  n ids as wide as a pointer + 4 B each. first_[b] is where bucket b begins, b = (id - least) >> shift; as many buckets as
//         ids at most. find() looks at two neighbours of first_ and halves what is between: O(1) where ids are spread evenly, O(log n) else.
// Zone:   capture, GC off (it draws from an arena, and calls nothing else).
// Errors: make(): the arena's. An id that is listed twice counts once; repeated() says how many were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "jvmpi/records/byte_cursor.h"

namespace holdfast::jvmpi {

class IdTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  using Id = std::uintptr_t;

  static Result<IdTable> make(Arena& arena, std::uint64_t most) noexcept {
    IdTable table;
    HF_TRY(ids, arena.make<Id>(most));
    HF_TRY(first, arena.make<std::uint32_t>(most + 2));
    table.ids_ = ids;
    table.first_ = first;
    return table;
  }

  // Before sort(). Null is no id; false: there were not to be so many.
  bool add(VmId id) noexcept {
    if (id == 0) return true;
    if (count_ == ids_.size()) return false;
    ids_[count_++] = static_cast<Id>(id);
    return true;
  }
  void sort() noexcept {
    const auto all = ids_.first(count_);
    std::sort(all.begin(), all.end());
    const auto end = std::unique(all.begin(), all.end());
    repeated_ = static_cast<std::uint32_t>(all.end() - end);
    count_ -= repeated_;
    fill_buckets();
  }

  std::uint32_t size() const noexcept { return count_; }
  std::uint32_t repeated() const noexcept { return repeated_; }
  VmId id(std::uint32_t number) const noexcept { return ids_[number]; }
  std::uint32_t find(VmId wanted) const noexcept {
    if (count_ == 0 || wanted < ids_[0] || wanted > ids_[count_ - 1]) return kNone;
    const auto id = static_cast<Id>(wanted);
    const std::size_t bucket = bucket_of(id);
    const auto begin = ids_.begin() + first_[bucket];
    const auto end = ids_.begin() + first_[bucket + 1];
    const auto at = std::lower_bound(begin, end, id);
    return at != end && *at == id ? static_cast<std::uint32_t>(at - ids_.begin()) : kNone;
  }

 private:
  std::size_t bucket_of(Id id) const noexcept {
    return static_cast<std::size_t>((id - ids_[0]) >> shift_);
  }
  void fill_buckets() noexcept {
    if (count_ == 0) return;
    const Id range = ids_[count_ - 1] - ids_[0];
    for (shift_ = 0; (range >> shift_) >= count_;) ++shift_;
    const std::size_t buckets = bucket_of(ids_[count_ - 1]) + 1;
    std::uint32_t at = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      first_[bucket] = at;
      while (at < count_ && bucket_of(ids_[at]) == bucket) ++at;
    }
    first_[buckets] = count_;
  }

  std::span<Id> ids_;
  std::span<std::uint32_t> first_;
  std::uint32_t count_ = 0;
  std::uint32_t repeated_ = 0;
  unsigned shift_ = 0;
};

}  // namespace holdfast::jvmpi
