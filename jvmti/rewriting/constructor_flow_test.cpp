// Constructors: where they are entered, and when it cannot be told.
#include "jvmti/rewriting/constructor_flow.h"

#include <doctest/doctest.h>

#include "jvmti/rewriting/rewriting_for_test.h"
#include "jvmti/rewriting/same_code_for_test.h"

using namespace holdfast::jvmti;

namespace {

using Ops = std::vector<unsigned>;
constexpr unsigned kNop = 0x00;
constexpr unsigned kNull = 0x01;

struct Constructor {
  Constructor() : made(52, "a/Made", "a/Above") {
    parts.name = "<init>";
    parts.access = 0;
    parts.max_locals = 3;
    above = made.method("a/Above", "<init>", "(Ljava/lang/Object;)V");
    own_new = made.method("a/Above", "<init>", "()V");
    work = made.method("a/Other", "work", "()V");
    type = made.type("a/Above");
  }
  Rewritten rewritten() {
    made.add(parts);
    in = made.bytes();
    return rewrite(in, account(1));
  }
  ClassAssembler made;
  MethodParts parts;
  unsigned above, own_new, work, type;
  std::vector<std::byte> in;
};

Ops opcodes_of(Constructor& constructor) {
  const Rewritten out = constructor.rewritten();
  REQUIRE(out.rewritten());
  CHECK(difference(constructor.in, out.bytes) == "");
  return ReadBack(out.bytes).opcodes();
}

void check_unclear(Constructor& constructor) {
  const Rewritten out = constructor.rewritten();
  CHECK(!out.rewritten());
  CHECK(out.alone(LeftAlone::kUnclearConstructor) == 1);
}

constexpr unsigned kEnterNumber = kIconst0 + 1;
constexpr unsigned kSave = kLstore0 + 3;
constexpr unsigned kSaved = kLload0 + 3;

}  // namespace

TEST_CASE("constructors: entered behind super() when only the body works") {
  Constructor made;
  made.parts.code = Buffer{kAload0, kNull}
                        .op_u16(kInvokespecial, made.above)
                        .op_u16(kInvokestatic, made.work)
                        .u8(kReturn);
  CHECK(opcodes_of(made) == Ops{kAload0, kNull, kInvokespecial, kEnterNumber, kInvokestatic, kSave,
                                kInvokestatic, kSaved, kInvokestatic, kReturn, kSaved,
                                kInvokestatic, kAthrow});
}

TEST_CASE("constructors: one that calls super() alone is a leaf") {
  Constructor made;
  made.parts.code = Buffer{kAload0, kNull}.op_u16(kInvokespecial, made.above).u8(kReturn);
  CHECK(made.rewritten().result.outcome == RewriteOutcome::kUnchanged);
}

TEST_CASE("constructors: arguments that work are paid for here, what is above by the caller") {
  Constructor made;
  made.parts.code = Buffer{kAload0}.op_u16(kNew, made.type).u8(kDup);
  made.parts.code.op_u16(kInvokespecial, made.own_new)
      .op_u16(kInvokespecial, made.above)
      .u8(kReturn);
  const Ops wanted = {kEnterNumber, kInvokestatic,  kSave,         kAload0,       kNew,
                      kDup,         kInvokespecial, kSaved,        kInvokestatic, kInvokespecial,
                      kReturn,      kSaved,         kInvokestatic, kAthrow};
  CHECK(opcodes_of(made) == wanted);
}

TEST_CASE("constructors: arguments and body both work") {
  Constructor made;
  made.parts.code = Buffer{kAload0, kNull}.op_u16(kInvokestatic, made.work);
  made.parts.code.op_u16(kInvokespecial, made.above).op_u16(kInvokestatic, made.work).u8(kReturn);
  const Rewritten out = made.rewritten();
  REQUIRE(out.rewritten());
  CHECK(difference(made.in, out.bytes) == "");
  const ReadBack back(out.bytes);
  REQUIRE(back.code().handler_count() == 2);
  CHECK(back.code().handler(0).start == 5);                  // behind the prologue
  CHECK(back.code().handler(0).end == 5 + 5);                // before the account is left
  CHECK(back.code().handler(1).start == 5 + 5 + 4 + 3 + 5);  // behind the second entering
  CHECK(back.code().handler(0).handler != back.code().handler(1).handler);
  CHECK(load_u16(back.attribute("StackMapTable"), 0) == 2);
}

TEST_CASE("constructors: branches among the arguments") {
  Constructor made;
  // super(x != null ? new Above() : null)
  made.parts.code = Buffer{kAload0, kAload0 + 1}.op_u16(kIfnull, 13);
  made.parts.code.op_u16(kNew, made.type).u8(kDup).op_u16(kInvokespecial, made.own_new);
  made.parts.code.op_u16(kGoto, 4).u8(kNull).op_u16(kInvokespecial, made.above);
  made.parts.code.op_u16(kInvokestatic, made.work).u8(kReturn);
  const unsigned own = 2;  // this_class
  made.parts.attributes = {{"StackMapTable", Buffer{}
                                                 .u16(2)
                                                 .u8(64 + 15)
                                                 .u8(kTypeUninitializedThis)
                                                 .u8(255)
                                                 .u16(0)
                                                 .u16(1)
                                                 .u8(kTypeUninitializedThis)
                                                 .u16(2)
                                                 .u8(kTypeUninitializedThis)
                                                 .u8(kTypeObject)
                                                 .u16(own)}};
  made.parts.descriptor = "(Ljava/lang/Object;)V";
  CHECK(opcodes_of(made).size() == 11 + 3 + 2 + 3 + 2 + 3 + 3);
}

TEST_CASE("constructors: two calls on two ways") {
  Constructor made;
  made.parts.code = Buffer{kAload0, kAload0 + 1}.op_u16(kIfnull, 10).u8(kNull);
  made.parts.code.op_u16(kInvokespecial, made.above)
      .op_u16(kGoto, 7)
      .u8(kNull)
      .op_u16(kInvokespecial, made.above);
  made.parts.code.op_u16(kInvokestatic, made.work).u8(kReturn);
  made.parts.attributes = {
      {"StackMapTable",
       Buffer{}.u16(2).u8(64 + 12).u8(kTypeUninitializedThis).u8(255).u16(3).u16(0).u16(0)}};
  const Rewritten out = made.rewritten();
  REQUIRE(out.rewritten());
  CHECK(difference(made.in, out.bytes) == "");
  CHECK(ReadBack(out.bytes).code().handler_count() == 2);  // two stretches, one handler
}

TEST_CASE("constructors: the stack is followed through every dup and swap") {
  // The object is moved about, and comes back: [this] null null -> ... -> this null
  const Buffer shuffles[] = {
      {kAload0, kNull},
      {kNull, kAload0, kSwap},
      {kNull, kAload0, kDupX1, 0x57, kSwap, kSwap, 0x57, kAload0, kNull},
      {kNull, kAload0, kDupX1, 0x57},
      {kAload0, kNull, kDup2, 0x58},
      {kAload0, kNull, kDup2},
      {kNull, kAload0, kNull, kDup2X1},
      {kNull, kNull, kAload0, kNull, kDup2X2},
      {kNull, kAload0, kNull, kDup2X1, 0x57, 0x57, 0x57},
      {kNull, kNull, kAload0, kNull, kDup2X2, 0x57, 0x57, 0x57, 0x57},
      {kNull, kNull, kAload0, kDupX2, 0x57, 0x57},
  };
  for (const Buffer& shuffle : shuffles) {
    Constructor made;
    made.parts.max_stack = 8;
    made.parts.code = Buffer{}.put(shuffle).op_u16(kInvokespecial, made.above);
    made.parts.code.op_u16(kInvokestatic, made.work).u8(kReturn);
    CHECK(opcodes_of(made).size() > 6);
  }
}

TEST_CASE("left alone: constructors in which it cannot be told") {
  const auto with = [](Constructor& made, const Buffer& first) {
    made.parts.code = Buffer{}.put(first).u8(kAload0).u8(kNull).op_u16(kInvokespecial, made.above);
    made.parts.code.op_u16(kInvokestatic, made.work).u8(kReturn);
  };
  const Buffer unclear[] = {
      {kAload0, kAstore0 + 1},  // the object is stored away
      {kNull, kAstore0},        // something else takes its place
      {kLdc, 1, kWide, kAstore, 0, 0},
      {kReturn},                  // what follows is dead
      {0x57},                     // the stack has less
      {kJsr, 0, 3, 0x57},         // jsr before the call
      Buffer{}.times(65, kNull),  // the stack has more than can be followed
  };
  for (const Buffer& first : unclear) {
    Constructor made;
    made.parts.max_stack = 100;
    with(made, first);
    check_unclear(made);
  }
}

TEST_CASE("left alone: constructors where both states meet, or a handler covers both") {
  Constructor met;
  met.parts.code =
      Buffer{kAload0, kAload0 + 1}.op_u16(kIfnull, 7).u8(kNull).op_u16(kInvokespecial, met.above);
  met.parts.code.op_u16(kInvokestatic, met.work).u8(kReturn);  // reached without the call, too
  check_unclear(met);

  Constructor covered;
  covered.parts.code = Buffer{kAload0, kNull}.op_u16(kInvokespecial, covered.above);
  covered.parts.code.op_u16(kInvokestatic, covered.work).u8(kReturn).u8(kAthrow);
  covered.parts.handlers = {{0, 9, 9, 0}};
  check_unclear(covered);

  Constructor never;
  never.parts.code = Buffer{}.op_u16(kInvokestatic, never.work).u8(kReturn);
  check_unclear(never);
}

TEST_CASE("constructors: java.lang.Object's own is a method like others") {
  ClassAssembler made(52, "java/lang/Object", "");
  MethodParts parts;
  parts.name = "<init>";
  parts.access = 0;
  parts.code = Buffer{}.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).u8(kReturn);
  made.add(parts);
  const std::vector<std::byte> in = made.bytes();
  const Rewritten out = rewrite(in, account(1));
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
  CHECK(out.result.methods_bracketed == 1);
}
