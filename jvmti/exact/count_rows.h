// Where allocations are counted: rows of native memory that rewritten bytecode adds to, without a lock and without a call.
// Why states: entering and leaving an account is done far more often than anything is allocated, so it is one store of a number in the
//      thread; which row that number means is looked up when an object is counted, in a table that no other thread writes.
// Shape:  a state is an account and its principal, the account that it was entered from (account_state.h); 0: outside of all.
//         A row is what one thread's state counts: one stretch of row_bytes(): header | counts, 16 B a class.
//         A lane is the rows of one thread and the table that leads to them: kSlots slots of {state, row's address}, a state's at
//         home_slot() or in one of the kProbes - 1 behind it; slot 0 is state 0's. A thread that ends leaves its lane, counts and all, to the
//         next one. Lane 0 is shared by those that find no lane of their own, and by virtual threads: there bytecode adds atomically.
//         What bytecode holds is a lane's address with a tag in its lowest bits: kOwnTag or kSharedTag; 0: no lane yet.
//         A class has a place: the offset of its counts in every row.
//         Memory: address space for kMaxRows rows; a row touches a page for each 256 classes that it counts, a lane its slots.
// Zone:   open(): load. lane_for_thread(), row_of(), thread_ended(), add_class(): event, under a lock that is held across no
//         VM call. visit(): capture. Rows are never unmapped: bytecode may hold one for as long as the process lives.
// Errors: open(): kOutOfMemory. Later nothing fails: no room for a lane is lane 0, no room for a row is another of its lane (that of
//         the same account, else the one outside of all), no room for a class is the place of all other classes; each is counted.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 5, has one account number a thread.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/account_figures.h"
#include "common/ledger.h"
#include "common/result.h"
#include "jvmti/exact/account_state.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

// An address with its tag.
using TaggedLane = std::uint64_t;
using RowAddress = std::uint64_t;

struct CountedClass {
  StringId name;
  std::uint32_t instance_bytes =
      0;  // shallow, of each; 0: an array, whose bytes are counted one by one
};

class CountRows {
 public:
  static constexpr std::uint32_t kMaxRows = 8192;
  static constexpr std::uint32_t kMaxClasses =
      32'768;  // that have objects; an application server has about 10,000
  static constexpr std::uint32_t kMaxLanes = 512;
  static constexpr std::uint64_t kOwnTag = 1;
  static constexpr std::uint64_t kSharedTag = 2;
  static constexpr std::uint64_t kTagMask = 3;
  // Where things stand; the bytecode knows these numbers, too.
  static constexpr std::uint32_t kSlots = 1024;  // of a lane
  static constexpr std::uint32_t kProbes = 16;
  static constexpr std::uint32_t kSlotShift = 4;
  static constexpr std::uint32_t kRowOffset = 8;    // of a slot: state, row
  static constexpr std::uint32_t kSpread = 37;      // of home_slot()
  static constexpr std::uint32_t kBytesOffset = 8;  // of a class's counts: objects, bytes

  static constexpr std::uint32_t home_slot(AccountState state) noexcept {
    return (static_cast<std::uint32_t>(state) * kSpread +
            static_cast<std::uint32_t>(state >> 32u)) &
           (kSlots - 1);
  }

  CountRows() = default;
  CountRows(const CountRows&) = delete;
  CountRows& operator=(const CountRows&) = delete;
  ~CountRows();

  // `accounts`: with (unaccounted). The ledger is charged for what is touched.
  Result<void> open(std::uint32_t accounts, Ledger& ledger, MemoryCategory category) noexcept;
  bool is_open() const noexcept { return rows_ != nullptr; }

  TaggedLane lane_for_thread(bool own_lane) noexcept;
  // The row of a state; from now on the lane's table leads there, if it has room.
  RowAddress row_of(TaggedLane lane, AccountState state) noexcept;
  void thread_ended(TaggedLane lane) noexcept;
  // What bytecode keeps of a class: its place. `counted.name` invalid: the place of the other classes.
  std::uint32_t add_class(const CountedClass& counted) noexcept;
  // By its place; of a place that is none: the other classes.
  CountedClass class_at(std::uint32_t place) const noexcept;

  struct Losses {
    std::uint64_t shared_threads = 0;
    std::uint64_t rows_missing = 0;
    std::uint64_t classes_missing = 0;
  };
  Losses losses() const noexcept;

  // Everything that was counted so far, once for each row and class that have objects.
  using Visitor = void (*)(void* context, AccountId account, AccountId principal,
                           const CountedClass& counted, std::uint64_t objects,
                           std::uint64_t bytes) noexcept;
  void visit(Visitor visitor, void* context) const noexcept;

  std::size_t row_bytes() const noexcept { return row_bytes_; }

 private:
  struct Header;
  struct Counts;
  struct Slot;
  Header& header(std::uint32_t row) const noexcept;
  Counts& counts(std::uint32_t row, std::uint32_t class_index) const noexcept;
  Slot* slots(std::uint32_t lane) const noexcept;
  std::uint32_t number_of(TaggedLane lane) const noexcept;
  bool new_lane() noexcept;
  RowAddress find_row(std::uint32_t lane, AccountState state) const noexcept;
  RowAddress row_instead(std::uint32_t lane, AccountState state) const noexcept;
  RowAddress new_row(std::uint32_t lane, AccountState state) noexcept;
  void keep(std::uint32_t lane, AccountState state, RowAddress row) noexcept;
  bool charge_row() noexcept;
  std::uint64_t row_pages() const noexcept;

  mutable platforms::Mutex changing_;
  std::byte* rows_ = nullptr;
  std::byte* lanes_ = nullptr;
  std::size_t row_bytes_ = 0;
  std::uint32_t accounts_ = 0;
  std::uint32_t row_count_ = 0;
  std::uint32_t lane_count_ = 0;  // with the shared one
  std::uint32_t class_count_ = 0;
  std::uint32_t free_lane_ = 0;                  // the last that was left; 0: none
  std::uint32_t next_free_[kMaxLanes + 1] = {};  // of a lane that was left: the one left before it
  CountedClass* classes_ = nullptr;
  Losses losses_;
  Ledger* ledger_ = nullptr;
  MemoryCategory category_ = MemoryCategory::kWorker;
};

}  // namespace holdfast::jvmti
