// The mark table that grows: cells come from the arena stretch by stretch, when the first object of a stretch is marked.
// Why not mark_table.h alone: the VM reserves far more heap than it uses, memory= counts what is taken, and who reads a heap outside the pause may still take.
// Shape:  a pointer for each 1 MiB of address range, 32 KiB of cells behind each that is used: 3.2 % of the heap where objects are.
// Zone:   capture, child.
// Errors: mark() answers false when the arena has no room, and failed() says so from then on. number(): kTooMany.
#pragma once

#include "common/snapshot/mark_table.h"

namespace holdfast {

class GrowingMarkTable {
 public:
  static constexpr std::uint64_t kPlaceBytes = MarkTable::kPlaceBytes;

  static Result<GrowingMarkTable> make(Arena& arena, std::uint64_t heap_bytes) noexcept {
    GrowingMarkTable table;
    const std::uint64_t places = heap_bytes / kPlaceBytes + 1;
    HF_TRY(stretches, arena.make_filled<MarkCell*>(places / kPlacesPerStretch + 1, nullptr));
    table.arena_ = &arena;
    table.stretches_ = stretches;
    return table;
  }

  // True the first time.
  bool mark(std::uint64_t place) noexcept {
    MarkCell*& cells = stretches_[stretch_of(place)];
    if (cells == nullptr && !grow(cells)) return false;
    return cells[index_of(place)].mark(place);
  }
  bool failed() const noexcept { return failed_; }
  bool marked(std::uint64_t place) const noexcept {
    const MarkCell* cells = stretches_[stretch_of(place)];
    return cells != nullptr && cells[index_of(place)].marked(place);
  }
  // The first marked place from `place` on; `end` where there is none below it.
  std::uint64_t next_marked(std::uint64_t place, std::uint64_t end) const noexcept {
    for (; place < end; place = (place / MarkCell::kPlaces + 1) * MarkCell::kPlaces) {
      const MarkCell* cells = stretches_[stretch_of(place)];
      if (cells == nullptr) {
        place = (stretch_of(place) + 1) * kPlacesPerStretch - 1;
        continue;
      }
      const std::uint32_t below = MarkCell::bit_of(place) - 1;
      const std::uint32_t bits = cells[index_of(place)].bits & ~below;
      if (bits == 0) continue;
      const std::uint64_t found = place / MarkCell::kPlaces * MarkCell::kPlaces +
                                  static_cast<unsigned>(std::countr_zero(bits));
      return found < end ? found : end;
    }
    return end;
  }
  // Gives every marked place its number, in the order of places; answers how many there are.
  Result<std::uint32_t> number() noexcept {
    std::uint64_t count = 0;
    for_each_cell([&](std::uint64_t, MarkCell& cell) {
      cell.first = static_cast<std::uint32_t>(count);
      count += MarkCell::count_bits(cell.bits);
      return true;
    });
    if (count > kMaxObjects) return make_error(ErrorCode::kTooMany, kMaxObjects);
    return static_cast<std::uint32_t>(count);
  }
  // Of a marked place.
  std::uint32_t number_of(std::uint64_t place) const noexcept {
    return stretches_[stretch_of(place)][index_of(place)].number_of(place);
  }
  // Of a number, the place: a search, O(stretches).
  std::uint64_t place_of(std::uint32_t number) const noexcept {
    std::uint64_t found = 0;
    const MarkCell* cell = nullptr;
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
      if (stretches_[s] == nullptr || stretches_[s]->first > number) continue;
      found = s * kPlacesPerStretch;
      cell = stretches_[s];
    }
    if (cell == nullptr) return 0;
    const MarkCell* const end = cell + kCellsPerStretch;
    for (; cell + 1 < end && cell[1].first <= number; ++cell) found += MarkCell::kPlaces;
    std::uint32_t bits = cell->bits;
    for (std::uint32_t i = cell->first; i < number; ++i) bits &= bits - 1;
    return found + static_cast<unsigned>(std::countr_zero(bits));
  }
  // visit(place), in order of numbers, until it answers false.
  template <class Visit>
  void for_each(Visit visit) noexcept {
    for_each_cell([&](std::uint64_t first, const MarkCell& cell) {
      for (std::uint32_t bits = cell.bits; bits != 0; bits &= bits - 1)
        if (!visit(first + static_cast<unsigned>(std::countr_zero(bits)))) return false;
      return true;
    });
  }

 private:
  static constexpr std::uint64_t kCellsPerStretch = 4096;
  static constexpr std::uint64_t kPlacesPerStretch = kCellsPerStretch * MarkCell::kPlaces;

  static std::size_t stretch_of(std::uint64_t place) noexcept {
    return static_cast<std::size_t>(place / kPlacesPerStretch);
  }
  static std::size_t index_of(std::uint64_t place) noexcept {
    return static_cast<std::size_t>(place / MarkCell::kPlaces % kCellsPerStretch);
  }
  bool grow(MarkCell*& cells) noexcept {
    auto made = arena_->make_zeroed<MarkCell>(kCellsPerStretch);
    failed_ = failed_ || !made;
    if (!made) return false;
    cells = made->data();
    return true;
  }
  template <class Visit>
  void for_each_cell(Visit visit) noexcept {
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
      if (stretches_[s] == nullptr) continue;
      for (std::uint64_t i = 0; i < kCellsPerStretch; ++i)
        if (!visit(s * kPlacesPerStretch + i * MarkCell::kPlaces, stretches_[s][i])) return;
    }
  }

  Arena* arena_ = nullptr;
  std::span<MarkCell*> stretches_;
  bool failed_ = false;
};

}  // namespace holdfast
