// The sampled objects that were alive when last looked at.
// Shape:  handles and the book's tags in one array without gaps, 16 bytes each. look() asks for some, in turn: so the dead are found
//         between dumps, too, at a bounded price. What the book has given up for room (thinning) goes with the dead.
// Zone:   one thread of ours.
// Errors: open(): kOutOfBudget. follow(): false when there is no room even without the dead.
#pragma once

#include <cstdint>

#include "clrprofiler/accounts/weak_handles.h"
#include "common/accounts/account_book.h"
#include "common/arena.h"

namespace holdfast::clr {

class LiveObjects {
 public:
  Result<void> open(WeakHandles& handles, AccountBook& book, std::uint32_t room,
                    Arena& arena) noexcept;
  bool follow(ObjectHandleID handle, AccountBook::LiveTag tag) noexcept;
  // Asks for the next `most`, and tells the book of those that have died.
  // `collections`: that there have been; 0: not known.
  void look(std::uint32_t most, std::uint64_t collections = 0) noexcept;
  void look_at_all(std::uint64_t collections = 0) noexcept { look(count_, collections); }
  // No more of it: gives all handles back.
  void close() noexcept;
  std::uint32_t count() const noexcept { return count_; }

 private:
  struct Followed {
    ObjectHandleID handle;
    AccountBook::LiveTag tag;
  };

  WeakHandles* handles_ = nullptr;
  AccountBook* book_ = nullptr;
  std::span<Followed> followed_;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace holdfast::clr
