// Classes by the VM's name for them.
// Shape:  open addressing, at most half full, a pointer a place. Of several classes with one name the one of the given loader is found, else
//         the first that was met.
// Zone:   capture.   Errors: make(): the arena's; nullptr: no class has that name.
#pragma once

#include <bit>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "jvmpi/heap/class_book.h"

namespace holdfast::jvmpi {

class NameIndex {
 public:
  static Result<NameIndex> make(std::span<BookedClass* const> classes, Arena& scratch) noexcept {
    NameIndex index;
    HF_TRY(slots,
           scratch.make_filled<const BookedClass*>(std::bit_ceil(2 * classes.size() + 2), nullptr));
    index.slots_ = slots;
    for (const BookedClass* const of : classes)
      if (of->loaded == Told::kTold) index.add(*of);
    return index;
  }
  const BookedClass* find(std::string_view name, VmId loader) const noexcept {
    const BookedClass* first = nullptr;
    for (std::size_t slot = slot_of(name); slots_[slot] != nullptr; slot = next(slot)) {
      if (slots_[slot]->name != name) continue;
      if (slots_[slot]->loader == loader) return slots_[slot];
      if (first == nullptr) first = slots_[slot];
    }
    return first;
  }

 private:
  std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (slots_.size() - 1); }
  std::size_t slot_of(std::string_view name) const noexcept {
    std::uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }
  void add(const BookedClass& of) noexcept {
    std::size_t slot = slot_of(of.name);
    while (slots_[slot] != nullptr) slot = next(slot);
    slots_[slot] = &of;
  }

  std::span<const BookedClass*> slots_;
};

}  // namespace holdfast::jvmpi
