// The static variables that a collection told of, found again by address and by name.
// Shape:  two tables of open addressing, at most half full: 16 B a slot for each of its two addresses, 8 B for its name. A struct's slot
//         holds a box, and what the runtime calls its address lies inside the box, behind the method table.
// Zone:   capture.   Errors: make(): kOutOfBudget.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/arena.h"

namespace holdfast::clr {

// As GCBulkRootStaticVar tells it: everything but whose it is.
struct StaticSlot {
  std::uint64_t slot = 0;
  std::uint64_t object = 0;
  std::u16string_view name;
};

class StaticSlots {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  static Result<StaticSlots> make(std::span<const StaticSlot> slots, Arena& arena) noexcept;

  std::span<const StaticSlot> slots() const noexcept { return slots_; }
  // The slot of this name that GetAppDomainStaticAddress calls `address`; kNone: none.
  std::uint32_t find(std::uint64_t address, std::u16string_view name) const noexcept;
  bool has_name(std::u16string_view name) const noexcept { return first_of(name) != kNone; }
  // Some slot of the name, always the same one; kNone: there is none.
  std::uint32_t first_of(std::u16string_view name) const noexcept;

 private:
  struct Place {
    std::uint64_t address;  // 0: free
    std::uint64_t slot;
  };
  void add_address(std::uint64_t address, std::uint32_t slot) noexcept;
  void add_name(std::uint32_t slot) noexcept;

  std::span<const StaticSlot> slots_;
  std::span<Place> places_;
  std::span<std::uint32_t> names_;  // slot + 1; 0: free
};

}  // namespace holdfast::clr
