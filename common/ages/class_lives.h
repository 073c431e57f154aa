// How long the sampled objects of each class have lived: deaths by age, and when the class was sampled last.
// Why beside the live ones: of those that are gone nothing else is left, and they tell what an age means for a class.
// Shape:  one entry for each class name, kMostClasses at most (the rest is one entry without a name): 216 bytes, untouched until used; 2 bytes
//         a name to find it by. Ages in doublings (object_age.h).
//         first <= last; longest_gap is the longest silence between two samples, by each clock alone.
// Zone:   make(): load. The rest: under the book's lock, also at a safepoint: no call, no allocation.
// Errors: make(): kOutOfBudget.
#pragma once

#include <cstdint>
#include <span>

#include "common/ages/object_age.h"
#include "common/arena.h"
#include "common/result.h"
#include "common/typed_index.h"

namespace holdfast {

// When something was sampled, by two clocks: samples of all classes, and time.
struct Sighting {
  std::uint64_t sample = 0;  // it was this one, counted from 1
  std::uint64_t at_ms = 0;
};

struct ClassLife {
  std::uint32_t died_samples[kAgeDoublings] = {};
  float died_objects[kAgeDoublings] = {};  // that these stand for
  std::uint64_t first_born = 0;  // collections there had been when the first one was sampled
  std::uint64_t last_born = 0;
  std::uint32_t samples = 0;      // ever
  std::uint32_t collections = 0;  // between which some were sampled: what comes at once counts once
  Sighting first, last, longest_gap;
};

// All that was sampled by now.
struct LivesSpan {
  std::uint64_t samples = 0;
  std::uint64_t began_ms = 0;  // the first one; 0: none yet
};

class ClassLives {
 public:
  static constexpr std::size_t kMostClasses = 4096;

  static std::size_t arena_bytes(std::uint32_t names) noexcept;
  Result<void> make(std::uint32_t names, Arena& arena) noexcept;
  bool is_on() const noexcept { return !lives_.empty(); }

  // `passed_over`: samples of all classes that somebody left out, which the clock counts, too.
  void born(StringId name, std::uint64_t collection, std::uint64_t at_ms = 0,
            std::uint64_t passed_over = 0) noexcept;
  void died(StringId name, std::uint64_t age, double objects) noexcept;
  // nullptr: never sampled, or one of the rest.
  const ClassLife* find(StringId name) const noexcept;
  LivesSpan span() const noexcept { return span_; }

 private:
  ClassLife& of(StringId name) noexcept;

  std::span<ClassLife> lives_;
  std::span<std::uint16_t> place_;  // by name: number + 1
  std::uint32_t used_ = 1;          // entry 0: the rest
  LivesSpan span_;
};

}  // namespace holdfast
