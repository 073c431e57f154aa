// The instructions of the Java VM: their names, lengths, and what they do to the operand stack.
// Why tables: 202 opcodes are data; code that tells them apart by ranges is where mistakes hide.
// Shape:  kLengths[256], 0 for what does not exist or whose length stands in the code (tableswitch, lookupswitch, wide).
//         kPops, kPushes: words, as digits.
// Zone:   any.   Errors: none.
// Source: The Java Virtual Machine Specification, chapters 6 and 7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::jvmti {

enum Opcode : std::uint8_t {
  kAconstNull = 0x01,
  kIconst0 = 0x03,
  kIconst1 = 0x04,
  kLconst0 = 0x09,
  kLconst1 = 0x0A,
  kBipush = 0x10,
  kSipush = 0x11,
  kLdc = 0x12,
  kLdcW = 0x13,
  kLdc2W = 0x14,
  kIload = 0x15,
  kLload = 0x16,
  kAload = 0x19,
  kLload0 = 0x1E,
  kAload0 = 0x2A,
  kAload3 = 0x2D,
  kAaload = 0x32,
  kIstore = 0x36,
  kLstore = 0x37,
  kAstore = 0x3A,
  kLstore0 = 0x3F,
  kAstore0 = 0x4B,
  kAstore3 = 0x4E,
  kPop2 = 0x58,
  kDup = 0x59,
  kDupX1 = 0x5A,
  kDupX2 = 0x5B,
  kDup2 = 0x5C,
  kDup2X1 = 0x5D,
  kDup2X2 = 0x5E,
  kSwap = 0x5F,
  kIadd = 0x60,
  kLadd = 0x61,
  kImul = 0x68,
  kIshl = 0x78,
  kLshl = 0x79,
  kLushr = 0x7D,
  kIand = 0x7E,
  kLand = 0x7F,
  kLor = 0x81,
  kLxor = 0x83,
  kIinc = 0x84,
  kI2l = 0x85,
  kL2i = 0x88,
  kLcmp = 0x94,
  kIfeq = 0x99,
  kIfne = 0x9A,
  kIfIcmpeq = 0x9F,
  kIfIcmpne = 0xA0,
  kIfIcmpge = 0xA2,
  kIfAcmpne = 0xA6,
  kGoto = 0xA7,
  kJsr = 0xA8,
  kRet = 0xA9,
  kTableswitch = 0xAA,
  kLookupswitch = 0xAB,
  kIreturn = 0xAC,
  kLreturn = 0xAD,
  kReturn = 0xB1,
  kGetstatic = 0xB2,
  kPutstatic = 0xB3,
  kGetfield = 0xB4,
  kPutfield = 0xB5,
  kInvokevirtual = 0xB6,
  kInvokespecial = 0xB7,
  kInvokestatic = 0xB8,
  kInvokeinterface = 0xB9,
  kInvokedynamic = 0xBA,
  kNew = 0xBB,
  kNewarray = 0xBC,
  kAnewarray = 0xBD,
  kArraylength = 0xBE,
  kAthrow = 0xBF,
  kCheckcast = 0xC0,
  kInstanceof = 0xC1,
  kWide = 0xC4,
  kMultianewarray = 0xC5,
  kIfnull = 0xC6,
  kIfnonnull = 0xC7,
  kGotoW = 0xC8,
  kJsrW = 0xC9,
};

inline constexpr std::uint8_t kLastOpcode = kJsrW;
inline constexpr std::uint32_t kMaxCodeBytes = 65535;

constexpr bool is_conditional(unsigned op) noexcept {
  return (op >= kIfeq && op <= kIfAcmpne) || op == kIfnull || op == kIfnonnull;
}
constexpr bool is_short_branch(unsigned op) noexcept {
  return (op >= kIfeq && op <= kJsr) || op == kIfnull || op == kIfnonnull;
}
constexpr bool is_wide_branch(unsigned op) noexcept { return op == kGotoW || op == kJsrW; }
constexpr bool is_switch(unsigned op) noexcept { return op == kTableswitch || op == kLookupswitch; }
constexpr bool is_return(unsigned op) noexcept { return op >= kIreturn && op <= kReturn; }
constexpr bool is_invoke(unsigned op) noexcept {
  return op >= kInvokevirtual && op <= kInvokedynamic;
}
constexpr bool is_allocation(unsigned op) noexcept {
  return op == kNew || op == kNewarray || op == kAnewarray || op == kMultianewarray;
}
// Its first operand is a constant's index: of one byte for ldc, else of two.
constexpr bool names_constant(unsigned op) noexcept {
  return (op >= kLdc && op <= kLdc2W) || (op >= kGetstatic && op <= kNew) || op == kAnewarray ||
         op == kCheckcast || op == kInstanceof || op == kMultianewarray;
}
// jsr comes back; ret does not go on.
constexpr bool falls_through(unsigned op) noexcept {
  return op != kGoto && op != kGotoW && op != kRet && op != kAthrow && !is_return(op) &&
         !is_switch(op);
}

constexpr std::array<std::uint8_t, 256> make_opcode_lengths() noexcept {
  std::array<std::uint8_t, 256> lengths{};
  const auto fill = [&](unsigned from, unsigned to, std::uint8_t length) {
    for (unsigned op = from; op <= to; ++op) lengths[op] = length;
  };
  fill(0x00, 0xC3, 1);
  fill(kBipush, kBipush, 2);
  fill(kSipush, kSipush, 3);
  fill(kLdc, kLdc, 2);
  fill(kLdcW, kLdc2W, 3);
  fill(0x15, kAload, 2);
  fill(kIstore, kAstore, 2);
  fill(kIinc, kIinc, 3);
  fill(kIfeq, kJsr, 3);
  fill(kRet, kRet, 2);
  fill(kTableswitch, kLookupswitch, 0);
  fill(kGetstatic, kInvokestatic, 3);
  fill(kInvokeinterface, kInvokedynamic, 5);
  fill(kNew, kNew, 3);
  fill(kNewarray, kNewarray, 2);
  fill(kAnewarray, kAnewarray, 3);
  fill(kCheckcast, kInstanceof, 3);
  fill(kMultianewarray, kMultianewarray, 4);
  fill(kIfnull, kIfnonnull, 3);
  fill(kGotoW, kJsrW, 5);
  return lengths;
}
inline constexpr std::array<std::uint8_t, 256> kLengths = make_opcode_lengths();

// Words taken from and put on the operand stack: one row for 16 opcodes, one digit for each; '.' where the operands decide, or
// where the code ends.
inline constexpr char kInOperands = '.';
inline constexpr char kPops[] =
    "0000000000000000"
    "000000000.000000"
    "0000000000....22"
    "2222221212.11112"
    "22211112222....3"
    "434333312......."
    "2424242424242424"
    "2424121223232324"
    "2424011122211122"
    "2111422441111112"
    "22222220..11...."
    "...........0111."
    "1111..110.";
inline constexpr char kPushes[] =
    "0111111112211122"
    "111121212.111122"
    "2211112222....12"
    "1211110000.00000"
    "00000000000....0"
    "000000000......."
    "1212121212121212"
    "1212121212121212"
    "1212021211212212"
    "1111111110000000"
    "00000000..00...."
    "...........1111."
    "1100..000.";
static_assert(sizeof kPops == kLastOpcode + 2 && sizeof kPushes == kLastOpcode + 2);

}  // namespace holdfast::jvmti
