// Stack map frames of every form: read, and written anew with the local that was added.
#include <doctest/doctest.h>

#include "jvmti/rewriting/rewriting_for_test.h"
#include "jvmti/rewriting/same_code_for_test.h"
#include "jvmti/rewriting/stack_map_reader.h"

using namespace holdfast::jvmti;

namespace {

constexpr unsigned kNop = 0x00;
constexpr std::uint32_t kPrologueBytes = 6;  // iconst, invokestatic, lstore with an operand

struct Seen {
  std::uint32_t pc;
  std::vector<unsigned> locals;
  std::vector<unsigned> stack;
  bool operator==(const Seen&) const = default;
};

std::vector<unsigned> tags(std::span<const VerificationType> types) {
  std::vector<unsigned> list;
  for (const VerificationType& type : types) list.push_back(type.tag);
  return list;
}

std::vector<Seen> frames_of(ReadBack& back) {
  StackMapReader reader;
  REQUIRE(reader.open(back.file(), back.member(), back.code(), back.attribute("StackMapTable"),
                      back.scratch()) == LeftAlone::kNo);
  std::vector<Seen> list;
  while (reader.next())
    list.push_back({reader.frame().pc, tags(reader.frame().locals), tags(reader.frame().stack)});
  CHECK(reader.ended_well());
  return list;
}

// A static method (int, Object, long) with three more locals, nops, a call, and these frames.
struct Framed {
  explicit Framed(unsigned major = 52) : made(major) {
    parts.descriptor = "(ILa/B;J)V";
    parts.max_locals = 7;
    parts.code =
        Buffer{}.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).times(400, kNop);
    parts.code.op_u16(kNew, made.type("a/B")).u8(0x57).u8(kReturn);
  }
  Rewritten rewritten(const Buffer& frames, const RewritePlan& plan = account(1)) {
    parts.attributes = {{"StackMapTable", frames}};
    made.add(parts);
    in = made.bytes();
    return rewrite(in, plan);
  }
  ClassAssembler made;
  MethodParts parts;
  std::vector<std::byte> in;
};

constexpr std::uint32_t kNewAt = 403;

const std::vector<unsigned> kHandlerLocals = {0, 0, 0, 0, 0, 0, 0, kTypeLong};

}  // namespace

TEST_CASE("stack maps: every form, with the added local behind padding") {
  Framed method;
  Buffer frames = Buffer{}.u16(9);
  frames.u8(3);                                              // same, at 3
  frames.u8(64 + 1).u8(kTypeInteger);                        // same with a stack, at 5
  frames.u8(251).u16(94);                                    // same, far, at 100
  frames.u8(247).u16(9).u8(kTypeUninitialized).u16(kNewAt);  // with a stack, far, at 110
  frames.u8(254).u16(9).u8(kTypeTop).u8(kTypeFloat).u8(5);   // append 3, at 120
  frames.u8(249).u16(9);                                     // chop 2, at 130
  frames.u8(252).u16(9).u8(kTypeDouble);                     // append 1, at 140
  frames.u8(255)
      .u16(9)
      .u16(2)
      .u8(kTypeInteger)
      .u8(kTypeLong)
      .u16(2)
      .u8(kTypeDouble)
      .u8(kTypeFloat);  // full, at 150
  frames.u8(0);         // same, at 151
  const Rewritten out = method.rewritten(frames);
  REQUIRE(out.rewritten());
  CHECK(difference(method.in, out.bytes) == "");
  ReadBack back(out.bytes);
  constexpr unsigned kI = kTypeInteger, kO = kTypeObject, kL = kTypeLong, kD = kTypeDouble,
                     kF = kTypeFloat;
  const std::uint32_t p = kPrologueBytes;
  const std::vector<Seen> wanted = {
      {3 + p, {kI, kO, kL, 0, 0, 0, kL}, {}},
      {5 + p, {kI, kO, kL, 0, 0, 0, kL}, {kI}},
      {100 + p, {kI, kO, kL, 0, 0, 0, kL}, {}},
      {110 + p, {kI, kO, kL, 0, 0, 0, kL}, {kTypeUninitialized}},
      {120 + p, {kI, kO, kL, 0, kF, 5, kL}, {}},
      {130 + p, {kI, kO, kL, 0, 0, 0, kL}, {}},
      {140 + p, {kI, kO, kL, 0, kD, kL}, {}},
      {150 + p, {kI, kL, 0, 0, 0, 0, kL}, {kD, kF}},
      {151 + p, {kI, kL, 0, 0, 0, 0, kL}, {}},
      {back.code().handler(0).handler, kHandlerLocals, {kO}},
  };
  CHECK(frames_of(back) == wanted);
}

TEST_CASE("stack maps: where at most three locals are added the frame is appended") {
  ClassAssembler made;
  MethodParts parts;
  parts.max_locals = 1;
  parts.code =
      Buffer{}.op_u16(kInvokestatic, made.method("a/Other", "work", "()V")).u8(kNop).u8(kReturn);
  parts.attributes = {{"StackMapTable", Buffer{}.u16(1).u8(3)}};
  made.add(parts);
  const Rewritten out = rewrite(made.bytes(), account(1));
  REQUIRE(out.rewritten());
  const ReadBack back(out.bytes);
  const Bytes table = back.attribute("StackMapTable");
  CHECK(load_u8(table, 2) == 253);  // append two: what was not there, and the added one
  CHECK(load_u8(table, 5) == kTypeTop);
  CHECK(load_u8(table, 6) == kTypeLong);
}

TEST_CASE("stack maps: what is only counted leaves the forms as they were") {
  ClassAssembler made;
  MethodParts parts;
  parts.descriptor = "(ILa/B;)V";
  parts.code = Buffer{kIconst0, kNewarray, 10, 0x57}.times(300, kNop).u8(kReturn);
  const Buffer frames = Buffer{}
                            .u16(6)
                            .u8(4)
                            .u8(64 + 1)
                            .u8(kTypeInteger)
                            .u8(252)
                            .u16(9)
                            .u8(kTypeTop)
                            .u8(250)
                            .u16(9)
                            .u8(251)
                            .u16(70)
                            .u8(255)
                            .u16(2)
                            .u16(1)
                            .u8(kTypeInteger)
                            .u16(0);
  parts.attributes = {{"StackMapTable", frames}};
  made.add(parts);
  const std::vector<std::byte> in = made.bytes();
  const Rewritten out = rewrite(in, {});
  REQUIRE(out.rewritten());
  CHECK(difference(in, out.bytes) == "");
  const ReadBack back(out.bytes);
  const Bytes table = back.attribute("StackMapTable");
  REQUIRE(table.size() == frames.bytes().size());
  CHECK(load_u8(table, 2) == 8);  // moved by dup, invokestatic
  for (std::size_t i = 3; i < table.size(); ++i) CHECK(table[i] == frames.bytes()[i]);
}

TEST_CASE("stack maps: an argument's class is added to the constants once, or found") {
  Framed method;
  const Rewritten out = method.rewritten(Buffer{}.u16(2).u8(3).u8(64 + 1).u8(kTypeInteger));
  REQUIRE(out.rewritten());
  const ReadBack back(out.bytes);
  std::size_t found = 0;
  for (std::uint32_t i = 1; i < back.file().pool().count(); ++i)
    found += back.file().pool().class_name(i) == "a/B" ? 1 : 0;
  CHECK(found == 1);
}

TEST_CASE("left alone: frames that are malformed") {
  const Buffer bad[] = {
      Buffer{}.u16(1),                                           // counted, not there
      Buffer{}.u16(1).u8(200),                                   // reserved form
      Buffer{}.u16(1).u8(2),                                     // in an instruction
      Buffer{}.u16(1).u8(251).u16(9999),                         // behind the code
      Buffer{}.u16(1).u8(64 + 3).u8(9),                          // no such type
      Buffer{}.u16(1).u8(64 + 3).u8(kTypeUninitialized).u16(3),  // of no new
      Buffer{}.u16(1).u8(64 + 3).u8(kTypeObject).u16(999),       // of no class
      Buffer{}.u16(2).u8(248).u16(3).u8(250).u16(1),             // more chopped than there are
      Buffer{}.u16(1).u8(254).u16(3).u8(kTypeLong).u8(kTypeLong).u8(
          0),  // more locals than there are
      Buffer{}.u16(1).u8(255).u16(3).u16(0).u16(5).times(
          5, kTypeInteger),         // a deeper stack than there is
      Buffer{}.u16(1).u8(3).u8(0),  // something behind them
      Buffer{}.u8(0),               // not even a count
  };
  for (const Buffer& frames : bad) {
    Framed method;
    CHECK(method.rewritten(frames).alone(LeftAlone::kMalformedFrames) == 1);
  }
  Framed arguments;
  arguments.parts.descriptor = "(IJJJJ)V";  // more than there are locals
  CHECK(arguments.rewritten(Buffer{}.u16(0)).alone(LeftAlone::kMalformedFrames) == 1);
  for (const char* descriptor : {"", "(", "()", "(V)V", "(La/B)V", "(X)V", "([)V"}) {
    Framed method;
    method.parts.descriptor = descriptor;
    const Rewritten out = method.rewritten(Buffer{}.u16(0));
    CHECK((out.alone(LeftAlone::kMalformedFrames) == 1 || descriptor == std::string_view("()")));
  }
}
