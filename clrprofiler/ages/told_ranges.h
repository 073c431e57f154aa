// What one collection tells, by the threads that tell it: ranges that live, where they lie now and which collection saw them first.
// Why chunks: with server GC several threads tell at once; each fills chunks of its own, so all that they share is one counter.
// Shape:  chunks of kRoom ranges and a count, 1 KB, at most 16 K of them. The ranges of one chunk ascend, without a step of more
//         than kMostStepBytes, or else there are at least kLeastOfChunk of them: so chunks seldom interleave, and what is moved to here and
//         there, into the gaps of an older generation, does not use one up each. Neighbours of equal birth are one range. Once half of the chunks are in use,
//         those up to kMostStepBytes apart are one as well, where nothing else lives between them, and their birth has the mark kLoose: such a
//         range is no good where the application allocates in gaps.
//         order(): afterwards front() and next() give all of them by address, chunk after chunk; where chunks interleave, all are sorted once
//         more. rewind(): once more from the first.
// Zone:   open(): load. The rest: stopped (inline). Writer: one for each event. begin(), order(), read(): one thread, while there are no writers.
// Errors: ranges that found no room are counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "clrprofiler/ages/age_view.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast::clr {

class ToldRanges {
 public:
  static constexpr std::uint32_t kLoose = std::uint32_t{1}
                                          << 31;  // collections have smaller numbers
  static constexpr std::uint64_t kMostStepBytes = std::uint64_t{1} << 20;

 private:
  static constexpr std::size_t kRoom = 63;
  static constexpr std::size_t kLeastOfChunk = 16;
  struct Chunk {
    std::uint64_t count;
    std::uint64_t unused;
    AgeRange ranges[kRoom];
  };
  static_assert(sizeof(Chunk) == (kRoom + 1) * sizeof(AgeRange));

 public:
  static constexpr std::size_t kMostChunks = std::size_t{1} << 14;
  static constexpr std::size_t bytes_for(std::size_t chunks) noexcept {
    return chunks * (sizeof(Chunk) + sizeof(std::uint16_t));
  }
  class Writer {
   public:
    explicit Writer(ToldRanges& told) noexcept : told_(told) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Nearly all room is in use, and ranges some way apart would better be one.
    bool in_need() const noexcept { return in_need_; }
    // `alone`: nothing else lives between this range and the one before.
    void add(std::uint64_t start, std::uint64_t bytes, std::uint32_t birth,
             bool alone = false) noexcept {
      const std::uint64_t units = (bytes + kAgeUnitBytes - 1) / kAgeUnitBytes;
      const auto kept = static_cast<std::uint32_t>(std::min<std::uint64_t>(units, UINT32_MAX));
      if (extends(start, kept, birth, alone && in_need_ ? kMostStepBytes : 0)) {
        if (last().end() != start) last().birth |= kLoose;
        last().units = static_cast<std::uint32_t>((start - last().start) / kAgeUnitBytes) + kept;
        return;
      }
      if (!is_next(start)) told_.unsorted_.store(true, std::memory_order_relaxed);
      if (!fits(start)) {
        chunk_ = told_.claim();
        in_need_ = told_.chunks() > told_.chunks_.size() / 2;
      }
      if (chunk_ == nullptr) {
        told_.lost_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      chunk_->ranges[chunk_->count++] = AgeRange{start, kept, birth};
    }

   private:
    AgeRange& last() noexcept { return chunk_->ranges[chunk_->count - 1]; }
    bool extends(std::uint64_t start, std::uint32_t units, std::uint32_t birth,
                 std::uint64_t most_gap_bytes) noexcept {
      if (chunk_ == nullptr || chunk_->count == 0 || (last().birth & ~kLoose) != birth ||
          start < last().end() || start - last().end() > most_gap_bytes)
        return false;
      return (start - last().start) / kAgeUnitBytes + units <= UINT32_MAX;
    }
    bool is_next(std::uint64_t start) noexcept {
      return chunk_ == nullptr || chunk_->count == 0 || chunk_->count >= kLeastOfChunk ||
             start >= last().end();
    }
    bool fits(std::uint64_t start) noexcept {
      if (chunk_ == nullptr || chunk_->count == kRoom) return false;
      return chunk_->count < kLeastOfChunk ||
             (start >= last().end() && start - last().end() <= kMostStepBytes);
    }

    ToldRanges& told_;
    Chunk* chunk_ = nullptr;
    bool in_need_ = false;
  };

  Result<void> open(Arena& arena, std::size_t most_chunks) noexcept {
    HF_TRY(chunks, arena.make<Chunk>(std::min(most_chunks, kMostChunks)));
    HF_TRY(order, arena.make<std::uint16_t>(std::min(most_chunks, kMostChunks)));
    chunks_ = chunks;
    order_ = order;
    return {};
  }
  void begin() noexcept {
    claimed_.store(0, std::memory_order_relaxed);
    used_ = at_ = in_ = 0;
    unsorted_.store(false, std::memory_order_relaxed);
  }
  std::uint64_t take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }
  std::size_t chunks() const noexcept {
    return std::min<std::size_t>(claimed_.load(std::memory_order_relaxed), chunks_.size());
  }

  void order() noexcept {
    used_ = 0;
    rewind();
    if (unsorted_.load(std::memory_order_relaxed)) return sort_all();
    for (std::size_t i = 0; i < chunks(); ++i)
      if (chunks_[i].count != 0) order_[used_++] = static_cast<std::uint16_t>(i);
    const auto used = order_.first(used_);
    std::sort(used.begin(), used.end(), [this](std::uint16_t a, std::uint16_t b) {
      return chunks_[a].ranges[0].start < chunks_[b].ranges[0].start;
    });
    for (std::size_t i = 1; i < used_; ++i) {
      const Chunk& before = chunks_[order_[i - 1]];
      if (before.ranges[before.count - 1].end() > chunks_[order_[i]].ranges[0].start)
        return sort_all();
    }
  }
  // nullptr: that was all. What is given may be written to until the next call of next().
  AgeRange* front() noexcept { return at_ < used_ ? &chunks_[order_[at_]].ranges[in_] : nullptr; }
  void next() noexcept {
    if (++in_ < chunks_[order_[at_]].count) return;
    in_ = 0;
    ++at_;
  }
  void rewind() noexcept { at_ = in_ = 0; }
  template <class Visit>
  void for_each(Visit visit) noexcept {
    for (const std::uint16_t i : order_.first(used_))
      for (AgeRange& range : std::span(chunks_[i].ranges, chunks_[i].count)) visit(range);
  }

 private:
  friend class Writer;

  Chunk* claim() noexcept {
    if (claimed_.load(std::memory_order_relaxed) >= chunks_.size()) return nullptr;
    const std::size_t mine = claimed_.fetch_add(1, std::memory_order_relaxed);
    if (mine >= chunks_.size()) return nullptr;
    chunks_[mine].count = 0;
    return &chunks_[mine];
  }

  // In place: all ranges move to the front of the chunks' memory, are sorted, and are dealt out to whole chunks again, from the last on.
  void sort_all() noexcept {
    auto* const flat = reinterpret_cast<AgeRange*>(chunks_.data());
    std::size_t count = 0;
    for (std::size_t i = 0; i < chunks(); ++i) {
      const Chunk& chunk = chunks_[i];
      const std::size_t own = chunk.count;
      for (std::size_t k = 0; k < own; ++k) flat[count++] = chunk.ranges[k];
    }
    std::sort(flat, flat + count,
              [](const AgeRange& a, const AgeRange& b) { return a.start < b.start; });
    used_ = (count + kRoom - 1) / kRoom;
    for (std::size_t i = used_; i-- > 0;) {
      const std::size_t from = i * kRoom;
      const std::size_t own = std::min(kRoom, count - from);
      for (std::size_t k = own; k-- > 0;) chunks_[i].ranges[k] = flat[from + k];
      chunks_[i].count = own;
      order_[i] = static_cast<std::uint16_t>(i);
    }
  }

  std::span<Chunk> chunks_;
  std::span<std::uint16_t> order_;
  std::size_t used_ = 0;
  std::size_t at_ = 0;
  std::size_t in_ = 0;
  std::atomic<std::size_t> claimed_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> unsorted_{false};  // ranges of one chunk do not ascend
};

}  // namespace holdfast::clr
