#include "common/ages/sampled_ages.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace holdfast {

namespace {

constexpr std::uint64_t kFirstWindow = 32;
constexpr std::uint32_t kSixteenths = 16;
constexpr int kTries = 3;  // thinning is rare: two in a row are one too many already

// Adds up one sample after the other.
class Reading {
 public:
  Reading(SampledAges& ages, std::span<SampledClass> room, std::span<std::uint16_t> place) noexcept
      : ages_(ages), room_(room), place_(place), life_(ages.question.now - ages.question.since) {}

  void begin() noexcept {
    std::fill(place_.begin(), place_.end(), std::uint16_t{0});
    ages_.rest = SampledClass();
    used_ = 0;
  }
  void add(const AccountBook::Followed& sample) noexcept {
    SampledClass& of = class_of(sample.class_name);
    const std::size_t range = age_range(sample.age);
    ++of.samples[range];
    of.objects[range] += static_cast<float>(sample.objects);
    of.bytes[range] +=
        static_cast<float>(sample.objects * static_cast<double>(sample.shallow_bytes));
    if (sample.age >= kOldAge) add_old(of, sample);
  }
  std::size_t used() const noexcept { return used_; }

 private:
  SampledClass& class_of(StringId name) noexcept {
    if (name.value >= place_.size()) return ages_.rest;
    std::uint16_t& place = place_[name.value];
    if (place == 0) {
      if (used_ == room_.size()) return ages_.rest;
      room_[used_] = SampledClass();
      room_[used_++].name = name;
      place = static_cast<std::uint16_t>(used_);
    }
    return room_[place - 1u];
  }

  void add_old(SampledClass& of, const AccountBook::Followed& sample) noexcept {
    ++of.old_samples;
    const double variance = sample.objects * (sample.objects - 1);
    const auto bytes_each = static_cast<double>(sample.shallow_bytes);
    of.old_objects_variance += static_cast<float>(variance);
    of.old_bytes_variance += static_cast<float>(variance * bytes_each * bytes_each);
    const std::uint64_t born = ages_.question.now - sample.age;
    of.born_in[born / 64 % 4] |= std::uint64_t{1} << (born % 64);
    for (std::size_t m = 0; m < kAgeMarks; ++m) {
      if (born < ages_.question.marks[m]) continue;
      ++of.since_mark[m].samples;
      of.since_mark[m].objects += static_cast<float>(sample.objects);
    }
    add_birth(of, sample.age - kOldAge);
  }

  void add_birth(SampledClass& of, std::uint64_t back) noexcept {
    // Nobody can be old who was born in the last collections.
    const std::uint64_t whole = life_ > kOldAge ? life_ - kOldAge : 0;
    std::uint64_t length = kFirstWindow;
    for (std::size_t w = 0; w < kBirthWindows; ++w, length *= 4) {
      const bool last = length >= whole || w + 1 == kBirthWindows;
      const std::uint64_t span = (last ? whole : length) + 1;
      if (back < span)
        of.births[w] |= static_cast<std::uint16_t>(1u << (back * kSixteenths / span));
      of.windows = static_cast<std::uint16_t>(std::max<std::size_t>(of.windows, w + 1));
      if (last) break;
    }
  }

  SampledAges& ages_;
  std::span<SampledClass> room_;
  std::span<std::uint16_t> place_;  // by name: number + 1
  std::uint64_t life_;
  std::size_t used_ = 0;
};

template <class T>
double sum_from(const T (&values)[kAgeDoublings], std::size_t first) noexcept {
  return std::accumulate(std::begin(values) + first, std::end(values), 0.0);
}

}  // namespace

std::uint32_t SampledClass::all_samples() const noexcept {
  return static_cast<std::uint32_t>(sum_from(samples, 0));
}
double SampledClass::all_objects() const noexcept { return sum_from(objects, 0); }
double SampledClass::old_objects() const noexcept { return sum_from(objects, age_range(kOldAge)); }
double SampledClass::old_bytes() const noexcept { return sum_from(bytes, age_range(kOldAge)); }
double SampledClass::all_bytes() const noexcept { return sum_from(bytes, 0); }
std::uint32_t SampledClass::distinct_births() const noexcept {
  return static_cast<std::uint32_t>(std::popcount(born_in[0]) + std::popcount(born_in[1]) +
                                    std::popcount(born_in[2]) + std::popcount(born_in[3]));
}

static_assert(range_begin(age_range(kOldAge)) == kOldAge);

std::size_t sampled_ages_bytes(std::uint32_t names) noexcept {
  return kMostAgedClasses * sizeof(SampledClass) + names * sizeof(std::uint16_t) +
         2 * Arena::kAlignment;
}

Result<SampledAges> read_sampled_ages(AccountBook& book, const AgeQuestion& question,
                                      Arena& arena) noexcept {
  const Arena::Mark before = arena.mark();
  SampledAges ages;
  ages.question = question;
  ages.question.now = std::max(question.since, question.now);
  Result<std::span<SampledClass>> room = arena.make<SampledClass>(kMostAgedClasses);
  if (!room) return room.error();
  Result<std::span<std::uint16_t>> place = arena.make<std::uint16_t>(book.names().size());
  if (!place) {
    arena.rewind(before);
    return place.error();
  }
  Reading reading(ages, *room, *place);
  for (int tries = 0; tries < kTries; ++tries) {
    reading.begin();
    const bool whole = book.visit_followed(
        ages.question.now,
        [](void* context, const AccountBook::Followed& sample) noexcept {
          static_cast<Reading*>(context)->add(sample);
        },
        &reading);
    if (whole) break;
  }
  ages.classes = room->first(reading.used());
  for (SampledClass& of : ages.classes) book.life_of(of.name, of.life);
  ages.span = book.lives_span();
  return ages;
}

}  // namespace holdfast
