// What is inserted, what is not, and what is left alone: whole classes through the rewriter.
#include "jvmti/rewriting/class_rewriter.h"

#include <doctest/doctest.h>

#include "jvmti/rewriting/rewriting_for_test.h"
#include "jvmti/rewriting/same_code_for_test.h"

using namespace holdfast::jvmti;

namespace {

using Ops = std::vector<unsigned>;

constexpr unsigned kPop = 0x57;
constexpr unsigned kNop = 0x00;
constexpr unsigned kIntType = 10;  // of a newarray
constexpr unsigned kInvokeCall = kInvokestatic;

// Code that pushes nothing and calls: enough for a method to be entered.
Buffer calling(ClassAssembler& made) {
  return Buffer{}.op_u16(kInvokeCall, made.method("a/Other", "work", "()V"));
}

MethodParts with_code(Buffer code) {
  MethodParts parts;
  parts.code = std::move(code);
  return parts;
}

Rewritten one_method(const Buffer& code, const RewritePlan& plan, unsigned major = 52) {
  ClassAssembler made(major);
  made.add(with_code(code));
  return rewrite(made.bytes(), plan);
}

}  // namespace

TEST_CASE("rewriting: an array is counted where it is made") {
  const Buffer code{kIconst0, kNewarray, kIntType, kPop, kReturn};
  const Rewritten made = one_method(code, {});
  REQUIRE(made.rewritten());
  CHECK(made.result.sites == 1);
  CHECK(made.result.methods_bracketed == 0);
  const ReadBack back(made.bytes);
  REQUIRE(back.readable());
  CHECK(back.opcodes() == Ops{kIconst0, kNewarray, kDup, kInvokestatic, kPop, kReturn});
  CHECK(back.callee(4) == "hf$array");
  CHECK(back.code().max_stack == 5);
  CHECK(back.code().max_locals == 4);
}

TEST_CASE("rewriting: every kind of allocation has its callee") {
  ClassAssembler made;
  Buffer code;
  code.u8(kIconst0).op_u16(kAnewarray, made.type("a/B")).u8(kPop);
  code.u8(kIconst0).op_u16(kMultianewarray, made.type("[[I")).u8(1).u8(kPop);
  code.u8(0x01).op_u16(kInvokevirtual, made.method("[I", "clone", "()Ljava/lang/Object;")).u8(kPop);
  code.u8(0x01);
  code.op_u16(kInvokespecial, made.method("java/lang/Object", "clone", "()Ljava/lang/Object;"));
  code.u8(kPop).u8(0x01).u8(kIconst0).u8(0x01);
  code.op_u16(kInvokestatic,
              made.method("java/util/Arrays", "copyOf",
                          "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;"));
  code.u8(kPop).u8(0x01);
  code.op_u16(kInvokevirtual, made.method("a/B", "clone", "()Ljava/lang/Object;"));
  code.u8(kPop).u8(kReturn);
  made.add(with_code(code));
  const std::vector<std::byte> in = made.bytes();
  const Rewritten all = rewrite(in, {});
  REQUIRE(all.rewritten());
  CHECK(all.result.sites == 5);
  CHECK(difference(in, all.bytes) == "");
  const ReadBack back(all.bytes);
  std::vector<std::string_view> told;
  for (std::uint32_t pc = 0; pc < back.code().size(); ++pc)
    if (back.code().starts(pc) && load_u8(back.code().code, pc) == kInvokestatic &&
        back.callee(pc).starts_with("hf$"))
      told.push_back(back.callee(pc));
  CHECK(told == std::vector<std::string_view>{"hf$array", "hf$arrays", "hf$array", "hf$cloned",
                                              "hf$array"});
  RewritePlan none;
  none.count_arrays = none.count_clones = false;
  CHECK(rewrite(in, none).result.outcome == RewriteOutcome::kUnchanged);
}

TEST_CASE("rewriting: in a method whose callers count, nothing is counted") {
  ClassAssembler made(52, "java/util/Arrays");
  MethodParts parts = with_code({kIconst0, kNewarray, kIntType, kPop, 0x01, 0xB0});
  parts.name = "copyOf";
  parts.descriptor = "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;";
  made.add(parts);
  CHECK(rewrite(made.bytes(), {}).result.outcome == RewriteOutcome::kUnchanged);
  parts.name = "another";
  made.add(parts);
  CHECK(rewrite(made.bytes(), {}).result.sites == 1);
}

TEST_CASE("rewriting: a method that works is entered and left, a leaf is not") {
  ClassAssembler made;
  made.add(with_code(calling(made).u8(kReturn)));
  made.add(with_code({kIconst0, kIreturn}));
  const std::vector<std::byte> in = made.bytes();
  const Rewritten out = rewrite(in, account(3));
  REQUIRE(out.rewritten());
  CHECK(out.result.methods == 2);
  CHECK(out.result.methods_rewritten == 1);
  CHECK(difference(in, out.bytes) == "");
  const ReadBack back(out.bytes);
  // iconst_3 enter lstore | call | lload leave return | lload leave athrow
  CHECK(back.opcodes() == Ops{kIconst0 + 3, kInvokestatic, kLstore, kInvokestatic, kLload,
                              kInvokestatic, kReturn, kLload, kInvokestatic, kAthrow});
  CHECK(back.code().max_locals == 6);
  CHECK(back.code().max_stack == 6);
  REQUIRE(back.code().handler_count() == 1);
  const ExceptionEntry entry = back.code().handler(0);
  CHECK(entry.start == 6);
  CHECK(entry.end == entry.handler);
  CHECK(entry.type == 0);
  CHECK(rewrite(in, {}).result.outcome == RewriteOutcome::kUnchanged);
}

namespace {

// A class whose first method does nothing but `call`, by `op`, its second, which works.
struct Pair {
  unsigned op = kInvokestatic;
  unsigned access = kAccStatic;  // of the second method
  bool works_itself = false;     // the first
};

std::uint32_t bracketed(const Pair& pair) {
  ClassAssembler made;
  Buffer code;
  if (pair.op != kInvokestatic) code.u8(kAload0);
  code.op_u16(pair.op, made.own_method("callee", "()V"));
  if (pair.works_itself) code.put(calling(made));
  made.add(with_code(code.u8(kReturn)));
  MethodParts callee = with_code(calling(made).u8(kReturn));
  callee.name = "callee";
  callee.access = pair.access;
  made.add(callee);
  const Rewritten out = rewrite(made.bytes(), account(3));
  CHECK(difference(made.bytes(), out.bytes) == "");
  return out.result.methods_bracketed;
}

}  // namespace

TEST_CASE("rewriting: what only calls entered methods of its own class is not entered itself") {
  CHECK(bracketed({}) == 1);
  CHECK(bracketed({.works_itself = true}) == 2);
  CHECK(bracketed({.op = kInvokespecial, .access = kAccPrivate}) == 1);
  CHECK(bracketed({.op = kInvokevirtual, .access = kAccPrivate}) == 1);
  CHECK(bracketed({.op = kInvokevirtual, .access = kAccFinal}) == 1);
  // Somebody may override it, or it enters nothing.
  CHECK(bracketed({.op = kInvokevirtual, .access = 0}) == 2);
  CHECK(bracketed({.access = kAccStatic | kAccNative}) == 2);
}

TEST_CASE("rewriting: a call of its own class to what is inherited is one to somewhere else") {
  ClassAssembler made;
  made.add(
      with_code(Buffer{}.op_u16(kInvokestatic, made.own_method("inherited", "()V")).u8(kReturn)));
  CHECK(rewrite(made.bytes(), account(3)).result.methods_bracketed == 1);
}

TEST_CASE("rewriting: a constructor that only calls its own class is not entered") {
  ClassAssembler made;
  MethodParts init;
  init.name = "<init>";
  init.access = 0;
  init.code = Buffer{kAload0};
  init.code.op_u16(kInvokespecial, made.method("java/lang/Object", "<init>", "()V"));
  init.code.op_u16(kInvokestatic, made.own_method("callee", "()V")).u8(kReturn);
  made.add(init);
  MethodParts callee = with_code(calling(made).u8(kReturn));
  callee.name = "callee";
  made.add(callee);
  CHECK(rewrite(made.bytes(), account(3)).result.methods_bracketed == 1);
}

TEST_CASE("rewriting: accounts of every width") {
  struct Case {
    std::int32_t number;
    unsigned op;
  };
  for (const Case& each : {Case{-1, 0x02u},
                           {0, 0x03u},
                           {5, 0x08u},
                           {6, 0x10u},
                           {-128, 0x10u},
                           {128, 0x11u},
                           {-32768, 0x11u},
                           {32768, 0x12u},
                           {INT32_MIN, 0x12u}}) {
    ClassAssembler made;
    made.add(with_code(calling(made).u8(kReturn)));
    const Rewritten out = rewrite(made.bytes(), account(each.number));
    REQUIRE(out.rewritten());
    CHECK(ReadBack(out.bytes).opcodes()[0] == each.op);
  }
  ClassAssembler made;
  made.fill_up_to(256);
  made.add(with_code(calling(made).u8(kReturn)));
  CHECK(ReadBack(rewrite(made.bytes(), account(1 << 20)).bytes).opcodes()[0] == kLdcW);
}

TEST_CASE("rewriting: the saved local lies behind all others, however many") {
  struct Case {
    unsigned locals;
    unsigned op;
  };
  for (const Case& each : {Case{0, kLstore0},
                           {3, kLstore0 + 3},
                           {4, kLstore},
                           {255, kLstore},
                           {256, kWide},
                           {65533, kWide}}) {
    ClassAssembler made(49);  // without frames of 65,533 locals
    MethodParts parts = with_code(calling(made).u8(kReturn));
    parts.max_locals = each.locals;
    made.add(parts);
    const Rewritten out = rewrite(made.bytes(), account(1));
    REQUIRE(out.rewritten());
    const ReadBack back(out.bytes);
    CHECK(back.opcodes()[2] == each.op);
    CHECK(back.code().max_locals == each.locals + 2);
  }
}

TEST_CASE("rewriting: old code with jsr and ret keeps its ways") {
  ClassAssembler made(48);
  Buffer code = calling(made);
  code.op_u16(kJsr, 4).u8(kReturn).u8(kAstore0 + 1).put(calling(made)).u8(kRet).u8(1);
  made.add(with_code(code));
  const std::vector<std::byte> in = made.bytes();
  const Rewritten out = rewrite(in, account(1));
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
  CHECK(ReadBack(out.bytes).attribute("StackMapTable").empty());
}

TEST_CASE("rewriting: a method that has no frames gets those of its handler, where it can") {
  for (const unsigned major : {49u, 50u, 51u, 72u}) {
    ClassAssembler made(major);
    made.add(with_code(calling(made).u8(kReturn)));
    const ReadBack back(rewrite(made.bytes(), account(1)).bytes);
    CHECK(back.attribute("StackMapTable").empty() == (major < 50));
  }
  // Branches without frames in version 50: for the old verifier.
  ClassAssembler made(50);
  made.add(with_code(calling(made).op_u16(kGoto, 3).u8(kReturn)));
  CHECK(ReadBack(rewrite(made.bytes(), account(1)).bytes).attribute("StackMapTable").empty());
}

TEST_CASE("left alone: versions that are not known") {
  for (const unsigned major : {44u, 73u, 65535u}) {
    const Rewritten out = one_method({kReturn}, account(1), major);
    CHECK(out.result.outcome == RewriteOutcome::kLeftAlone);
    CHECK(out.result.reason == LeftAlone::kOtherVersion);
  }
  ClassAssembler old(45);
  old.add(with_code(calling(old).u8(kReturn)));
  std::vector<std::byte> bytes = old.bytes();
  CHECK(rewrite(bytes, account(1)).rewritten());
  bytes[5] = std::byte{2};  // 45.2: a code's limits have other widths
  CHECK(rewrite(bytes, account(1)).result.reason == LeftAlone::kOtherVersion);
}

TEST_CASE("left alone: a class cut at any byte, and one with more behind it") {
  ClassAssembler made;
  made.add(with_code(calling(made).u8(kReturn)));
  const std::vector<std::byte> in = made.bytes();
  for (std::size_t bytes = 0; bytes < in.size(); ++bytes) {
    const Rewritten out =
        rewrite({in.begin(), in.begin() + static_cast<std::ptrdiff_t>(bytes)}, account(1));
    REQUIRE(out.result.reason == LeftAlone::kMalformedClass);
  }
  std::vector<std::byte> longer = in;
  longer.push_back(std::byte{0});
  CHECK(rewrite(longer, account(1)).result.reason == LeftAlone::kMalformedClass);
}

TEST_CASE("left alone: constants that refer to what is not there") {
  const Buffer bad[] = {Buffer{kPoolClass}.u16(99),
                        Buffer{8}.u16(0),
                        Buffer{15, 1}.u16(99),
                        Buffer{kPoolMethod}.u16(2).u16(99),
                        Buffer{kPoolNameAndType}.u16(99).u16(1),
                        Buffer{kPoolInvokeDynamic}.u16(0).u16(99)};
  for (const Buffer& constant : bad) {
    ClassAssembler made;
    made.constant(constant);
    made.add(with_code(calling(made).u8(kReturn)));
    CHECK(rewrite(made.bytes(), account(1)).result.reason == LeftAlone::kMalformedClass);
  }
}

TEST_CASE("left alone: a constant pool that ends in half a long") {
  for (const unsigned count : {5u, 6u}) {
    Buffer file = Buffer{}.u32(0xCAFEBABE).u16(0).u16(52).u16(count);
    file.u8(kPoolUtf8).u16(1).text("a").u8(kPoolClass).u16(1).u8(kPoolUtf8).u16(1).text("b");
    file.u8(kPoolLong).u32(0).u32(0).u16(0x21).u16(2).times(10, 0);
    const bool whole = rewrite(file.bytes(), account(1)).result.reason == LeftAlone::kNo;
    CHECK(whole == (count == 6));
  }
}

TEST_CASE("left alone: too little scratch and too little room, at every size") {
  ClassAssembler made;
  made.add(with_code(calling(made).u8(kReturn)));
  const std::vector<std::byte> in = made.bytes();
  const std::size_t enough = rewrite(in, account(1)).result.scratch_peak_bytes + 8;
  CHECK(rewrite(in, account(1), enough).rewritten());
  for (std::size_t bytes = 0; bytes + 16 < enough; bytes += bytes > 4096 ? 997 : 16) {
    const LeftAlone reason = rewrite(in, account(1), bytes).result.reason;
    REQUIRE(reason == LeftAlone::kNoScratch);
  }
  const std::size_t size = rewrite(in, account(1)).bytes.size();
  CHECK(rewrite(in, account(1), kScratchBytes, size).rewritten());
  for (std::size_t room = 1; room < size; ++room)
    REQUIRE(rewrite(in, account(1), kScratchBytes, room).result.reason == LeftAlone::kNoRoom);
}

TEST_CASE("left alone: a constant pool without room") {
  ClassAssembler made;
  made.add(with_code(calling(made).u8(kReturn)));
  made.fill_up_to(65530);  // what is encoded last takes the rest
  const Rewritten out = rewrite(made.bytes(), account(1));
  CHECK(out.result.reason == LeftAlone::kPoolFull);
}

TEST_CASE("left alone: code that is malformed, while others are rewritten") {
  const Buffer bad[] = {
      {},                                                 // none
      {0xCA},                                             // no such instruction
      {kNop},                                             // runs on behind its end
      {kInvokestatic, 0},                                 // cut
      {kInvokestatic, 0, 1, kGoto, 0, 5, kReturn},        // a branch behind the end
      {kInvokestatic, 0, 1, kGoto, 0xFF, 0xFF, kReturn},  // into an instruction
      {kInvokestatic, 0, 1, kTableswitch, 0, 0, 0, 0},    // cut in its table
      {kInvokestatic, 1, 0, kReturn},                     // a constant that is not there
      {kLdc, 0, kReturn},                                 // or none
      {kInvokestatic, 0, 1, kWide, kNop, 0, 0, kReturn},  // wide of nothing
  };
  for (const Buffer& code : bad) {
    ClassAssembler made;
    made.add(with_code(code));
    made.add(with_code(calling(made).u8(kReturn)));
    const std::vector<std::byte> in = made.bytes();
    const Rewritten out = rewrite(in, account(1));
    REQUIRE(out.rewritten());
    CHECK(out.alone(LeftAlone::kMalformedCode) == 1);
    CHECK(out.result.methods_rewritten == 1);
  }
}

TEST_CASE("left alone: an exception table or a table of lines that leads nowhere") {
  for (const ExceptionEntry& entry : {ExceptionEntry{0, 9, 0, 0},
                                      {1, 3, 0, 0},
                                      {3, 3, 0, 0},
                                      {0, 3, 2, 0},
                                      {0, 3, 3, 99},
                                      {0, 3, 3, 1}}) {
    ClassAssembler made;
    MethodParts parts = with_code(calling(made).u8(kReturn));
    parts.handlers = {entry};
    made.add(parts);
    CHECK(rewrite(made.bytes(), account(1)).alone(LeftAlone::kMalformedCode) == 1);
  }
  for (const char* table : {"LineNumberTable", "LocalVariableTable", "LocalVariableTypeTable"}) {
    ClassAssembler made;
    MethodParts parts = with_code(calling(made).u8(kReturn));
    parts.attributes = {{table, Buffer{}.u16(1).u16(2).u16(0).u16(0).u16(0).u16(0)}};
    made.add(parts);
    CHECK(rewrite(made.bytes(), account(1)).alone(LeftAlone::kMalformedCode) == 1);
  }
}

TEST_CASE("left alone: locals or a stack of 65,535") {
  for (const bool locals : {true, false}) {
    ClassAssembler made;
    MethodParts parts = with_code(calling(made).u8(kReturn));
    (locals ? parts.max_locals : parts.max_stack) = 65534;
    made.add(parts);
    CHECK(rewrite(made.bytes(), account(1)).alone(LeftAlone::kFrameTooLarge) == 1);
  }
}

TEST_CASE("left alone: code that would outgrow 65,535 bytes") {
  for (const std::size_t nops : {65500u, 65531u}) {
    ClassAssembler made;
    made.add(with_code(calling(made).times(nops, kNop).u8(kReturn)));
    const Rewritten out = rewrite(made.bytes(), account(1));
    CHECK(out.alone(LeftAlone::kCodeTooLong) == (nops > 65510 ? 1 : 0));
  }
}

TEST_CASE(
    "rewriting: what holds places is moved, what nobody reads is left out, the rest is kept") {
  ClassAssembler made;
  MethodParts parts = with_code(calling(made).u8(kNop).put(calling(made)).u8(kReturn));
  parts.handlers = {{0, 4, 4, 0}};
  parts.attributes = {
      {"LineNumberTable", Buffer{}.u16(2).u16(0).u16(11).u16(4).u16(12)},
      {"LocalVariableTable",
       Buffer{}.u16(2).u16(0).u16(8).u16(1).u16(1).u16(0).u16(4).u16(4).u16(1).u16(1).u16(1)},
      {"RuntimeVisibleTypeAnnotations", Buffer{}.u16(0)},
      {"Strange", Buffer{1, 2, 3}},
      {"StackMapTable", Buffer{}.u16(1).u8(68).u8(kTypeObject).u16(2)}};
  made.add(parts);
  const std::vector<std::byte> in = made.bytes();
  const Rewritten out = rewrite(in, account(1));
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
  const ReadBack back(out.bytes);
  REQUIRE(back.code().handler_count() == 2);
  const unsigned prologue = 6;
  CHECK(back.code().handler(0).start == prologue);
  CHECK(back.code().handler(0).end == prologue + 4);
  CHECK(back.code().handler(0).handler == prologue + 4);
  const Bytes lines = back.attribute("LineNumberTable");
  CHECK(load_u16(lines, 2) == 0);
  CHECK(load_u16(lines, 6) == prologue + 4);
  const Bytes variables = back.attribute("LocalVariableTable");
  const unsigned body_end = prologue + 8 + 5;  // lload, leave
  CHECK(load_u16(variables, 2) == 0);
  CHECK(load_u16(variables, 4) == body_end);
  CHECK(load_u16(variables, 12) == prologue + 4);
  CHECK(load_u16(variables, 14) == body_end - prologue - 4);
  CHECK(back.attribute("RuntimeVisibleTypeAnnotations").empty());
  CHECK(back.attribute("Strange").size() == 3);
  CHECK(back.code().attribute_count == 4);
}
