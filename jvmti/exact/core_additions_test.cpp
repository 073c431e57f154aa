#include "jvmti/exact/core_additions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "jvmti/exact/counting_class.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

using Bytecode = std::vector<std::byte>;

// A class with one method of the given name and code.
Bytecode class_with(std::string_view name, std::string_view method, const std::vector<int>& code) {
  PoolWriter pool(1);
  const unsigned self = pool.class_ref(name);
  const unsigned method_name = pool.utf8(method);
  const unsigned type = pool.utf8("()V");
  const unsigned code_name = pool.utf8("Code");
  ClassBytes<4096> out;
  out.u4(0xCAFEBABE);
  out.u2(0);
  out.u2(61);
  out.u2(pool.count());
  out.append(pool.bytes());
  out.u2(0x21);
  out.u2(self);
  out.u2(0);
  out.u2(0);
  out.u2(0);
  out.u2(1);
  {
    out.u2(1);
    out.u2(method_name);
    out.u2(type);
    out.u2(1);
    out.u2(code_name);
    out.u4(static_cast<std::uint32_t>(12 + code.size()));
    out.u2(0);
    out.u2(1);
    out.u4(static_cast<std::uint32_t>(code.size()));
    for (const int each : code) out.u1(static_cast<unsigned>(each));
    out.u2(0);
    out.u2(0);
  }
  out.u2(0);
  REQUIRE_FALSE(out.overflowed());
  return {out.span().begin(), out.span().end()};
}

struct Read {
  explicit Read(std::span<const std::byte> bytes) : file_bytes(bytes.begin(), bytes.end()) {
    Scratch scratch(memory);
    reason = file.read(file_bytes, scratch);
  }
  std::set<std::string> members(bool methods) const {
    std::set<std::string> names;
    ByteReader reader(methods ? file.methods() : file.fields());
    for (int i = 0; i < (methods ? file.method_count() : file.field_count()); ++i) {
      const Member member = file.read_member(reader);
      names.insert(std::string(member.name) + std::string(member.descriptor));
    }
    return names;
  }
  Bytecode file_bytes;
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
  ClassFile file;
  LeftAlone reason;
};

Result<Bytecode> added(CoreClass which, const Bytecode& bytes, std::size_t room = 1 << 16) {
  const Read read(bytes);
  REQUIRE(read.reason == LeftAlone::kNo);
  Bytecode out(room);
  const auto made = add_to_core(which, read.file, out);
  if (!made) return made.error();
  return Bytecode(made->begin(), made->end());
}

const std::vector<int> kOnlyReturn{0xB1};

}  // namespace

TEST_CASE("core_additions: the four classes, and no other") {
  CHECK(core_class("java/lang/Object") == CoreClass::kObject);
  CHECK(core_class("java/lang/Thread") == CoreClass::kThread);
  CHECK(core_class("java/lang/Class") == CoreClass::kClass);
  CHECK(core_class("java/util/Objects") == CoreClass::kDoors);
  CHECK(core_class("java/lang/ThreadGroup") == CoreClass::kNone);
}

TEST_CASE("core_additions: fields of Thread and Class") {
  const auto thread = added(CoreClass::kThread, class_with("java/lang/Thread", "run", kOnlyReturn));
  REQUIRE(thread);
  const Read read(*thread);
  REQUIRE(read.reason == LeftAlone::kNo);
  CHECK(read.members(false) ==
        std::set<std::string>{"hf$stateJ", "hf$laneJ", "hf$countedJ", "hf$rowJ"});
  CHECK(read.members(true) == std::set<std::string>{"run()V"});
  const auto classes = added(CoreClass::kClass, class_with("java/lang/Class", "run", kOnlyReturn));
  REQUIRE(classes);
  CHECK(Read(*classes).members(false) == std::set<std::string>{"hf$slotI"});
}

TEST_CASE("core_additions: every door of the counting class, and the switch") {
  const auto doors = added(CoreClass::kDoors, class_with("java/util/Objects", "hash", kOnlyReturn));
  REQUIRE(doors);
  const Read read(*doors);
  REQUIRE(read.reason == LeftAlone::kNo);
  CHECK(read.members(false) == std::set<std::string>{"hf$onZ", "hf$readyZ"});
  ByteReader fields(read.file.fields());
  read.file.read_member(fields);
  ByteReader attributes(read.file.read_member(fields).attributes);
  const Bytes stable = read.file.read_attribute(attributes).content;
  REQUIRE(stable.size() == 6);
  CHECK(read.file.pool().utf8(load_u16(stable, 2)) == stable_descriptor(false));
  CHECK(read.members(true) ==
        std::set<std::string>{"hash()V", "hf$constructed(Ljava/lang/Object;)V",
                              "hf$array(Ljava/lang/Object;)V", "hf$arrays(Ljava/lang/Object;)V",
                              "hf$cloned(Ljava/lang/Object;)V", "hf$enter(I)J", "hf$leave(J)V"});
}

TEST_CASE("core_additions: nothing is added twice") {
  for (const auto& [which, name] : {std::pair{CoreClass::kThread, "java/lang/Thread"},
                                    {CoreClass::kClass, "java/lang/Class"},
                                    {CoreClass::kDoors, "java/util/Objects"}}) {
    const auto once = added(which, class_with(name, "run", kOnlyReturn));
    REQUIRE(once);
    CHECK_FALSE(added(which, *once));
  }
  const auto object =
      added(CoreClass::kObject, class_with("java/lang/Object", "<init>", kOnlyReturn));
  REQUIRE(object);
  CHECK_FALSE(added(CoreClass::kObject, *object));
}

TEST_CASE("core_additions: Object's constructor calls the door") {
  const auto object =
      added(CoreClass::kObject, class_with("java/lang/Object", "<init>", kOnlyReturn));
  REQUIRE(object);
  const Read read(*object);
  REQUIRE(read.reason == LeftAlone::kNo);
  CHECK(read.members(true) == std::set<std::string>{"<init>()V"});
  ByteReader methods(read.file.methods());
  ByteReader attributes(read.file.read_member(methods).attributes);
  const Attribute code = read.file.read_attribute(attributes);
  CHECK(code.name == "Code");
  REQUIRE(load_u32(code.content, 4) == 6);  // aload 0, invokestatic, return
  const MemberReference called = read.file.pool().reference(load_u16(code.content, 8 + 3));
  CHECK(called.owner == kDoorClass);
  CHECK(called.name == "hf$constructed");
}

TEST_CASE("core_additions: another Object than OpenJDK's stays as it is") {
  CHECK_FALSE(added(CoreClass::kObject, class_with("java/lang/Object", "<init>", {0x00, 0xB1})));
  CHECK_FALSE(added(CoreClass::kObject, class_with("java/lang/Object", "init", kOnlyReturn)));
}

TEST_CASE("core_additions: too little room") {
  const Bytecode thread = class_with("java/lang/Thread", "run", kOnlyReturn);
  CHECK_FALSE(added(CoreClass::kThread, thread, thread.size()));
}

TEST_CASE("core_additions: what is added is bounded") {
  const Bytecode doors = class_with("java/util/Objects", "hash", kOnlyReturn);
  const auto made = added(CoreClass::kDoors, doors);
  REQUIRE(made);
  CHECK(made->size() - doors.size() < kMostAddedBytes);
}

TEST_CASE("counting_class: a class file with the methods that the doors call") {
  for (const bool before_9 : {false, true}) {
    CountingFacts facts;
    facts.before_9 = before_9;
    CountingClassBytes bytes;
    REQUIRE(write_counting_class(facts, bytes));
    const Read read(bytes.span());
    REQUIRE(read.reason == LeftAlone::kNo);
    CHECK(read.file.name() == kCountingClass);
    const std::set<std::string> methods = read.members(true);
    for (const char* each :
         {"constructed(Ljava/lang/Object;)V", "array(Ljava/lang/Object;)V",
          "arrays(Ljava/lang/Object;)V", "cloned(Ljava/lang/Object;)V", "enter(I)J", "leave(J)V",
          "attach(Ljava/lang/Thread;)J", "find(JJ)J", "row(JJ)J", "place(Ljava/lang/Class;)I",
          "told(Ljava/lang/Object;Ljava/lang/Class;Ljava/lang/Thread;JIJ)V"})
      CHECK_MESSAGE(methods.contains(each), each);
    CHECK(methods.size() == 13);
  }
}

TEST_CASE("counting_class: what runs at every allocation is inlined, what rarely runs is not") {
  CountingClassBytes bytes;
  REQUIRE(write_counting_class(CountingFacts{}, bytes));
  const Read read(bytes.span());
  REQUIRE(read.reason == LeftAlone::kNo);
  std::set<std::string> inlined;
  ByteReader methods(read.file.methods());
  for (unsigned i = 0; i < read.file.method_count(); ++i) {
    const Member method = read.file.read_member(methods);
    ByteReader attributes(method.attributes);
    for (unsigned k = 0; k < method.attribute_count; ++k) {
      const Attribute attribute = read.file.read_attribute(attributes);
      if (attribute.name != "RuntimeVisibleAnnotations") continue;
      const std::string_view what = read.file.pool().utf8(load_u16(attribute.content, 2));
      const bool inlines = what == force_inline_descriptor(false);
      CHECK((inlines || what == dont_inline_descriptor(false)));
      if (inlines) inlined.insert(std::string(method.name));
    }
  }
  CHECK(inlined == std::set<std::string>{"array", "cloned", "constructed", "enter", "leave"});
}

TEST_CASE("counting_class: what it tells and numbers is in its code") {
  std::set<std::size_t> sizes;
  for (const auto& [each, objects, methods] : {std::tuple(false, false, false),
                                               {true, false, false},
                                               {true, true, false},
                                               {true, true, true},
                                               {true, false, true}}) {
    CountingFacts facts;
    facts.tells_each = each;
    facts.tells_objects = objects;
    facts.numbers_methods = methods;
    CountingClassBytes bytes;
    REQUIRE(write_counting_class(facts, bytes));
    CHECK(Read(bytes.span()).reason == LeftAlone::kNo);
    sizes.insert(bytes.size());
  }
  CHECK(sizes.size() == 5);
}
