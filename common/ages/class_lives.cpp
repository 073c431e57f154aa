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
  return {};
}

ClassLife& ClassLives::of(StringId name) noexcept {
  if (name.value >= place_.size()) return lives_[0];
  std::uint16_t& place = place_[name.value];
  if (place == 0 && used_ < lives_.size()) place = static_cast<std::uint16_t>(used_++);
  return lives_[place];
}

void ClassLives::born(StringId name, std::uint64_t collection) noexcept {
  if (!is_on()) return;
  ClassLife& life = of(name);
  life.last_born = std::max(life.last_born, collection);
  ++life.samples;
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
