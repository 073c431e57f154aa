// An arena: a stretch of reserved address space that is committed from the front and given back at once.
// Why: exact arrays, sized by formula, charged before they exist; nothing to free one by one.
// Shape:  bump pointer, arrays aligned to 64 bytes, committed in whole pages. committed <= reserved. mark()/rewind() for
//         scratch: what was made after a mark goes back with one call.
// Zone:   capture, worker, offline; one thread at a time. (In the stopped zone memory comes from Column.)
// Errors: kOutOfBudget (ledger), kTooMany (the arena's address space is used up), kOutOfMemory (pages refused).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "common/ledger.h"
#include "common/result.h"

namespace holdfast {

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line

  Arena() = default;
  Arena(std::byte* start, std::size_t bytes, Ledger& ledger, MemoryCategory category) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena() { reset(); }

  // `count` default-initialised elements; their bytes are zero only where the pages are fresh (use make_filled).
  template <class T>
  Result<std::span<T>> make(std::uint64_t count) noexcept {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    HF_TRY(raw, allocate(count, sizeof(T)));
    return std::span<T>(static_cast<T*>(raw), static_cast<std::size_t>(count));
  }
  template <class T>
  Result<std::span<T>> make_filled(std::uint64_t count, T value) noexcept {
    HF_TRY(array, make<T>(count));
    for (T& element : array) element = value;
    return array;
  }

  // Zeros without touching pages that are fresh: for tables of which only parts are used.
  template <class T>
  Result<std::span<T>> make_zeroed(std::uint64_t count) noexcept {
    const std::size_t fresh_from = committed_;
    HF_TRY(array, make<T>(count));
    auto* bytes = reinterpret_cast<std::byte*>(array.data());
    const auto begin = static_cast<std::size_t>(bytes - start_);
    if (begin < fresh_from) std::memset(bytes, 0, std::min(array.size_bytes(), fresh_from - begin));
    return array;
  }

  // Everything together: kOutOfBudget beyond. For ArenaCap alone.
  void set_most_bytes(std::size_t bytes) noexcept { most_ = bytes; }
  std::size_t most_bytes() const noexcept { return most_; }

  // Keeps the first `count` elements of the array that was made last: for results whose number is only known when they are there.
  template <class T>
  std::span<T> shrink_last(std::span<T> array, std::size_t count) noexcept {
    const auto* bytes = reinterpret_cast<const std::byte*>(array.data() + count);
    rewind(static_cast<Mark>(bytes - start_));
    return array.first(count);
  }

  using Mark = std::size_t;
  Mark mark() const noexcept { return used_; }
  void rewind(Mark mark) noexcept;      // gives back pages and refunds the ledger
  void reset() noexcept { rewind(0); }  // the ledger returns to its figure before
  std::size_t used_bytes() const noexcept { return used_; }
  const std::byte* start() const noexcept { return start_; }
  // The most that was used since the last call, for a pass's record.
  std::size_t take_peak_bytes() noexcept { return std::exchange(peak_, used_); }
  std::size_t reserved_bytes() const noexcept { return reserved_; }

 private:
  Result<void*> allocate(std::uint64_t count, std::size_t element_bytes) noexcept;

  std::byte* start_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::size_t committed_ = 0;
  std::size_t most_ = SIZE_MAX;
  Ledger* ledger_ = nullptr;
  MemoryCategory category_ = MemoryCategory::kAnalysis;
};

// Rewinds the arena when it goes out of scope: for a pass's scratch.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) noexcept : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.rewind(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

// While it lives, the arena holds at most `more_bytes` more than it does now: for what may take a rest of memory, and no more.
class ArenaCap {
 public:
  ArenaCap(Arena& arena, std::uint64_t more_bytes) noexcept
      : arena_(arena), before_(arena.most_bytes()) {
    const std::size_t used = arena.used_bytes();
    const std::uint64_t most = more_bytes > SIZE_MAX - used ? SIZE_MAX : used + more_bytes;
    arena.set_most_bytes(static_cast<std::size_t>(std::min<std::uint64_t>(before_, most)));
  }
  ~ArenaCap() { arena_.set_most_bytes(before_); }
  ArenaCap(const ArenaCap&) = delete;
  ArenaCap& operator=(const ArenaCap&) = delete;

 private:
  Arena& arena_;
  std::size_t before_;
};

}  // namespace holdfast
