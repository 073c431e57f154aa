#include "clrprofiler/roots/static_slots.h"

#include <bit>

namespace holdfast::clr {
namespace {

std::size_t hash_of(std::uint64_t value) noexcept {
  return static_cast<std::size_t>((value * 0x9E3779B97F4A7C15u) >> 20);
}

// FNV-1a, over UTF-16.
std::size_t hash_of(std::u16string_view name) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char16_t unit : name) hash = (hash ^ unit) * 0x100000001B3u;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

}  // namespace

Result<StaticSlots> StaticSlots::make(std::span<const StaticSlot> slots, Arena& arena) noexcept {
  StaticSlots made;
  made.slots_ = slots;
  const std::size_t room = std::bit_ceil(2 * slots.size() + 2);
  HF_TRY(places, arena.make_filled<Place>(2 * room, Place{0, 0}));
  HF_TRY(names, arena.make_filled<std::uint32_t>(room, 0));
  made.places_ = places;
  made.names_ = names;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    made.add_address(slots[i].slot, i);
    if (slots[i].object != 0) made.add_address(slots[i].object + sizeof(void*), i);
    made.add_name(i);
  }
  return made;
}

void StaticSlots::add_address(std::uint64_t address, std::uint32_t slot) noexcept {
  if (address == 0) return;
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash_of(address) & mask;
  while (places_[at].address != 0) at = (at + 1) & mask;
  places_[at] = Place{address, slot};
}

void StaticSlots::add_name(std::uint32_t slot) noexcept {
  const std::size_t mask = names_.size() - 1;
  std::size_t at = hash_of(slots_[slot].name) & mask;
  for (; names_[at] != 0; at = (at + 1) & mask)
    if (slots_[names_[at] - 1].name == slots_[slot].name) return;
  names_[at] = slot + 1;
}

std::uint32_t StaticSlots::find(std::uint64_t address, std::u16string_view name) const noexcept {
  if (address == 0 || places_.empty()) return kNone;
  const std::size_t mask = places_.size() - 1;
  for (std::size_t at = hash_of(address) & mask; places_[at].address != 0; at = (at + 1) & mask) {
    const auto slot = static_cast<std::uint32_t>(places_[at].slot);
    if (places_[at].address == address && slots_[slot].name == name) return slot;
  }
  return kNone;
}

std::uint32_t StaticSlots::first_of(std::u16string_view name) const noexcept {
  if (names_.empty()) return kNone;
  const std::size_t mask = names_.size() - 1;
  for (std::size_t at = hash_of(name) & mask; names_[at] != 0; at = (at + 1) & mask)
    if (slots_[names_[at] - 1].name == name) return names_[at] - 1;
  return kNone;
}

}  // namespace holdfast::clr
