// What collections found and left, and for how long each stopped the application, as they are told one by one.
// Why: a VM's counters tell sums and what is used now; what a collection found is gone when it ends, so it is read when it begins.
// Shape:  one writer at a time, any number of readers; a dozen words, no lock: a collection never waits for a reader. `changes_` is odd
//         while the words change; a reader that sees it odd or moved reads again, kMostReads times, and then knows nothing.
// Zone:   began(), ended(), paused(): event, one at a time. begin(): VM init, capture. read(): any.
// Errors: none; what was not told stays kUnknownCount. An end without a begin is none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/collection_figures.h"

namespace holdfast {

class CollectionLog {
 public:
  // From now on all are told; what was told before is forgotten, since there may have been others meanwhile.
  void begin(std::uint64_t utc_ms) noexcept;
  // A collection begins; kUnknownCount: not told.
  void began(std::uint64_t used_bytes) noexcept;
  // It ends. One inside of another one (a CLR's, in the background) has begun after it and ends before it.
  void ended(std::uint64_t used_bytes) noexcept;
  // The application stood still for one.
  void paused(std::uint64_t pause_ns) noexcept;
  HeardCollections read() const noexcept;
  // kUnknownCount: no pause was told.
  std::uint64_t last_pause_ns() const noexcept {
    return fresh() ? kUnknownCount : word(kLastPause);
  }

 private:
  static constexpr int kMostReads = 64;  // a change takes some 20 ns
  enum Word : std::size_t {
    kCount,
    kSince,
    kLongest,
    kReclaimed,
    kBefore,
    kAfter,
    kLastPause,
    kWords
  };

  bool fresh() const noexcept { return begin_utc_ms_.load(std::memory_order_acquire) != 0; }
  std::uint64_t word(Word which) const noexcept {
    return words_[which].load(std::memory_order_acquire);
  }
  void set(Word which, std::uint64_t value) noexcept {
    words_[which].store(value, std::memory_order_release);
  }
  void open_change() noexcept;
  void close_change() noexcept;

  std::atomic<std::uint64_t> begin_utc_ms_{0};  // not 0: begin() was called, and nothing told since
  // Odd: words change. Whoever acquires a new word sees it odd, whoever acquires it even sees all words.
  std::atomic<std::uint32_t> changes_{0};
  std::atomic<std::uint64_t> words_[kWords] = {
      0, 0, kUnknownCount, kUnknownCount, kUnknownCount, kUnknownCount, kUnknownCount};
  // -- the writer's own --
  bool open_ = false;  // a collection has begun
  std::uint64_t found_bytes_ = kUnknownCount;
};

}  // namespace holdfast
