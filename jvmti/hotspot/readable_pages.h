// Which pages of the heap can be read, asked of the system once for each and remembered.
// Why: a guess may lie anywhere in the reserved heap, of which only a part is committed; reading the rest ends the child.
// Shape:  kSlots pages remembered, direct mapped by page number; 16 B each. A miss is one system call.
// Zone:   child.   Errors: none.
#pragma once

#include <cstdint>

#include "platforms/mappings.h"

namespace holdfast::jvmti {

class ReadablePages {
 public:
  // The 8 bytes at `address`.
  bool has(std::uint64_t address) noexcept {
    const std::uint64_t page = address / kPageBytes;
    Slot& slot = slots_[page % kSlots];
    if (slot.page != page) slot = {page, platforms::is_readable(address & ~std::uint64_t{7})};
    return slot.readable;
  }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;  // the smallest that any system has
  static constexpr std::size_t kSlots = 1024;
  struct Slot {
    std::uint64_t page = 0;
    bool readable = false;
  };
  Slot slots_[kSlots];
};

}  // namespace holdfast::jvmti
