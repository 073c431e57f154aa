// The bytecode of one method, with jumps forward.
// Shape:  at most kMaxCode bytes; a jump is written when it is met and patched when its target is.
// Zone:   load and event.   Errors: those of ClassBytes.
// Source: Java Virtual Machine Specification, section 6.5.
#pragma once

#include "jvmti/exact/pool_writer.h"

namespace holdfast::jvmti {

enum class JavaOp : std::uint8_t {
  kAconstNull = 0x01,
  kIconst0 = 0x03,
  kIconst1 = 0x04,
  kLconst0 = 0x09,
  kLconst1 = 0x0A,
  kBipush = 0x10,
  kSipush = 0x11,
  kLdc2W = 0x14,
  kIload = 0x15,
  kLload = 0x16,
  kAload = 0x19,
  kIstore = 0x36,
  kLstore = 0x37,
  kAstore = 0x3A,
  kAaload = 0x32,
  kIadd = 0x60,
  kLadd = 0x61,
  kLsub = 0x65,
  kLshl = 0x79,
  kIand = 0x7E,
  kLand = 0x7F,
  kI2l = 0x85,
  kL2i = 0x88,
  kLcmp = 0x94,
  kIfeq = 0x99,
  kIfne = 0x9A,
  kPop2 = 0x58,
  kIfnonnull = 0xC7,
  kIfIcmpeq = 0x9F,
  kIfIcmpne = 0xA0,
  kIfIcmpge = 0xA2,
  kGoto = 0xA7,
  kIreturn = 0xAC,
  kLreturn = 0xAD,
  kReturn = 0xB1,
  kGetstatic = 0xB2,
  kPutstatic = 0xB3,
  kGetfield = 0xB4,
  kPutfield = 0xB5,
  kInvokevirtual = 0xB6,
  kInvokestatic = 0xB8,
  kArraylength = 0xBE,
  kCheckcast = 0xC0,
  kInstanceof = 0xC1,
};

class MethodWriter {
 public:
  static constexpr std::size_t kMaxCode = 512;
  using Jump = std::size_t;  // where its opcode stands

  MethodWriter& op(JavaOp op) noexcept { return code_.u1(static_cast<unsigned>(op)), *this; }
  MethodWriter& op1(JavaOp op, unsigned operand) noexcept {
    return code_.u1(static_cast<unsigned>(op)), code_.u1(operand), *this;
  }
  MethodWriter& op2(JavaOp op, unsigned operand) noexcept {
    return code_.u1(static_cast<unsigned>(op)), code_.u2(operand), *this;
  }
  Jump jump(JavaOp op) noexcept {
    const std::size_t at = code_.size();
    op2(op, 0);
    return at;
  }
  void land(Jump jump) noexcept {
    if (!code_.overflowed()) code_.patch_u2(jump + 1, static_cast<unsigned>(code_.size() - jump));
  }
  void jump_back(JavaOp op, std::size_t target) noexcept {
    op2(op, static_cast<unsigned>(target - code_.size()) & 0xFFFF);
  }
  std::size_t size() const noexcept { return code_.size(); }
  bool overflowed() const noexcept { return code_.overflowed(); }
  std::span<const std::byte> span() const noexcept { return code_.span(); }

 private:
  ClassBytes<kMaxCode> code_;
};

}  // namespace holdfast::jvmti
