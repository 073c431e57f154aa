// The table of age ranges of a CLR's heap, kept up to date from what its collections tell.
// Why ranges: objects that a collection sees for the first time lie together, and stay together when they are moved; so the table grows
//      with how often old and young alternate, and not with objects.
// Shape:  ranges by address, 16 B each, at most `most_ranges`; two buffers, since each collection makes a new table from the old one. A collection: begin(), the listing of its begin, tellers, the listing of its end, end().
//         Whoever lives is told by a teller: from the old table come the births of what lies there, the rest is born now.
//           kept from the old table     generations above the collected one; of a whole collection, regions of gen2 that were swept: nothing
//                                       in them has moved, and what died there is asked for by nobody
//           taken from the tellers      everything else that lives
//           nowhere                     what died, and what lies in no region any more
//         Ranges of equal birth are one if they touch, or lie in one region of gen1 or gen2: nothing comes into the gap between them without
//         being told as moved. In gen0 and among large and pinned objects the application allocates in such gaps.
//         A collection in the background gives regions back without a word: the listing of a begin shows which are another generation's now.
//         It tells gen2 (which is swept: nothing to do) and large and pinned objects: end_background(). While it sweeps, the application
//         allocates where young objects have died, and nobody says where that is: forget_young().
//         Whenever there is no table (at first, and after trouble) the next end makes one of its listing: gen1 and gen2 were there before.
//         O(ranges + regions) for a collection, O(log ranges) for a lookup.
// Zone:   open(): load. The rest: stopped (age_ranges_stopped.cpp); tellers: any number of threads, between begin() and end(). view(), copy_to(): while no collection runs, in a child too.
// Errors: open(): the arena's. A table that would be too large is made coarser first (ages become the smallest of their doubling), then what
//         finds no room is forgotten: it looks young, or like its neighbours. Both are counted. More regions than can be listed: no table.
// Source: SAP, object age detection in garbage collection heaps, US 7904493.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "clrprofiler/ages/age_view.h"
#include "clrprofiler/ages/heap_regions.h"
#include "clrprofiler/ages/told_ranges.h"

namespace holdfast::clr {

// Of the whole life of a table.
struct AgeLosses {
  std::uint64_t coarsened = 0;  // how often the whole table was made coarser
  std::uint64_t forgotten = 0;  // ranges that found no room
  std::uint64_t restarts = 0;   // tables that were given up
};

class AgeRanges {
 public:
  static constexpr std::size_t kMostRanges = std::size_t{1} << 20;
  static constexpr std::size_t bytes_for(std::size_t most_ranges) noexcept {
    return 2 * most_ranges * sizeof(AgeRange) + ToldRanges::bytes_for(chunks_for(most_ranges)) +
           2 * HeapRegions::kMostRegions * sizeof(HeapRegion) + kRoundingBytes;
  }

  // All that one event tells; one thread.
  class Teller {
   public:
    explicit Teller(AgeRanges& ranges) noexcept : ranges_(ranges), out_(ranges.told_) {}
    void survived(std::uint64_t start, std::uint64_t bytes) noexcept;
    void moved(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) noexcept;

   private:
    bool stays(std::uint64_t start) noexcept;
    bool is_collected(std::uint64_t to) noexcept;
    HeapRegion* region_of(std::uint64_t address) noexcept;

    AgeRanges& ranges_;
    ToldRanges::Writer out_;
    HeapRegions::Place place_;
    HeapRegions::Place target_;  // of what is moved
    std::size_t hint_ = 0;
  };

  Result<void> open(Arena& arena, std::size_t most_ranges) noexcept;

  // `number`: of the collection; they grow. `generation`: up to which it collects.
  void begin(std::uint32_t number, std::uint32_t generation) noexcept;
  // As it is at the begin; at the end, from begin_last_listing() on.
  void list(std::uint8_t generation, std::uint64_t start, std::uint64_t used_bytes,
            std::uint64_t reserved_bytes) noexcept;
  void begin_last_listing() noexcept {
    after_->clear();
    last_listing_ = true;
  }
  void end() noexcept;
  // Nothing was told, and the application runs on.
  void leave() noexcept { rest(); }
  // One in the background is about to sweep. Where young objects have died, the application allocates while it does.
  void forget_young() noexcept;
  // Tellers came between two collections, and the application has not run since.
  void end_background() noexcept;
  // There is no table any more, until the end of the next collection.
  void restart() noexcept;
  // From the next collection's begin on every object is followed from its first collection: there was none before.
  void begin_at_first() noexcept { known_.store(true, std::memory_order_relaxed); }

  bool known() const noexcept { return known_.load(std::memory_order_relaxed); }
  AgeView view(std::uint32_t now) const noexcept {
    return known() ? AgeView(table(), now) : AgeView();
  }
  // A copy of the table, as far as it has room.
  AgeView copy_to(std::span<AgeRange> room, std::uint32_t now) const noexcept;
  // Of the last collection's end; any thread.
  AgeLosses losses() const noexcept;
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  friend class Teller;
  class Merge;
  static constexpr std::size_t kRoundingBytes = std::size_t{1}
                                                << 16;  // arrays begin at cache lines
  static constexpr std::size_t chunks_for(std::size_t most_ranges) noexcept {
    return most_ranges / 64;
  }

  std::span<const AgeRange> table() const noexcept { return current_.first(count_); }
  bool collects(const HeapRegion& region) const noexcept;
  void rest() noexcept;
  void make_table() noexcept;
  std::size_t merge_coarser(const HeapRegions& regions) noexcept;
  void coarsen() noexcept;
  void start_anew() noexcept;

  std::span<AgeRange> current_;
  std::span<AgeRange> next_;
  std::size_t count_ = 0;
  HeapRegions listings_[2];
  HeapRegions* before_ = &listings_[0];
  HeapRegions* after_ = &listings_[1];
  ToldRanges told_;
  std::uint32_t number_ = 0;
  std::uint32_t generation_ = 0;
  bool last_listing_ = false;
  bool background_ = true;  // no collection runs, or one in the background
  std::atomic<bool> known_{false};
  // For other threads.
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> coarsened_{0};
  std::atomic<std::uint64_t> forgotten_{0};
  std::atomic<std::uint64_t> restarts_{0};
};

}  // namespace holdfast::clr
