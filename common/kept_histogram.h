// The last class histogram, and the memory in which it is made: there while somebody watches, and only then.
// Why a lock of its own: VM events wait for the engine's, and nobody's event shall wait for a thousand names to be copied.
// Shape:  rows and accounts in pages reserved at load; the tally in pages that a child shares, made by take(). kHeldBytes in all.
//         A tally belongs to whoever counts: the capture thread, or its child until that has ended.
// Zone:   open(): load. take(), give_back(), visit(): worker. tally(): capture, child. publish(), refuse(): capture.
// Errors: take(): kOutOfBudget (memory= has no room), kOutOfMemory (detail: bytes); then nothing is held.
#pragma once

#include "common/class_histogram.h"
#include "common/ledger.h"
#include "common/notes.h"
#include "common/reservation.h"
#include "platforms/thread.h"

namespace holdfast {

// Written by whoever counted, read by the parent, which believes none of it unseen.
struct SharedTally {
  ClassTally tally;
  CountedClass rows[kMaxHistogramClasses];
};

class KeptHistogram {
 public:
  static constexpr std::size_t kRowsBytes = kMaxHistogramClasses * sizeof(HistogramRow);
  static constexpr std::size_t kPagesBytes =
      kRowsBytes + kMaxWatchedAccounts * sizeof(WatchedAccount);
  static constexpr std::size_t kHeldBytes = kPagesBytes + sizeof(SharedTally);

  KeptHistogram() = default;
  KeptHistogram(const KeptHistogram&) = delete;
  KeptHistogram& operator=(const KeptHistogram&) = delete;
  ~KeptHistogram();

  Result<void> open(Reservation& reservation) noexcept;
  Result<void> take(Ledger& ledger) noexcept;
  // Not while somebody counts.
  void give_back(Ledger& ledger) noexcept;
  bool held() const noexcept { return shared_ != nullptr; }

  void tally(std::span<const ClassCount> counts) noexcept;
  // What tally() left, with names; `facts` is everything but totals, rows and sequence. kInconsistent: it cannot be true.
  Result<void> publish(const Catalog& catalog, const ClassHistogram& facts) noexcept;
  void refuse(std::string_view why) noexcept;

  // `look` is called under the lock: it is short, and calls nothing that takes one.
  void visit(void (*look)(void* context, const ClassHistogram& histogram) noexcept,
             void* context) const noexcept;

 private:
  WatchedAccount* account_pages() const noexcept {
    return reinterpret_cast<WatchedAccount*>(pages_ + kMaxHistogramClasses);
  }

  HistogramRow* pages_ = nullptr;  // reserved at load
  SharedTally* shared_ = nullptr;  // while held
  std::uint32_t sequence_ = 0;     // goes on over several watches
  mutable platforms::Mutex mutex_;
  ClassHistogram last_ HF_GUARDED_BY(mutex_);
  char refusal_[Note::kMaxNoteBytes] HF_GUARDED_BY(mutex_) = "";
};

}  // namespace holdfast
