#include "clrprofiler/names/class_reader.h"

#include <doctest/doctest.h>

#include "clrprofiler/names/names_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("names of what metadata describes") {
  NamesBench b;
  b.open();
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"shop.Order", "shop.Order"},
      {"System.Int32[]", "int[]"},
      {"System.Int32[,][]", "int[][,]"},
      {"System.Nullable`1<System.Int32>", "int?"},
      {"System.Collections.Generic.Dictionary`2+Entry<System.String,shop.Order>[]",
       "System.Collections.Generic.Dictionary<string, shop.Order>.Entry[]"},
      {"System.ValueTuple`2<System.Int32,System.String>", "(int, string)"},
      {"A`1<A`1<A`1<shop.Order[]>>>", "A<A<A<shop.Order[]>>>"},
      {"shop.Cart+'<>c__DisplayClass3_0'", "shop.Cart.<>c__DisplayClass3_0"},
      {"System.Int32*[]", "void*[]"},
      {"A+B+C+D+E", "A.B.C.D.E"},
  };
  for (const auto& [description, name] : kNames) CHECK(b.name(description) == name);
}

TEST_CASE("what a class is") {
  NamesBench b;
  const ClassID object = b.runtime.get("System.Object");
  const ClassID value = b.runtime.get("System.ValueType");
  const ClassID enumeration = b.runtime.get("System.Enum");
  const ClassID thread = b.runtime.get("System.Threading.Thread");
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID handler = b.runtime.get("shop.Handler");
  const ClassID colour = b.runtime.get("shop.Colour");
  const ClassID price = b.runtime.get("shop.Price");
  const ClassID own_thread = b.runtime.get("shop!System.Threading.Thread");
  b.runtime.class_at(value).parent = b.runtime.class_at(order).parent = object;
  b.runtime.class_at(enumeration).parent = b.runtime.class_at(price).parent = value;
  b.runtime.class_at(colour).parent = enumeration;
  b.runtime.class_at(handler).parent = b.runtime.get("System.MulticastDelegate");
  b.open();

  CHECK(b.reader.read(order).known);
  CHECK(b.reader.read(order).parent == object);
  CHECK(b.reader.read(order).flags == 0);
  CHECK_FALSE(b.reader.read(order).value_type);
  CHECK(b.reader.read(object).flags == kClassPlatform);
  CHECK(b.reader.read(object).loader == LoaderId{0});
  CHECK(b.reader.read(thread).flags == (kClassPlatform | kClassThread));
  CHECK(b.reader.read(own_thread).flags == 0);
  CHECK(b.reader.read(price).value_type);
  CHECK(b.reader.read(colour).value_type);
  CHECK_FALSE(b.reader.read(enumeration).value_type);
  CHECK_FALSE(b.reader.read(value).value_type);
  CHECK(b.reader.read(handler).is_delegate);
  CHECK_FALSE(b.reader.read(order).is_delegate);
  CHECK(b.modules.all()[b.reader.read(order).loader.value].name == "shop");
}

TEST_CASE("an array belongs where its innermost elements belong") {
  NamesBench b;
  b.open();
  const ClassID orders = b.runtime.get("shop.Order[]");
  const ClassID grid = b.runtime.get("shop.Order[][,]");
  const ClassFacts facts = b.reader.read(grid);
  CHECK(facts.flags == kClassArray);
  CHECK(facts.rank == 2);
  CHECK(facts.element == orders);
  CHECK(facts.token == 0);
  CHECK(facts.module == b.runtime.module_named("shop"));
  CHECK(b.reader.read(b.runtime.get("System.Int32[]")).flags == (kClassArray | kClassPlatform));
  const ClassFacts pointers = b.reader.read(b.runtime.get("shop.Order*[]"));
  CHECK(pointers.flags == (kClassArray | kClassPlatform));
  CHECK(pointers.element == 0);
}

TEST_CASE("each refusal of the runtime has a name") {
  NamesBench b;
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID list = b.runtime.get("List`1<shop.Order>");
  b.open();
  b.runtime.class_at(order).answer = CORPROF_E_DATAINCOMPLETE;
  CHECK(b.name(order) == "(class that was being loaded or unloaded)");
  CHECK(b.name(list) == "List<(class that was being loaded or unloaded)>");
  CHECK_FALSE(b.reader.read(order).known);
  CHECK(b.reader.read(list).known);
  b.runtime.class_at(order).answer = E_FAIL;
  CHECK(b.name(order) == "(class without a name)");
  CHECK(b.name(ClassID{0}) == "(class that was being loaded or unloaded)");
  CHECK(b.reader.read(0).loader == b.modules.unknown().loader);
  b.runtime.fail("IsArrayClass", E_FAIL);
  CHECK(b.name(list) == "List<(class without a name)>");
}

TEST_CASE("metadata that cannot be read leaves token and module") {
  for (const char* call : {"GetModuleMetaData", "GetTypeDefProps", "GetNestedClassProps"}) {
    CAPTURE(call);
    NamesBench b;
    b.open();
    b.runtime.fail(call, CORPROF_E_DATAINCOMPLETE);
    CHECK(b.name("shop.Order[]") == "(class 0x02000001 of shop)[]");
    CHECK(b.reader.read(b.runtime.get("shop.Order")).token == 0x02000001);
    CHECK(b.reader.read(b.runtime.get("shop.Order")).loader.value != 0);
  }
  NamesBench b;
  b.open();
  FakeClass outside;
  outside.module = b.runtime.module_named("shop");
  outside.token = 0x02FFFFFF;
  CHECK(b.name(b.runtime.add_class(outside)) == "(class 0x02ffffff of shop)");
}

TEST_CASE("hostile names") {
  NamesBench b;
  b.open();
  const ModuleID shop = b.runtime.module_named("shop");
  const auto name_of = [&](std::u16string text) {
    FakeClass type;
    type.module = shop;
    type.token = b.runtime.add_type(shop, std::move(text));
    return b.name(b.runtime.add_class(type));
  };
  const std::string cut = name_of(std::u16string(10000, u'x'));
  CHECK(cut == std::string(Metadata::kMaxUnits - 1, 'x') + "\xE2\x80\xA6");
  const char16_t lone[] = {u'a', 0xD800, u'b', 0};
  CHECK(name_of(lone) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(name_of(u"a\nb\x1B[31m") == "a\nb\x1B[31m");
  CHECK(name_of(u"`1") == "<>");
  CHECK(name_of(u"").empty());
}

TEST_CASE("nesting in a loop, and deep generics") {
  NamesBench b;
  b.open();
  const ModuleID shop = b.runtime.module_named("shop");
  const ClassID loop = b.runtime.get("Loop");
  b.runtime.type_of(loop).outer = b.runtime.class_at(loop).token;
  CHECK(b.name(loop).starts_with("Loop.Loop.Loop."));

  ClassID deep = b.runtime.get("System.Int32");
  FakeClass list;
  list.module = shop;
  list.token = b.runtime.add_type(shop, u"List`1");
  for (int i = 0; i < 100; ++i) {
    list.arguments = {deep};
    deep = b.runtime.add_class(list);
  }
  const std::string name = b.name(deep);
  CHECK(name.find("\xE2\x80\xA6>>>") != std::string::npos);
  CHECK(name.size() < 24 * 8);

  // A class that is its own argument, as only a broken runtime has it.
  list.arguments = {b.runtime.get("System.Int32")};
  const ClassID self = b.runtime.add_class(list);
  b.runtime.class_at(self).arguments = {self};
  CHECK(b.name(self).find("\xE2\x80\xA6") != std::string::npos);
  const ClassID array = b.runtime.get("shop.Order[]");
  b.runtime.class_at(array).element = array;
  CHECK(b.name(array).find("[][]") != std::string::npos);
}

TEST_CASE("more arguments than one name has room for") {
  NamesBench b;
  b.open();
  const ModuleID shop = b.runtime.module_named("shop");
  FakeClass wide;
  wide.module = shop;
  wide.token = b.runtime.add_type(shop, u"Wide`100");
  wide.arguments.assign(100, b.runtime.get("System.Int32"));
  const std::string name = b.name(b.runtime.add_class(wide));
  CHECK(name.starts_with("Wide<int, int"));
  CHECK(name.ends_with(", \xE2\x80\xA6>"));

  // Each level has 8 arguments, each of them the same: 8^n shapes.
  ClassID bush = b.runtime.get("System.Int32");
  FakeClass eight;
  eight.module = shop;
  eight.token = b.runtime.add_type(shop, u"Eight`8");
  for (int i = 0; i < 10; ++i) {
    eight.arguments.assign(8, bush);
    bush = b.runtime.add_class(eight);
  }
  CHECK(b.name(bush).find("\xE2\x80\xA6") != std::string::npos);
  CHECK(b.name("shop.Order") == "shop.Order");
}
