// Names, each stored once: class, loader, field, method and thread names.
// Shape:  bytes UTF-8 (bad input is replaced, never passed on), one hash table of 32-bit ids, open addressing, load <= 1/2.
//         Cost: length + 12 to 20 bytes a name (4 offset, 8 to 16 slots: a power of two). StringId 0 is the empty string. Capacity is fixed when it is made.
// Zone:   capture, worker, offline; intern() never in the stopped zone.
// Errors: intern() answers the empty string's id once the table is full, and counts it in dropped().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "common/result.h"
#include "common/typed_index.h"

namespace holdfast {

class StringTable {
 public:
  static constexpr std::size_t kMaxNameBytes =
      4096;  // longer names are cut in the middle: "front…end"

  StringTable() = default;
  // Room for `names` names with `text_bytes` bytes in all.
  static Result<StringTable> make(Arena& arena, std::uint32_t names,
                                  std::uint64_t text_bytes) noexcept;

  // The same names under the same ids, no larger than they are; takes no more in.
  Result<StringTable> read_only_copy(Arena& arena) const noexcept;

  StringId intern(std::string_view text) noexcept;
  std::string_view view(StringId id) const noexcept;  // "" for an invalid id
  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t dropped() const noexcept { return dropped_; }
  std::uint64_t text_bytes() const noexcept { return offset_.empty() ? 0 : offset_[size_]; }

 private:
  std::span<char> text_;
  std::span<std::uint32_t> offset_;  // offset_[i] .. offset_[i + 1] is the text of id i
  std::span<std::uint32_t> slots_;   // id + 1, 0 is free; size a power of two
  std::uint32_t size_ = 0;
  std::uint32_t dropped_ = 0;
};

}  // namespace holdfast
