// The accounts of an engine, and the ages of what it samples: the book, the memory that it lies in, and what one dump takes along of it.
// Why an arena of its own for the figures, and not the dump's for names: that one is emptied when a capture falls back to a cheaper
//         one, and a CLR's child counts on finding it as empty as its parent did. So figures are read once, before the first capture
//         is tried, whichever one succeeds; and a child made later sees them.
// Shape:  address_space_bytes(M) beside the capture's: room for patterns, the book (AccountRoom::within(M)) and its figures.
// Zone:   reserve(), open(): load. take(), summed_up(), end_dump(): capture. taken(): worker, child.
// Errors: reserve(): kTooMany. open(): kUnsupported with `error` filled, kOutOfBudget. take(): a note, and the dump goes on without.
#pragma once

#include "common/accounts/account_book.h"
#include "common/accounts/watched_accounts.h"
#include "common/ages/dump_ages.h"
#include "common/notes.h"
#include "common/options.h"
#include "common/reservation.h"

namespace holdfast {

class VmAdapter;

class DumpAccounts {
 public:
  static std::uint64_t address_space_bytes(std::uint64_t memory_bytes) noexcept;
  Result<void> reserve(Reservation& reservation, Ledger& ledger) noexcept;
  Result<void> open(const Options& options, PatternError& error) noexcept;

  AccountBook& book() noexcept { return book_; }
  // Has the adapter tell what it knows, and reads the book.
  void take(VmAdapter& adapter, std::uint64_t pause_limit_ns, Notes& notes) noexcept;
  // The same of ages, where they are asked for; `verdict` is the last one.
  void take_ages(VmAdapter& adapter, const AgeVerdict& verdict, Notes& notes) noexcept;
  // nullptr: ages are off.
  const DumpAges* ages() const noexcept { return ages_taken_ ? &ages_ : nullptr; }
  // For how long that stopped the application.
  std::uint64_t stopped_ns() const noexcept { return stopped_ns_; }
  // nullptr: off, or there was no room.
  const AccountFigures* taken() const noexcept { return taken_ ? &figures_ : nullptr; }
  // For those who watch, after take(): summed up, until end_dump().
  WatchedAccounts summed_up() noexcept;
  // Says why there are none, where there should be.
  void note_missing(Notes& notes) const noexcept;
  void end_dump(bool reported) noexcept;

 private:
  AccountRoom room_;
  Arena book_arena_;  // until open()
  Arena figures_arena_;
  AccountBook book_;
  AccountFigures figures_;
  DumpAges ages_;
  bool ages_on_ = false;
  bool ages_taken_ = false;
  bool told_ = false;  // accounts were asked for; else the book's samples serve ages alone
  bool taken_ = false;
  std::uint64_t stopped_ns_ = 0;
};

}  // namespace holdfast
