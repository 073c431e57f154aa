// How one dump's memory is cut: columns for the capture, an arena for names, an arena for graph scratch and analysis.
// Why: everything is reserved at load; a dump only commits, uses and gives back.
// Shape:  let M = ledger limit and B = capture_budget_bytes = share_percent(M) of what is left of M when the dump starts: 45, and
//         52 where M is so small that what a capture needs beside it, and does not grow with M, leaves it too little.
//         Each of the columns may hold up to the share of B that a heap of only objects, or only references, would need:
//         5 object columns of B/4, ages B/12, target B*4/6, label B*2/6, roots B/2 (a million JNI handles take
//         40 MB); so address space for columns is at most 2.9 B.
//         sum of drawn column bytes <= B. Catalog arena: M/8. Work arena (seal scratch, passes, report): M.
//         address_space_bytes(M) is the sum; the reservation takes it at load.
// Zone:   open() at load; begin_dump(), end_dump() capture.
// Errors: kOutOfMemory, kOutOfBudget.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/arena.h"
#include "common/column.h"
#include "common/ledger.h"
#include "common/reservation.h"
#include "common/result.h"

namespace holdfast {

// The columns, by what they hold (see snapshot/builder.h).
enum CaptureColumn : std::size_t {
  kClassColumn,
  kUnitsColumn,
  kRowOwnerColumn,
  kRowStartColumn,
  kTargetColumn,
  kLabelColumn,
  kRootColumn,
  kPlaceColumn,  // of a walk by address (jvmti/object_places.h)
  kAgeColumn,    // with ages (snapshot.h)
};

class CaptureMemory {
 public:
  static constexpr std::uint64_t kSmallMemoryBytes = std::uint64_t{16} << 20;
  static constexpr std::uint64_t share_percent(std::uint64_t memory_bytes) noexcept {
    return memory_bytes < kSmallMemoryBytes ? 52 : 45;
  }
  static constexpr std::size_t kColumnCount = 9;

  static std::uint64_t address_space_bytes(std::uint64_t memory_bytes) noexcept;
  Result<void> open(Reservation& reservation, Ledger& ledger) noexcept;

  // Charges the capture budget; columns are committed by commit_column().
  Result<void> begin_dump() noexcept;
  // Gives everything back; the ledger returns to its resting figure.
  void end_dump() noexcept;

  // Commits column `index` (0 .. kColumnCount-1), whose stretch is `column_bytes(index)` long.
  Result<std::byte*> commit_column(std::size_t index) noexcept;
  std::size_t column_bytes(std::size_t index) const noexcept { return column_bytes_[index]; }
  // The walk is over: what it did not draw goes back to the ledger, but for `more_bytes` that sealing may still append.
  // Peaks begin anew here: the budget was a promise until now, from now on it is what is used.
  void end_walk(std::uint64_t more_bytes) noexcept;
  // After the pause: only the first `used_bytes` of the column stay committed.
  void shrink_column(std::size_t index, std::size_t used_bytes) noexcept;
  // The graph is given up: everything but the roots and the places of their objects goes back.
  void release_columns_but_roots() noexcept;
  // After the pause: what the shrunk columns still hold is charged to the graph, the rest of the budget goes back.
  void settle() noexcept;

  GrantBudget& budget() noexcept { return budget_; }
  Arena& catalog_arena() noexcept { return catalog_; }
  Arena& work_arena() noexcept { return work_; }
  Ledger& ledger() noexcept { return *ledger_; }

 private:
  std::byte* column_start_[kColumnCount] = {};
  std::size_t column_bytes_[kColumnCount] = {};
  std::size_t column_committed_[kColumnCount] = {};
  GrantBudget budget_;
  std::uint64_t charged_capture_bytes_ = 0;
  std::uint64_t charged_graph_bytes_ = 0;
  Arena catalog_;
  Arena work_;
  Ledger* ledger_ = nullptr;
};

}  // namespace holdfast
