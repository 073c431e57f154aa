#include "analysis/report/object_list.h"

#include <bit>

#include "analysis/report/index_check.h"

namespace holdfast::analysis {

Result<ObjectList> ObjectList::make(Arena& arena, std::uint32_t capacity) noexcept {
  ObjectList list;
  HF_TRY(objects, arena.make<ObjectId>(capacity));
  HF_TRY(slots, arena.make_filled<std::uint32_t>(std::bit_ceil(std::size_t{capacity} * 2 + 2), 0));
  list.objects_ = objects;
  list.slots_ = slots;
  return list;
}

ObjectList::Added ObjectList::add(ObjectId object) noexcept {
  const std::size_t mask = slots_.size() - 1;
  auto slot =
      static_cast<std::size_t>(object.value * std::uint64_t{0x9E3779B97F4A7C15u} >> 32) & mask;
  while (slots_[slot] != 0) {
    if (objects_[slots_[slot] - 1] == object) return {slots_[slot] - 1, false};
    slot = (slot + 1) & mask;
  }
  if (size_ == objects_.size()) return {kNoRow, false};
  objects_[size_] = object;
  slots_[slot] = ++size_;
  return {size_ - 1, true};
}

}  // namespace holdfast::analysis
