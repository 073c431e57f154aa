#include "common/ages/class_lives.h"

#include <algorithm>

namespace holdfast {

std::size_t ClassLives::arena_bytes(std::uint32_t names) noexcept {
  return (kMostClasses + 1) * sizeof(ClassLife) + names * sizeof(std::uint16_t) +
         2 * Arena::kAlignment;
}

Result<void> ClassLives::make(std::uint32_t names, Arena& arena) noexcept {
  HF_TRY(lives, arena.make_zeroed<ClassLife>(kMostClasses + 1));
  HF_TRY(place, arena.make_zeroed<std::uint16_t>(names));
  lives_ = lives;
  place_ = place;
  used_ = 1;
  span_ = {};
  return {};
}

namespace {

// What is told late counts as told now: a clock of a class never goes back.
void see(ClassLife& life, const Sighting& here, std::uint64_t collection) noexcept {
  if (life.samples++ == 0) {
    life.first = life.last = here;
    life.first_born = life.last_born = collection;
    life.collections = 1;
    return;
  }
  const Sighting now{here.sample, std::max(here.at_ms, life.last.at_ms)};
  life.longest_gap.sample = std::max(life.longest_gap.sample, now.sample - life.last.sample);
  life.longest_gap.at_ms = std::max(life.longest_gap.at_ms, now.at_ms - life.last.at_ms);
  life.last = now;
  if (collection <= life.last_born) return;
  ++life.collections;
  life.last_born = collection;
}

}  // namespace

ClassLife& ClassLives::of(StringId name) noexcept {
  if (name.value >= place_.size()) return lives_[0];
  std::uint16_t& place = place_[name.value];
  if (place == 0 && used_ < lives_.size()) place = static_cast<std::uint16_t>(used_++);
  return lives_[place];
}

void ClassLives::born(StringId name, std::uint64_t collection, std::uint64_t at_ms,
                      std::uint64_t passed_over) noexcept {
  if (!is_on()) return;
  if (span_.samples++ == 0) span_.began_ms = at_ms;
  see(of(name), {span_.samples + passed_over, at_ms}, collection);
}

void ClassLives::died(StringId name, std::uint64_t age, double objects) noexcept {
  if (!is_on()) return;
  ClassLife& life = of(name);
  const std::size_t range = age_range(age);
  ++life.died_samples[range];
  life.died_objects[range] += static_cast<float>(objects);
}

const ClassLife* ClassLives::find(StringId name) const noexcept {
  if (name.value >= place_.size() || place_[name.value] == 0) return nullptr;
  return &lives_[place_[name.value]];
}

}  // namespace holdfast
