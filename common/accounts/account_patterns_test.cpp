#include "common/accounts/account_patterns.h"

#include <doctest/doctest.h>

#include <string>

#include "common/arena_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;

namespace {

struct Parsed {
  mutable TestArena memory;
  PatternError error;
  AccountPatterns patterns;
  bool ok = false;

  explicit Parsed(const std::string& text, std::uint64_t limit_bytes = std::uint64_t{1} << 26)
      : memory(limit_bytes) {
    auto made = AccountPatterns::make(text, memory.arena(), error);
    ok = made.ok();
    if (ok) patterns = *made;
  }
  std::string of(std::string_view class_name, ClassOrigin origin = {}) const {
    return std::string(patterns.name(patterns.match(class_name, origin)));
  }
};

std::string refused(const std::string& text) {
  const Parsed parsed(text);
  CHECK_MESSAGE(!parsed.ok, text);
  std::string said = parsed.error.text;
  CHECK(said.find('\n') == said.npos);
  CHECK(said.substr(0, 9) == "accounts=");
  return said;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// A file of the test's own, gone at its end.
struct TextFile {
  platforms::ScratchDirectory place;
  std::string path = place.file("accounts.txt");
  explicit TextFile(const std::string& text) { place.write("accounts.txt", text); }
};

constexpr char kNobody[] = "(unaccounted)";

}  // namespace

TEST_CASE("a package, a package and all below it, a class") {
  const Parsed p("shop.order+shop.stock.*+shop.pay.Card");
  REQUIRE_MESSAGE(p.ok, p.error.text);
  CHECK(p.patterns.count() == 4);
  CHECK(p.of("shop.order.Order") == "shop.order");
  CHECK(p.of("shop.order.Order$Line") == "shop.order");
  CHECK(p.of("shop.order.deep.Order") == kNobody);
  CHECK(p.of("shop.orders.Order") == kNobody);
  CHECK(p.of("shop.stock.Item") == "shop.stock.*");
  CHECK(p.of("shop.stock.deep.er.Item$Part$Bit") == "shop.stock.*");
  CHECK(p.of("shop.stock") == kNobody);
  CHECK(p.of("shop.stocks.Item") == kNobody);
  CHECK(p.of("shop.pay.Card") == "shop.pay.Card");
  CHECK(p.of("shop.pay.Card[][]") == "shop.pay.Card");
  CHECK(p.of("shop.pay.Card$Chip") == "shop.pay.Card");
  CHECK(p.of("shop.pay.Card$1") == "shop.pay.Card");
  CHECK(p.of("shop.pay.Card$$Lambda/0x00007f8cfc003978") == "shop.pay.Card");
  CHECK(p.of("shop.pay.Cards") == kNobody);
  CHECK(p.of("shop.pay.Cash") == kNobody);
  CHECK(p.of("") == kNobody);
  CHECK(p.of("....$$$") == kNobody);
}

TEST_CASE("the longest name wins, a package before all below it, in whatever order they stand") {
  for (const char* text :
       {"*+a.*+a.b+a.b.*+a.b.c.*+a.b.c.D+a.b.c.D.E", "a.b.c.D.E+a.b.c.D+a.b.c.*+a.b.*+a.b+a.*+*"}) {
    const Parsed p(text);
    REQUIRE_MESSAGE(p.ok, p.error.text);
    CHECK(p.of("x.Y") == "*");
    CHECK(p.of("Main") == "*");
    CHECK(p.of("a.X") == "a.*");
    CHECK(p.of("a.b.X") == "a.b");
    CHECK(p.of("a.b.x.X") == "a.b.*");
    CHECK(p.of("a.b.c.X") == "a.b.c.*");
    CHECK(p.of("a.b.c.d.X") == "a.b.c.*");
    CHECK(p.of("a.b.c.D") == "a.b.c.D");
    CHECK(p.of("a.b.c.D$F") == "a.b.c.D");
    CHECK(p.of("a.b.c.D$E") == "a.b.c.D.E");
    CHECK(p.of("a.b.c.D$E$G") == "a.b.c.D.E");
  }
}

TEST_CASE("classes without a package, generated ones, names that have a dollar in odd places") {
  const Parsed p("Main+com.sun.proxy+scala.List+odd$pkg.Thing");
  CHECK(p.of("Main") == "Main");
  CHECK(p.of("Main$Inner") == "Main");
  CHECK(p.of("Main.Other") == "Main");  // a package of that name
  CHECK(p.of("Mainly") == kNobody);
  CHECK(p.of("com.sun.proxy.$Proxy17") == "com.sun.proxy");
  CHECK(p.of("scala.List$") == "scala.List");
  CHECK(p.of("scala.List$$anon$1") == "scala.List");
  CHECK(p.of("odd$pkg.Thing") == "odd$pkg.Thing");
  CHECK(p.of("odd$pkg.Other") == kNobody);
  const Parsed nested("shop.Cart$Line+shop.Cart.*");
  CHECK(nested.of("shop.Cart$Line") == "shop.Cart$Line");
  CHECK(nested.of("shop.Cart$Other") == "shop.Cart.*");
  CHECK(nested.of("shop.Cart") == kNobody);
  const Parsed only_package("odd");
  CHECK(only_package.of("odd$pkg.Thing") == kNobody);
}

TEST_CASE("names as a CLR writes them, and as its metadata do") {
  const Parsed p("Shop+Shop.Cache+System.Collections.Generic.Dictionary+System.Text.*");
  CHECK(p.of("Shop.Cache`1+Node<System.String>") == "Shop.Cache");
  CHECK(p.of("Shop.Cache<System.Collections.Generic.List<int>>.Node") == "Shop.Cache");
  CHECK(p.of("Shop.Cache<(int, string)>[]") == "Shop.Cache");
  CHECK(p.of("Shop.Cart+Line") == "Shop");
  CHECK(p.of("Shop.Cart`2+Line`1+Deep") == "Shop");
  CHECK(p.of("Shop.Cart<int>.Line") == "Shop");
  CHECK(p.of("Shop.Cart.<>c__DisplayClass3_0") == "Shop");
  CHECK(p.of("Shop.Cart.<LoadAsync>d__5") == "Shop");
  CHECK(p.of("Shop.Cart+<LoadAsync>d__5") == "Shop");
  CHECK(p.of("Shop.Sub.Thing") == kNobody);
  CHECK(p.of("System.Collections.Generic.Dictionary<string, Shop.Order>.Entry[]") ==
        "System.Collections.Generic.Dictionary");
  CHECK(p.of("System.Text.StringBuilder") == "System.Text.*");
  CHECK(p.of("<>f__AnonymousType0<int, string>") == kNobody);
  CHECK(p.of("Shop.Broken<int") == "Shop");
  CHECK(p.of("System.Text.Json.<>c") == "System.Text.*");
}

TEST_CASE("jar and module: behind names, before everything") {
  const Parsed p("*+jar:app.jar+module:java.xml+shop.Cart+jar:my app-1.0 (2).jar");
  REQUIRE_MESSAGE(p.ok, p.error.text);
  CHECK(p.patterns.wants_jars());
  CHECK(p.patterns.wants_modules());
  CHECK(p.of("x.Y", {"app.jar", "java.xml"}) == "jar:app.jar");
  CHECK(p.of("x.Y", {"other.jar", "java.xml"}) == "module:java.xml");
  CHECK(p.of("x.Y", {"my app-1.0 (2).jar", ""}) == "jar:my app-1.0 (2).jar");
  CHECK(p.of("x.Y", {"java.xml", "app.jar"}) == "*");
  CHECK(p.of("shop.Cart", {"app.jar", "java.xml"}) == "shop.Cart");
  CHECK(p.of("x.Y", {"shop.Cart", "shop.Cart"}) == "*");
  const Parsed none("shop");
  CHECK_FALSE(none.patterns.wants_jars());
  CHECK_FALSE(none.patterns.wants_modules());
  // A name and a jar may be spelt alike.
  const Parsed alike("x+jar:x+module:x");
  CHECK(alike.of("x.Y") == "x");
  CHECK(alike.of("y.Y", {"x", ""}) == "jar:x");
  CHECK(alike.of("y.Y", {"", "x"}) == "module:x");
}

TEST_CASE("what is no pattern is refused by name, with what is wanted") {
  for (const char* text :
       {"shop..cart",  "shop.",           "shop.*.cart", "shop*",           "**",
        "*.cart",      "com/shop/Cart",   "a b",         "class:shop.Cart", "jar:",
        "module:",     "jar:lib/app.jar", "jar:*.jar",   "shop,cart",       "shop.Cart<int>",
        "shop.Cart[]", "shop.Cart()",     "`1",          "jar:a\x01.jar",   "a\tb"}) {
    CHECK_MESSAGE(has(refused(text), ": wanted is a.b (a package or class), a.b.*"), text);
  }
  CHECK(has(refused("shop+a..b"), "accounts=shop+a..b: a..b: wanted is"));
  for (const char* text : {"+shop", "shop+", "shop++cart", "+"})
    CHECK(has(refused(text), "(nothing between two '+'): wanted is"));
  CHECK(has(refused(std::string(256, 'a')), "a pattern has at most 255 bytes"));
  CHECK(Parsed(std::string(255, 'a')).ok);
}

TEST_CASE("equal patterns are refused, also when they are written differently") {
  CHECK(has(refused("shop.*+cart+shop.*"), "shop.*: the same pattern came before"));
  CHECK(has(refused("shop.Cart.Line+shop.Cart$Line"), "shop.Cart$Line: the same pattern"));
  CHECK(has(refused("Shop.Cache+Shop.Cache`1"), "Shop.Cache`1: the same pattern"));
  CHECK(has(refused("*+*"), "*: the same pattern"));
  CHECK(has(refused("jar:a.jar+jar:a.jar"), "jar:a.jar: the same pattern"));
  CHECK(Parsed("shop+shop.*+jar:shop+module:shop").ok);
}

TEST_CASE("a file of patterns: comments, empty lines, and the line of what is wrong") {
  const TextFile good(
      "\xEF\xBB\xBF# modules\r\nshop.*   # the shop\r\n\r\n  Shop.Cache+Node\t\r\n*");
  const Parsed p(good.path);
  REQUIRE_MESSAGE(p.ok, p.error.text);
  CHECK(p.patterns.count() == 4);
  CHECK(p.patterns.name(1) == "shop.*");
  CHECK(p.patterns.name(2) == "Shop.Cache+Node");
  CHECK(p.patterns.name(3) == "*");
  CHECK(p.of("Shop.Cache`1+Node<int>") == "Shop.Cache+Node");
  CHECK(p.memory.arena().used_bytes() < 4096);  // the room for a file was given back

  const TextFile bad("shop\n\n# x\nshop..cart\n");
  CHECK(refused(bad.path).substr(0, 9 + std::string(bad.path).size() + 30) ==
        "accounts=" + std::string(bad.path) + ": line 4: shop..cart: wanted i");
  const TextFile twice("shop\ncart\nshop\n");
  CHECK(has(refused(twice.path), ": line 3: shop: the same pattern came before"));
  const TextFile empty("");
  CHECK(has(refused(empty.path), ": there is no pattern in this file"));
  const TextFile comments("# a\n\n   \n#b");
  CHECK(has(refused(comments.path), ": there is no pattern in this file"));
  const TextFile binary(std::string("sh\0op\n", 6));
  CHECK(has(refused(binary.path), ": line 1: sh?op: wanted is"));
}

TEST_CASE("a file that cannot be read, or has no end") {
  CHECK(has(refused("/nowhere/accounts.txt"), "cannot be read (No such file or directory)"));
  CHECK(has(refused("./nowhere.txt"), "accounts=./nowhere.txt: this file cannot be read"));
  CHECK(has(refused("/tmp"), "cannot be read (Is a directory)"));
  CHECK(has(refused("/dev/zero"), "larger than 2 MB"));
  CHECK(has(refused("/" + std::string(2000, 'x')), "the path is too long"));
}

TEST_CASE("10,000 patterns, and one more") {
  std::string text;
  for (int i = 0; i < 10'000; ++i)
    text += "com.acme.module" + std::to_string(i % 100) + ".part" + std::to_string(i) + ".*\n";
  const TextFile full(text);
  const Parsed p(full.path);
  REQUIRE_MESSAGE(p.ok, p.error.text);
  CHECK(p.patterns.count() == 10'001);
  int wrong = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string base =
        "com.acme.module" + std::to_string(i % 100) + ".part" + std::to_string(i);
    if (p.of(base + ".deep.Class$Inner") != base + ".*") ++wrong;
    if (p.of(base + "x.Class") != kNobody) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(p.memory.arena().used_bytes() < AccountPatterns::kMostBytes / 2);
  const TextFile over(text + "one.more\n");
  CHECK(has(refused(over.path), ": line 10001: one.more: there are more than 10000 patterns"));
}

TEST_CASE(
    "the largest file fits the address space, and too little memory is an error without text") {
  std::string text;
  for (int i = 0; i < 9'999; ++i) text += std::to_string(10'000 + i) + std::string(195, 'p') + "\n";
  REQUIRE(text.size() < kMaxPatternFileBytes);
  text += "#" + std::string(kMaxPatternFileBytes - text.size() - 1, 'c');
  const TextFile file(text);
  const Parsed p(file.path);
  REQUIRE_MESSAGE(p.ok, p.error.text);
  CHECK(p.memory.arena().used_bytes() < AccountPatterns::kMostBytes);
  const Parsed poor(file.path, 1 << 20);
  CHECK_FALSE(poor.ok);
  CHECK(poor.error.text[0] == '\0');
}

TEST_CASE("names longer than any pattern belong to their outer packages") {
  const std::string package = "a." + std::string(250, 'b');
  const Parsed p("a.*+" + package + "c");  // 253 bytes
  CHECK(p.of(package + "." + std::string(300, 'C')) == "a.*");
  CHECK(p.of(package + "c.D") == package + "c");
  CHECK(p.of(package + "c.d." + std::string(300, 'E') + ".F") == "a.*");
  CHECK(p.of(package + "c$" + std::string(300, 'E') + ".F") == "a.*");
}
