// The classes that a picture's objects have, each proved once to be one, and the load context that it keeps alive.
// Why proved: a stale word on a stack may lead to memory that was reused, and a class that is none would end the child, or, told to the
//      runtime, the application.
// Shape:  a class belongs to itself or to the one that shares its code, by a chain that has to end where it began; a collectible one's load
//         context lives. Checked reads at the first sight of a class, O(1) afterwards.
// Zone:   child.
// Errors: make(): kOutOfBudget. kNone for what is no class, or has no place any more.
#pragma once

#include "clrprofiler/coreclr/load_contexts.h"
#include "clrprofiler/heap/class_table.h"

namespace holdfast::clr {

// The class whose code and fields it shares, itself as a rule, and that one's EEClass; zeros where they cannot be read. By checked reads.
struct SharedClass {
  Address type = 0;
  Address eeclass = 0;
};
SharedClass shared_class(const RuntimeLayout& layout, Address type) noexcept;
// By checked reads.
bool is_class(const RuntimeLayout& layout, Address type) noexcept;

class KnownClasses {
 public:
  static constexpr std::uint32_t kNone = ClassTable::kUnknown;

  KnownClasses(const RuntimeLayout& layout, LoadContexts& contexts) noexcept
      : layout_(layout), contexts_(contexts) {}
  Result<void> make(std::uint32_t most, Arena& arena) noexcept;

  // The class's number.
  std::uint32_t find(Address type) noexcept {
    bool fresh = false;
    const std::uint32_t index = table_.index_of(type, fresh);
    if (fresh) prove(type, index);
    return sound_[index] ? index : kNone;
  }
  // One more object of the class, and its room.
  void count(std::uint32_t index, std::uint64_t bytes) noexcept {
    CountedType& row = table_.row(index);
    ++row.instances;
    row.shallow_bytes += bytes;
  }
  // By number, of those that are none as well; row 0 stands for nothing.
  std::span<const CountedType> rows() const noexcept { return table_.rows(); }
  bool full() const noexcept { return table_.size() == table_.capacity(); }
  // Of every class that was met and is one.
  template <class Visit>
  void for_each(Visit visit) const noexcept {
    for (std::uint32_t i = 1; i < table_.size(); ++i)
      if (sound_[i]) visit(static_cast<Address>(table_.row(i).type));
  }
  // The LoaderAllocator that an object of the class refers to, before all others; 0: none.
  Address context_of(std::uint32_t index) const noexcept { return context_[index]; }

 private:
  void prove(Address type, std::uint32_t index) noexcept;
  bool prove_context(Address type, std::uint32_t index) noexcept;

  const RuntimeLayout& layout_;
  LoadContexts& contexts_;
  ClassTable table_;
  std::span<bool> sound_;
  std::span<Address> context_;
};

}  // namespace holdfast::clr
