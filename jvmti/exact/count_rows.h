// Where allocations are counted: rows of native memory that rewritten bytecode adds to, without a lock and without a call.
// Why rows: a thread's current row says in which account it runs, so that entering an account is one store, and counting one addition
//      at a place that no other thread writes.
// Shape:  a row is one stretch of row_bytes(): header | the rows that are entered from here, by account | counts, 16 B a class.
//         Row (account, principal): the account in which its thread runs, and the one that this was entered from.
//         A lane is the rows of one thread, beginning with its row (unaccounted, unaccounted); a thread that ends leaves its lane, counts
//         and all, to the next one. Lane 0 is shared by those that find no lane of their own, and by virtual threads: there
//         bytecode adds atomically.
//         What bytecode holds is an address with a tag in its lowest bits: kOwnTag or kSharedTag; 0: no row yet.
//         A class has a place: the offset of its counts from a row's address without the tag, less one (so own rows need no masking).
//         Memory: address space for kMaxRows rows; a row touches one page for its header and one for each 256 classes that it counts.
// Zone:   open(): load. row_for_thread(), row_entered(), thread_ended(), add_class(): event, under a lock that is held across no
//         VM call. visit(): capture. Rows are never unmapped: bytecode may hold one for as long as the process lives.
// Errors: open(): kOutOfMemory. Later nothing fails: no room for a lane is lane 0, no room for a row is the row that is left,
//         no room for a class is the place of all other classes; each is counted.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 5, has one account number a thread.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/account_figures.h"
#include "common/ledger.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

// An address with its tag.
using TaggedRow = std::uint64_t;

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
  // Where things stand in a row; the bytecode knows these numbers, too.
  static constexpr std::uint32_t kAccountOffset = 0;  // u32
  static constexpr std::uint32_t kNextOffset = 64;    // u64 for each account: TaggedRow or 0
  static constexpr std::uint32_t kBytesOffset = 8;    // of a class's counts: objects, bytes

  CountRows() = default;
  CountRows(const CountRows&) = delete;
  CountRows& operator=(const CountRows&) = delete;
  ~CountRows();

  // `accounts`: with (unaccounted). The ledger is charged for what is touched.
  Result<void> open(std::uint32_t accounts, Ledger& ledger, MemoryCategory category) noexcept;
  bool is_open() const noexcept { return rows_ != nullptr; }

  TaggedRow row_for_thread(bool own_lane) noexcept;
  TaggedRow row_entered(TaggedRow from, AccountId account) noexcept;
  void thread_ended(TaggedRow row) noexcept;
  // What bytecode keeps of a class: its place. `counted.name` invalid: the place of the other classes.
  std::uint32_t add_class(const CountedClass& counted) noexcept;

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
  Header& header(std::uint32_t row) const noexcept;
  Header& header_of(TaggedRow row) const noexcept;
  Counts& counts(std::uint32_t row, std::uint32_t class_index) const noexcept;
  std::uint64_t* next_of(Header& header, AccountId account) const noexcept;
  TaggedRow new_row(AccountId account, AccountId principal, TaggedRow lane) noexcept;
  bool charge_row() noexcept;
  std::uint32_t place(std::uint32_t class_index) const noexcept;
  std::uint64_t row_pages() const noexcept;

  mutable platforms::Mutex changing_;
  std::byte* rows_ = nullptr;
  std::size_t row_bytes_ = 0;
  std::uint32_t counts_offset_ = 0;
  std::uint32_t accounts_ = 0;
  std::uint32_t row_count_ = 0;
  std::uint32_t lane_count_ = 0;
  std::uint32_t class_count_ = 0;
  TaggedRow shared_lane_ = 0;
  TaggedRow free_lanes_ = 0;
  CountedClass* classes_ = nullptr;
  Losses losses_;
  Ledger* ledger_ = nullptr;
  MemoryCategory category_ = MemoryCategory::kWorker;
};

}  // namespace holdfast::jvmti
