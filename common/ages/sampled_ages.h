// How old the sampled objects of each class are at one moment.
// Why samples: their births are known to the collection, in every VM that tells who dies, whatever its collector keeps of ages.
// Shape:  one entry for each class that has followed samples, at most kMostAgedClasses; the rest is summed up in one without a name.
//         Objects and bytes are estimates (sample_weight.h); samples are what they are made of. O(samples), 380 B a class, 2 B a name.
//         births[w] looks back over the last 32 * 4^w collections, the last one over all: bit b is set where an old object (kOldAge
//         collections or more) was born in the b-th sixteenth. Where a leak is, all sixteenths fill up; where a cache was filled, one.
//         since_mark[m] counts the old ones that were born from AgeQuestion::marks[m] on: who looks at a class twice asks for what came between.
// Zone:   read_sampled_ages(): any thread of ours; the book's lock is taken for some thousand samples at a time.
// Errors: kOutOfBudget: no room in the arena, and nothing stays in it.
#pragma once

#include <cstdint>
#include <span>

#include "common/accounts/account_book.h"
#include "common/ages/object_age.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast {

// Who has survived so many has seen what a collection of the young takes.
inline constexpr std::uint32_t kOldAge = 4;
inline constexpr std::size_t kMostAgedClasses = 4096;
inline constexpr std::size_t kBirthWindows = 7;

inline constexpr std::size_t kAgeMarks = 2;

struct AgeQuestion {
  std::uint64_t since = 0;  // collections when sampling began
  std::uint64_t now = 0;
  std::uint64_t marks[kAgeMarks] = {};
  std::uint64_t now_ms = 0;  // where silences are asked for
};

struct OldSince {
  std::uint32_t samples = 0;
  float objects = 0;
};

struct SampledClass {
  StringId name;  // of the book's names
  std::uint32_t samples[kAgeDoublings] = {};
  float objects[kAgeDoublings] = {};
  float bytes[kAgeDoublings] = {};
  std::uint32_t old_samples = 0;
  float old_objects_variance = 0;  // sample_weight.h
  float old_bytes_variance = 0;
  OldSince since_mark[kAgeMarks] = {};
  std::uint16_t births[kBirthWindows] = {};
  std::uint16_t windows = 0;      // of births that hold anything: the last one looks over all
  ClassLife life;                 // and those that are gone
  std::uint64_t born_in[4] = {};  // of old ones: a bit for each collection, modulo 256

  std::uint32_t all_samples() const noexcept;
  double all_objects() const noexcept;
  double old_objects() const noexcept;
  double old_bytes() const noexcept;
  double all_bytes() const noexcept;
  // In how many collections the old ones were born, at least.
  std::uint32_t distinct_births() const noexcept;
};

struct SampledAges {
  AgeQuestion question;
  std::span<SampledClass> classes;  // in no order
  SampledClass rest;
  LivesSpan span;
};

std::size_t sampled_ages_bytes(std::uint32_t names) noexcept;
Result<SampledAges> read_sampled_ages(AccountBook& book, const AgeQuestion& question,
                                      Arena& arena) noexcept;

}  // namespace holdfast
