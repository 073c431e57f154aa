#include "clrprofiler/names/type_name.h"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

using namespace holdfast::clr;

namespace {

// Trees of shapes as a test writes them.
class Shapes {
 public:
  std::uint32_t named(std::vector<std::string_view> levels,
                      const std::vector<std::uint32_t>& arguments = {}) {
    return add(TypeShape::Kind::kNamed, std::move(levels), arguments, 1);
  }
  std::uint32_t array(std::uint32_t element, std::uint32_t rank = 1) {
    return add(TypeShape::Kind::kArray, {}, {element}, rank);
  }
  std::uint32_t pointer(std::uint32_t to) { return add(TypeShape::Kind::kPointer, {}, {to}, 1); }
  std::uint32_t text(std::string_view text) { return add(TypeShape::Kind::kText, {text}, {}, 1); }
  std::uint32_t integer() { return named({"System.Int32"}); }
  std::uint32_t string() { return named({"System.String"}); }

  // The children of a shape stand side by side: they are copied there.
  std::uint32_t add(TypeShape::Kind kind, std::vector<std::string_view> levels,
                    const std::vector<std::uint32_t>& children, std::uint32_t rank) {
    TypeShape shape;
    shape.kind = kind;
    shape.rank = rank;
    shape.levels = kept_.emplace_back(std::move(levels));
    shape.first_child = static_cast<std::uint32_t>(all.size());
    shape.child_count = static_cast<std::uint32_t>(children.size());
    for (const std::uint32_t child : children) all.push_back(TypeShape(all[child]));
    all.push_back(shape);
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  std::string name(std::uint32_t shape) const {
    NameText out;
    append_type_name(all, shape, out);
    return std::string(out.view());
  }

  std::vector<TypeShape> all;

 private:
  std::deque<std::vector<std::string_view>> kept_;
};

}  // namespace

TEST_CASE("plain names, keywords and nesting") {
  Shapes s;
  CHECK(s.name(s.named({"shop.Order"})) == "shop.Order");
  CHECK(s.name(s.named({"Program"})) == "Program");
  CHECK(s.name(s.named({"shop.Cart", "Item", "Price"})) == "shop.Cart.Item.Price");
  constexpr std::pair<std::string_view, std::string_view> kKeywords[] = {
      {"Boolean", "bool"},    {"Byte", "byte"},     {"SByte", "sbyte"},   {"Char", "char"},
      {"Decimal", "decimal"}, {"Double", "double"}, {"Single", "float"},  {"Int32", "int"},
      {"UInt32", "uint"},     {"IntPtr", "nint"},   {"UIntPtr", "nuint"}, {"Int64", "long"},
      {"UInt64", "ulong"},    {"Int16", "short"},   {"UInt16", "ushort"}, {"Object", "object"},
      {"String", "string"},   {"Void", "void"}};
  for (const auto& [name, keyword] : kKeywords) {
    const std::string full = "System." + std::string(name);
    CHECK(s.name(s.named({full})) == keyword);
  }
  CHECK(s.name(s.named({"Int32"})) == "Int32");
  CHECK(s.name(s.named({"shop.System.Int32"})) == "shop.System.Int32");
  CHECK(s.name(s.named({"System.Int32", "Nested"})) == "System.Int32.Nested");
  CHECK(s.name(s.named({"System.DateTime"})) == "System.DateTime");
}

TEST_CASE("type arguments go to the levels that declare them") {
  Shapes s;
  const auto order = s.named({"shop.Order"});
  CHECK(s.name(s.named({"List`1"}, {order})) == "List<shop.Order>");
  CHECK(s.name(s.array(
            s.named({"System.Collections.Generic.Dictionary`2", "Entry"}, {s.string(), order}))) ==
        "System.Collections.Generic.Dictionary<string, shop.Order>.Entry[]");
  CHECK(s.name(s.named({"A`1", "B", "C`2"}, {s.integer(), s.string(), order})) ==
        "A<int>.B.C<string, shop.Order>");
  CHECK(s.name(s.named({"A`1"}, {s.named({"A`1"}, {s.named({"A`1"}, {s.integer()})})})) ==
        "A<A<A<int>>>");
}

TEST_CASE("arity and arguments that do not agree") {
  Shapes s;
  CHECK(s.name(s.named({"List`1"})) == "List<>");
  CHECK(s.name(s.named({"Dictionary`2", "Entry"})) == "Dictionary<,>.Entry");
  CHECK(s.name(s.named({"Pair`2"}, {s.integer()})) == "Pair<int>");
  CHECK(s.name(s.named({"Plain"}, {s.integer(), s.string()})) == "Plain<int, string>");
  CHECK(s.name(s.named({"A`3", "B`1"}, {s.integer()})) == "A<int>.B<>");
  CHECK(s.name(s.named({"Odd`"})) == "Odd`");
  CHECK(s.name(s.named({"Odd`x"})) == "Odd`x");
  CHECK(s.name(s.named({"Odd`99999999999999999999"})) == "Odd`99999999999999999999");
  CHECK(s.name(s.named({"Odd`-1"})) == "Odd`-1");
  CHECK(s.name(s.named({"Wide`65535"})).ends_with(",,,\xE2\x80\xA6"));
}

TEST_CASE("arrays, pointers, nullables") {
  Shapes s;
  CHECK(s.name(s.array(s.integer())) == "int[]");
  CHECK(s.name(s.array(s.integer(), 3)) == "int[,,]");
  CHECK(s.name(s.array(s.array(s.integer(), 2))) == "int[][,]");
  CHECK(s.name(s.array(s.array(s.integer()), 2)) == "int[,][]");
  CHECK(s.name(s.pointer(s.pointer(s.integer()))) == "int**");
  CHECK(s.name(s.array(s.pointer(s.named({"System.Void"})))) == "void*[]");
  const auto maybe = s.named({"System.Nullable`1"}, {s.integer()});
  CHECK(s.name(maybe) == "int?");
  CHECK(s.name(s.array(maybe)) == "int?[]");
  CHECK(s.name(s.named({"System.Nullable`1"})) == "System.Nullable<>");
  CHECK(s.name(s.array(s.text("(class without a name)"))) == "(class without a name)[]");
  CHECK(s.name(s.named({"List`1"}, {s.array(maybe)})) == "List<int?[]>");
}

TEST_CASE("tuples, long ones without their inner tuples") {
  Shapes s;
  const auto tuple = [&s](const std::vector<std::uint32_t>& of) {
    static std::deque<std::string> names;
    names.push_back("System.ValueTuple`" + std::to_string(of.size()));
    return s.named({names.back()}, of);
  };
  const auto i = s.integer();
  const auto t = s.string();
  CHECK(s.name(tuple({i, t})) == "(int, string)");
  CHECK(s.name(tuple({i})) == "System.ValueTuple<int>");
  CHECK(s.name(s.named({"System.ValueTuple"})) == "System.ValueTuple");
  CHECK(s.name(tuple({tuple({i, t}), t})) == "((int, string), string)");
  CHECK(s.name(tuple({i, i, i, i, i, i, i, tuple({t})})) ==
        "(int, int, int, int, int, int, int, string)");
  const auto nine = tuple({i, i, i, i, i, i, i, tuple({t, t})});
  CHECK(s.name(nine) == "(int, int, int, int, int, int, int, string, string)");
  CHECK(s.name(tuple({t, t, t, t, t, t, t, nine})) ==
        "(string, string, string, string, string, string, string, "
        "int, int, int, int, int, int, int, string, string)");
  CHECK(s.name(tuple({i, i, i, i, i, i, i, t})) ==
        "System.ValueTuple<int, int, int, int, int, int, int, string>");
  CHECK(s.name(s.named({"System.Nullable`1"}, {tuple({i, t})})) == "(int, string)?");
  CHECK(s.name(s.named({"System.ValueTuple`2"})) == "System.ValueTuple<,>");
}

TEST_CASE("names made by the compiler") {
  Shapes s;
  CHECK(s.name(s.named({"shop.Cart", "<>c__DisplayClass3_0"})) == "shop.Cart.<>c__DisplayClass3_0");
  CHECK(s.name(s.named({"shop.Cart", "<>c"})) == "shop.Cart.<>c");
  CHECK(s.name(s.named({"shop.Cart", "<LoadAsync>d__5"})) == "shop.Cart.<LoadAsync>d__5");
  CHECK(s.name(s.named({"shop.Cart", "<Map>d__5`1"}, {s.integer()})) == "shop.Cart.<Map>d__5<int>");
  CHECK(s.name(s.named({"<>f__AnonymousType0`2"}, {s.integer(), s.string()})) ==
        "<>f__AnonymousType0<int, string>");
  CHECK(s.name(s.named({"<PrivateImplementationDetails>", "__StaticArrayInitTypeSize=16"})) ==
        "<PrivateImplementationDetails>.__StaticArrayInitTypeSize=16");
}

TEST_CASE("file-local types") {
  Shapes s;
  const std::string hash(64, 'A');
  const std::string local = "<Program>F" + hash + "__Order";
  const std::string in_namespace = "shop.<Program>F" + hash + "__Order`1";
  CHECK(s.name(s.named({local})) == "Order@Program");
  CHECK(s.name(s.named({in_namespace}, {s.integer()})) == "shop.Order@Program<int>");
  const std::string without_name = "<Program>F" + hash + "__";
  CHECK(s.name(s.named({without_name})) == without_name);
  const std::string no_hash = "<Program>F" + std::string(64, 'g') + "__Order";
  CHECK(s.name(s.named({no_hash})) == no_hash);
  CHECK(s.name(s.named({"<Program>Fast"})) == "<Program>Fast");
}

TEST_CASE("long names are cut, and whole code points stay") {
  Shapes s;
  std::string long_name;
  while (long_name.size() < 20000) long_name += "\xE2\x98\x83";
  const std::string name = s.name(s.named({long_name}));
  CHECK(name.size() <= NameText::kMaxBytes);
  CHECK(name.size() > NameText::kMaxBytes - 8);
  CHECK(name.ends_with("\xE2\x98\x83\xE2\x80\xA6"));
}

TEST_CASE("deep trees and trees that contain themselves end") {
  Shapes s;
  std::uint32_t deep = s.integer();
  for (int i = 0; i < 2000; ++i) deep = s.named({"A`1"}, {deep});
  CHECK(s.name(deep).find("\xE2\x80\xA6") != std::string::npos);

  std::uint32_t arrays = s.integer();
  for (int i = 0; i < 2000; ++i) arrays = s.array(arrays);
  CHECK(s.name(arrays).starts_with("int[][]"));
  CHECK(s.name(arrays).size() == 3 + 2 * 2000);

  for (const auto kind :
       {TypeShape::Kind::kNamed, TypeShape::Kind::kArray, TypeShape::Kind::kPointer}) {
    Shapes loop;
    const auto self = loop.add(kind, {"A`1"}, {loop.integer()}, 1);
    loop.all[self].first_child = self;
    CHECK(loop.name(self).find("\xE2\x80\xA6") != std::string::npos);
  }
}

TEST_CASE("UTF-16 that is none") {
  const auto text = [](std::u16string_view units) {
    NameText out;
    out.append(units);
    return std::string(out.view());
  };
  CHECK(text(u"Stra\u00DFe\u2603\U0001F600") == "Stra\u00DFe\u2603\U0001F600");
  const char16_t high_alone[] = {0xD83D, u'x'};
  const char16_t low_alone[] = {0xDE00};
  const char16_t high_last[] = {u'a', 0xD83D};
  CHECK(text({high_alone, 2}) == "\xEF\xBF\xBDx");
  CHECK(text({low_alone, 1}) == "\xEF\xBF\xBD");
  CHECK(text({high_last, 2}) == "a\xEF\xBF\xBD");
}
