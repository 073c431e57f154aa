// Which places of the heap hold a reached object, and which number each has: addresses in order, so numbers follow addresses.
// Why: marking needs one bit for each place where an object may begin, numbering the count of bits below it; together they are
//      one load of 8 bytes for each reference, 3.2 % of the heap's address range, and touched only where objects are.
// Shape:  a cell of 32 bits and the number of its first object for 32 places of 8 bytes; one byte for each 1 MiB of heap that has
//         any. mark() until number(), then number_of() and for_each().
// Zone:   capture, child.
// Errors: make(): the arena's. number(): kTooMany beyond kMaxObjects.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/snapshot/snapshot.h"

namespace holdfast {

// 32 places: which are marked, and the number of the first.
struct MarkCell {
  static constexpr std::uint64_t kPlaces = 32;
  std::uint32_t bits;
  std::uint32_t first;

  static constexpr std::uint32_t bit_of(std::uint64_t place) noexcept {
    return 1u << (place % kPlaces);
  }
  // True the first time.
  bool mark(std::uint64_t place) noexcept {
    const std::uint32_t bit = bit_of(place);
    if ((bits & bit) != 0) return false;
    bits |= bit;
    return true;
  }
  bool marked(std::uint64_t place) const noexcept { return (bits & bit_of(place)) != 0; }
  std::uint32_t number_of(std::uint64_t place) const noexcept {
    return first + count_bits(bits & (bit_of(place) - 1));
  }
  // Spelled out: without an instruction set beyond the first x86-64 std::popcount is a call.
  static constexpr std::uint32_t count_bits(std::uint32_t x) noexcept {
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return ((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
  }
};

class MarkTable {
 public:
  static constexpr std::uint64_t kPlaceBytes = 8;

  static Result<MarkTable> make(Arena& arena, std::uint64_t heap_bytes) noexcept {
    const std::uint64_t places = heap_bytes / kPlaceBytes + 1;
    MarkTable table;
    HF_TRY(cells, arena.make_zeroed<Cell>(places / kPlacesPerCell + 1));
    HF_TRY(touched, arena.make_filled<std::uint8_t>(cells.size() / kCellsPerStretch + 1, 0));
    table.cells_ = cells;
    table.touched_ = touched;
    return table;
  }

  // True the first time.
  bool mark(std::uint64_t place) noexcept {
    const std::size_t index = index_of(place);
    if (!cells_[index].mark(place)) return false;
    touched_[index / kCellsPerStretch] = 1;
    return true;
  }
  bool marked(std::uint64_t place) const noexcept { return cells_[index_of(place)].marked(place); }
  // Gives every marked place its number; answers how many there are.
  Result<std::uint32_t> number() noexcept {
    std::uint64_t count = 0;
    for_each_cell([&](std::size_t, Cell& cell) {
      cell.first = static_cast<std::uint32_t>(count);
      count += MarkCell::count_bits(cell.bits);
    });
    if (count > kMaxObjects) return make_error(ErrorCode::kTooMany, kMaxObjects);
    return static_cast<std::uint32_t>(count);
  }
  // Of a marked place.
  std::uint32_t number_of(std::uint64_t place) const noexcept {
    return cells_[index_of(place)].number_of(place);
  }
  // visit(place), in order of numbers, until it answers false.
  template <class Visit>
  void for_each(Visit visit) noexcept {
    bool go_on = true;
    for_each_cell([&](std::size_t index, const Cell& cell) {
      for (std::uint32_t bits = cell.bits; go_on && bits != 0; bits &= bits - 1)
        go_on = visit(std::uint64_t{index} * kPlacesPerCell +
                      static_cast<unsigned>(std::countr_zero(bits)));
    });
  }

 private:
  using Cell = MarkCell;
  static constexpr std::uint64_t kPlacesPerCell = MarkCell::kPlaces;
  static constexpr std::size_t kCellsPerStretch = 4096;  // 1 MiB of heap

  static std::size_t index_of(std::uint64_t place) noexcept {
    return static_cast<std::size_t>(place / kPlacesPerCell);
  }
  template <class Visit>
  void for_each_cell(Visit visit) noexcept {
    for (std::size_t stretch = 0; stretch < touched_.size(); ++stretch) {
      if (touched_[stretch] == 0) continue;
      const std::size_t first = stretch * kCellsPerStretch;
      const std::size_t end =
          first + kCellsPerStretch < cells_.size() ? first + kCellsPerStretch : cells_.size();
      for (std::size_t i = first; i < end; ++i) visit(i, cells_[i]);
    }
  }

  std::span<Cell> cells_;
  std::span<std::uint8_t> touched_;
};

}  // namespace holdfast
