// Instructions that move: every opcode, switches at every alignment, branches that grow, stepping stones.
#include "jvmti/rewriting/code_layout.h"

#include <doctest/doctest.h>

#include "jvmti/rewriting/instruction.h"
#include "jvmti/rewriting/rewriting_for_test.h"
#include "jvmti/rewriting/same_code_for_test.h"

using namespace holdfast::jvmti;

namespace {

constexpr unsigned kNop = 0x00;

// A call to be entered for, `before` and `after` around the code, and a return.
Rewritten around(const Buffer& code, std::vector<std::byte>& in, unsigned major = 49) {
  ClassAssembler made(major);
  MethodParts parts;
  parts.code = Buffer{}.put(code);
  parts.code.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).u8(kReturn);
  made.add(parts);
  in = made.bytes();
  return rewrite(in, account(1));
}

// `far` bytes of nothing between a branch and where it leads.
Buffer branch_over(unsigned op, std::size_t far) {
  return Buffer{}.op_u16(op, static_cast<unsigned>(far + 3)).times(far, kNop);
}

// The same with returns on the way, which grow.
Buffer branch_over_returns(unsigned op, std::size_t far, std::size_t returns) {
  return Buffer{}
      .op_u16(op, static_cast<unsigned>(far + 3))
      .times(returns, kReturn)
      .times(far - returns, kNop);
}

}  // namespace

TEST_CASE("layout: every opcode is carried over") {
  Buffer code;
  for (unsigned op = 0; op <= kLastOpcode; ++op) {
    if (kLengths[op] == 0) continue;
    const bool branch = is_short_branch(op);
    code.u8(op);
    for (unsigned i = 1; i < kLengths[op]; ++i) {
      // A branch to the next instruction, the constant 1, or nothing.
      const bool constant = names_constant(op) && i == (op == kLdc ? 1u : 2u);
      const bool distance = (branch || is_wide_branch(op)) && i + 1u == kLengths[op];
      code.u8(constant ? 1u : distance ? kLengths[op] : 0u);
    }
  }
  for (unsigned op = 0x15; op <= kRet; ++op)
    if ((op <= kAload) || (op >= kIstore && op <= kAstore) || op == kRet)
      code.u8(kWide).u8(op).u16(300);
  code.u8(kWide).u8(kIinc).u16(300).u16(0x8000);
  std::vector<std::byte> in;
  const Rewritten out = around(code, in);
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
}

TEST_CASE("layout: switches at every alignment, with and without cases") {
  for (std::size_t shift = 0; shift < 4; ++shift)
    for (std::uint32_t cases = 0; cases < 4; ++cases)
      for (const unsigned op : {kTableswitch, kLookupswitch}) {
        Buffer code = Buffer{}.times(shift, kNop).u8(op).times(3 - shift, 0);
        const auto at = static_cast<std::uint32_t>(shift);
        const std::uint32_t bytes = 4 - at + (op == kTableswitch ? 12 + 4 * cases : 8 + 8 * cases);
        code.u32(bytes);
        if (op == kTableswitch) code.u32(7).u32(6 + cases);
        if (op == kLookupswitch) code.u32(cases);
        for (std::uint32_t i = 0; i < cases; ++i) {
          if (op == kLookupswitch) code.u32(i * 100);
          code.u32(i % 2 == 0 ? bytes : static_cast<std::uint32_t>(-static_cast<std::int32_t>(at)));
        }
        std::vector<std::byte> in;
        const Rewritten out = around(code, in);
        REQUIRE(out.rewritten());
        CHECK(difference(in, out.bytes) == "");
      }
}

TEST_CASE("layout: goto and jsr that no longer reach become wide") {
  for (const unsigned op : {unsigned{kGoto}, unsigned{kJsr}})
    for (const std::size_t returns : {0u, 1u, 5u, 3000u}) {
      std::vector<std::byte> in;
      const Rewritten out = around(branch_over_returns(op, 32764, returns), in);
      REQUIRE(out.rewritten());
      CHECK(difference(in, out.bytes) == "");
      const unsigned first = ReadBack(out.bytes).opcodes()[3];
      CHECK(first == (returns == 0 ? op : op == kGoto ? unsigned{kGotoW} : unsigned{kJsrW}));
    }
}

TEST_CASE("layout: a backward branch outgrows its reach, too") {
  std::vector<std::byte> in;
  Buffer code = Buffer{}.times(100, kReturn).times(32600, kNop);
  code.op_u16(kGoto, static_cast<std::uint16_t>(-32700));
  const Rewritten out = around(code, in);
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
}

TEST_CASE("layout: a conditional branch goes by a stepping stone") {
  for (const unsigned op :
       {unsigned{kIfeq}, unsigned{kIfAcmpne}, unsigned{kIfnull}, unsigned{kIfnonnull}}) {
    std::vector<std::byte> in;
    const Rewritten out = around(branch_over_returns(op, 32764, 40), in);
    REQUIRE(out.rewritten());
    CHECK(difference(in, out.bytes) == "");
    CHECK(out.result.code_bytes_after > 32768 + 40 * 5 + CodeLayout::kStoneBytes);
  }
}

TEST_CASE(
    "layout: branches to one place share a stone, and where none may stand the method is left "
    "alone") {
  std::vector<std::byte> in;
  Buffer two =
      Buffer{}.op_u16(kIfeq, 32764).op_u16(kIfeq, 32761).times(40, kReturn).times(32718, kNop);
  const Rewritten shared = around(two, in);
  REQUIRE(shared.rewritten());
  CHECK(difference(in, shared.bytes) == "");
  std::size_t stones = 0;
  for (const unsigned op : ReadBack(shared.bytes).opcodes()) stones += op == kGotoW ? 1 : 0;
  CHECK(stones == 1);

  ClassAssembler made(49);
  MethodParts parts;
  parts.max_stack = 8;
  // What is counted makes it grow, and nothing on the way stops.
  parts.code = Buffer{kIconst0}.op_u16(kIfeq, 32766);
  for (int i = 0; i < 10; ++i) parts.code.u8(kIconst0).u8(kNewarray).u8(10).u8(0x57);
  parts.code.times(32763 - 40, kNop).u8(kReturn);
  made.add(parts);
  CHECK(rewrite(made.bytes(), {}).alone(LeftAlone::kBranchTooFar) == 1);
}

TEST_CASE("layout: no stone stands in a stretch of the exception table") {
  for (const bool covered : {false, true}) {
    ClassAssembler made(49);
    MethodParts parts;
    parts.code = branch_over_returns(kIfeq, 32764, 40);
    parts.code.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).u8(kReturn);
    const auto end = static_cast<std::uint16_t>(parts.code.size() - 4);
    if (covered) parts.handlers = {{0, end, end, 0}};
    made.add(parts);
    const std::vector<std::byte> in = made.bytes();
    const Rewritten out = rewrite(in, account(1));
    CHECK(out.alone(LeftAlone::kBranchTooFar) == (covered ? 1 : 0));
    if (out.rewritten()) CHECK(difference(in, out.bytes) == "");
  }
}

TEST_CASE("layout: a stone has its target's frame, and without one the method is left alone") {
  for (const bool framed : {true, false}) {
    ClassAssembler made(52);
    MethodParts parts;
    parts.code = branch_over_returns(kIfeq, 32764, 40);
    parts.code.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).u8(kReturn);
    if (framed)
      parts.attributes = {{"StackMapTable", Buffer{}.u16(1).u8(252).u16(32767).u8(kTypeFloat)}};
    made.add(parts);
    const std::vector<std::byte> in = made.bytes();
    const Rewritten out = rewrite(in, account(1));
    CHECK(out.alone(LeftAlone::kMalformedFrames) == (framed ? 0 : 1));
    if (!framed) continue;
    REQUIRE(out.rewritten());
    const ReadBack back(out.bytes);
    CHECK(load_u16(back.attribute("StackMapTable"), 0) == 3);  // target, stone, handler
  }
}

TEST_CASE("layout: a branch to the first instruction does not enter again") {
  std::vector<std::byte> in;
  const Rewritten out = around(Buffer{kNop}.op_u16(kGoto, 0xFFFF), in);
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
}

TEST_CASE("layout: a plain branch over what fits stays as short as it was") {
  std::vector<std::byte> in;
  const Rewritten out = around(branch_over(kIfeq, 100), in);
  REQUIRE(out.rewritten());
  CHECK(out.result.code_bytes_after - out.result.code_bytes_before == 6 + 5 + 6);
}
