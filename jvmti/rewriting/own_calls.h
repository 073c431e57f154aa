// Which calls can only lead to a method of the same class that is entered by itself.
// Why: a method that does nothing but such calls needs no entering of its own: its callees enter the same account from the same state, so
//      that account and principal of all they allocate are the same. One in twelve methods that work, one in eight of those up to 30 bytes.
// Shape:  8 B of scratch for each slot, 2 to 4 slots a method. At most kMostProbes steps a look-up; names are compared by their index. What
//         is not found, because a class collides on purpose or has one text twice, counts as a call to somewhere else.
// Zone:   event, offline.   Errors: open() is false when there is no scratch left.
// Source: The Java Virtual Machine Specification, section 5.4.6: private and final methods are selected as they are resolved.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/class_file.h"

namespace holdfast::jvmti {

class OwnCalls {
 public:
  static constexpr std::uint32_t kMostProbes = 32;

  bool open(const ClassFile& file, Scratch& scratch) noexcept;

  // The instruction is known to be whole.
  bool stays_here(Bytes code, std::uint32_t pc) const noexcept;

 private:
  struct Slot {
    std::uint16_t name, descriptor;  // name 0: free
    std::uint16_t access;
  };

  void add(const Member& method) noexcept;
  const Slot* find(NameAndType wanted) const noexcept;

  const ClassFile* file_ = nullptr;
  std::span<Slot> slots_;
  bool final_class_ = false;
};

}  // namespace holdfast::jvmti
