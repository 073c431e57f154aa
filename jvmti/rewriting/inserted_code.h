// The bytes that are put into a method: before it, before and after single instructions, behind it.
// Why ready bytes: layout and writing then know nothing of accounts; who wants other code in other places fills other snippets.
// Shape:  a snippet has at most kMostBytes and no branch. `prologue` runs once, and branches to the first instruction do not
//         enter it. A `handler` stands behind the body and catches whatever leaves the stretches that it is for.
// Zone:   any.   Errors: a snippet that would be longer is cut, and full() says so.
// Source: none.
#pragma once

#include <array>
#include <cstdint>

#include "jvmti/rewriting/method_code.h"
#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {

class Snippet {
 public:
  static constexpr std::size_t kMostBytes =
      16;  // the longest, enter: ldc_w 3, invokestatic 3, wide lstore 4

  void op(unsigned opcode) noexcept { writer_put(opcode); }
  void op_u8(unsigned opcode, unsigned operand) noexcept {
    op(opcode);
    writer_put(operand);
  }
  void op_u16(unsigned opcode, unsigned operand) noexcept {
    op_u8(opcode, operand >> 8u);
    writer_put(operand);
  }
  // A load or store by its general opcode and the one for local 0.
  void local(unsigned general, unsigned first, unsigned index) noexcept {
    if (index <= 3) return op(first + index);
    if (index <= 0xFF) return op_u8(general, index);
    op(kWide);
    op_u16(general, index);
  }

  std::uint32_t size() const noexcept { return size_; }
  Bytes bytes() const noexcept { return Bytes(bytes_).first(size_); }
  bool full() const noexcept { return full_; }

 private:
  void writer_put(unsigned value) noexcept {
    if (size_ == kMostBytes) return void(full_ = true);
    bytes_[size_++] = static_cast<std::byte>(value & 0xFFu);
  }

  std::array<std::byte, kMostBytes> bytes_{};
  std::uint8_t size_ = 0;
  bool full_ = false;
};

// Which of a method's stretches a handler is for. Both handlers have the same code and differ in their frames.
struct InsertedHandlers {
  bool before_init = false;
  bool after_init = false;
  std::uint32_t count() const noexcept { return (before_init ? 1u : 0u) + (after_init ? 1u : 0u); }
};

struct InsertedCode {
  Snippet prologue;
  std::array<Snippet, kInsertions> before;
  std::array<Snippet, kInsertions> after;
  Snippet handler;
  InsertedHandlers handlers;

  const Snippet& before_of(Insertion kind) const noexcept {
    return before[static_cast<std::size_t>(kind)];
  }
  const Snippet& after_of(Insertion kind) const noexcept {
    return after[static_cast<std::size_t>(kind)];
  }
};

}  // namespace holdfast::jvmti
