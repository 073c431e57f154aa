// The objects that a report talks about, each once, in the order of first use: object id to row and back.
// Shape:  open addressing over row numbers, load <= 1/2: 4 B a row + 8 B of slots.
// Zone:   worker.
// Errors: add() answers kNoRow once the capacity is used up; the capacity is counted from the findings, so it never is.
#pragma once

#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/result.h"
#include "common/typed_index.h"

namespace holdfast::analysis {

class ObjectList {
 public:
  ObjectList() = default;
  static Result<ObjectList> make(Arena& arena, std::uint32_t capacity) noexcept;

  struct Added {
    std::uint32_t row;
    bool fresh;  // seen for the first time
  };
  Added add(ObjectId object) noexcept;
  std::span<const ObjectId> all() const noexcept { return objects_.first(size_); }

 private:
  std::span<ObjectId> objects_;
  std::span<std::uint32_t> slots_;  // row + 1; 0 is free
  std::uint32_t size_ = 0;
};

}  // namespace holdfast::analysis
