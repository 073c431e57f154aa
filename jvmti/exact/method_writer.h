// The bytecode of one method, with jumps forward.
// Shape:  at most kMaxCode bytes; a jump is written when it is met and patched when its target is.
// Zone:   load and event.   Errors: those of ClassBytes.
// Source: Java Virtual Machine Specification, section 6.5.
#pragma once

#include "jvmti/exact/pool_writer.h"
#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {

class MethodWriter {
 public:
  static constexpr std::size_t kMaxCode = 512;
  using Jump = std::size_t;  // where its opcode stands

  MethodWriter& op(Opcode op) noexcept { return code_.u1(op), *this; }
  MethodWriter& op1(Opcode op, unsigned operand) noexcept {
    return code_.u1(op), code_.u1(operand), *this;
  }
  MethodWriter& op2(Opcode op, unsigned operand) noexcept {
    return code_.u1(op), code_.u2(operand), *this;
  }
  Jump jump(Opcode op) noexcept {
    const std::size_t at = code_.size();
    op2(op, 0);
    return at;
  }
  void land(Jump jump) noexcept {
    if (!code_.overflowed()) code_.patch_u2(jump + 1, static_cast<unsigned>(code_.size() - jump));
  }
  void jump_back(Opcode op, std::size_t target) noexcept {
    op2(op, static_cast<unsigned>(target - code_.size()) & 0xFFFF);
  }
  std::size_t size() const noexcept { return code_.size(); }
  bool overflowed() const noexcept { return code_.overflowed(); }
  std::span<const std::byte> span() const noexcept { return code_.span(); }

 private:
  ClassBytes<kMaxCode> code_;
};

}  // namespace holdfast::jvmti
