// The sampled objects that live: how many fit is fixed, and when no more do, chance decides which of them go.
// Why chance: each of those that stay then stands for two, for four, for 2^level, whatever was large, old or lucky before; so live
//         amounts stay unbiased, and their stated errors grow with what was given up.
// Shape:  slots of 16 bytes, untouched until used. A sample is there with probability kept_share() = 2^-level, the same for all.
//         A tag is generation and number of its slot: the tag of a sample that was given up finds nobody, also when its slot is
//         used again (a tag would have to sleep through 2^31 uses of its slot to be mistaken).
// Zone:   make(): load. The rest: under the book's lock; thinning looks at every slot, 1 ms for 131,072 of them.
// Errors: make(): kOutOfBudget, kTooMany.
#pragma once

#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/result.h"

namespace holdfast {

// When a sample was taken.
struct SampleMoment {
  std::uint32_t raises = 0;  // of the pace, as it was when the sample was kept
  std::uint64_t born = 0;    // collections that there had been, where ages are asked for
  std::uint64_t at_ms = 0;   // of a clock that never goes back, likewise
};

class LiveSamples {
 public:
  using Tag = std::uint64_t;  // never 0
  struct Slot {
    std::uint32_t generation = 0;          // odd: a sample lives here
    std::uint32_t row = 0;                 // of the sample, or the next free slot + 1
    std::uint64_t shallow_bytes : 36 = 0;  // 64 GB, more than an object has
    std::uint64_t raises : 4 = 0;          // of the interval that it was taken at (sampling_pace.h)
    std::uint64_t born : 24 =
        0;  // collections that there had been; counts on from 0 after 16,777,215
    bool lives() const noexcept { return (generation & 1u) != 0; }
  };

  static std::size_t arena_bytes(std::uint32_t samples) noexcept;
  Result<void> make(std::uint32_t samples, std::uint64_t seed, Arena& arena) noexcept;

  // How many collections lie between `born` of a slot and `now`.
  static std::uint32_t age(const Slot& slot, std::uint64_t now) noexcept {
    return static_cast<std::uint32_t>(now - slot.born) & kBornMask;
  }

  // 0: chance has it that this one is not followed.
  Tag add(std::uint32_t row, std::uint64_t shallow_bytes, const SampleMoment& moment) noexcept;
  void remove(Tag tag) noexcept;
  bool has(Tag tag) const noexcept { return find(tag) != nullptr; }
  // nullptr: it has gone.
  const Slot* find(Tag tag) const noexcept;

  std::span<const Slot> slots() const noexcept { return slots_.first(touched_); }
  double kept_share() const noexcept;
  // Samples that chance gave up, then or when they came.
  std::uint64_t given_up() const noexcept { return given_up_; }
  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t capacity() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  static constexpr std::uint32_t kBornMask = (1u << 24u) - 1;

  bool kept_by_chance(std::uint32_t halvings) noexcept;
  void thin() noexcept;
  void release(std::uint32_t number) noexcept;
  bool is_full() const noexcept { return free_ == 0 && touched_ == slots_.size(); }

  std::span<Slot> slots_;
  std::uint32_t touched_ = 0;
  std::uint32_t free_ = 0;  // the first free slot + 1
  std::uint32_t count_ = 0;
  std::uint32_t level_ = 0;
  std::uint64_t given_up_ = 0;
  std::uint64_t chance_ = 0;
};

}  // namespace holdfast
