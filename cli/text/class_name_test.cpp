#include "cli/text/class_name.h"

#include <doctest/doctest.h>

#include "cli/text/display_text.h"

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("class names: the middle goes, the telling end stays") {
  const char* name = "com.acme.shop.internal.pool.Session";
  CHECK(shorten_name(name, 80) == name);
  CHECK(shorten_name(name, 35) == name);
  CHECK(shorten_name(name, 34) == "com.acme…internal.pool.Session");
  CHECK(shorten_name(name, 24) == "com.acme…pool.Session");
  CHECK(shorten_name(name, 16) == "com…pool.Session");
  CHECK(shorten_name(name, 11) == "com…Session");
  CHECK(shorten_name(name, 8) == "…Session");
  CHECK(shorten_name(name, 7) == "Session");
  CHECK(shorten_name(name, 5) == "S…ion");
  CHECK(shorten_name(name, 1) == "…");
}

TEST_CASE("class names: dots in generic arguments are no separators") {
  const char* name = "System.Collections.Generic.Dictionary<System.String, Shop.Session>";
  CHECK(shorten_name(name, 50) == "System…Dictionary<System.String, Shop.Session>");
}

TEST_CASE("class names: any name fits any width") {
  const std::string names[] = {std::string(10'000, 'x'),
                               std::string(10'000, '.'),
                               "a.b.c",
                               ".",
                               "漢字.漢字.漢字漢字",
                               "[[[",
                               "<<.>>"};
  for (const std::string& name : names) {
    for (std::size_t columns = 1; columns < 40; ++columns) {
      CHECK(display_width(shorten_name(name, columns)) <= columns);
      CHECK(display_width(shorten_middle(name, columns)) <= columns);
    }
  }
}

TEST_CASE("class names: what differs in each run of a program goes, and nothing else") {
  CHECK(without_run("shop.Window$$Lambda$14/0x00007f98c4001200") == "shop.Window$$Lambda");
  CHECK(without_run("shop.Window$$Lambda$14/791452441") == "shop.Window$$Lambda");
  CHECK(without_run("shop.Window$$Lambda/0x0000000060040860") == "shop.Window$$Lambda");
  CHECK(without_run("shop.Window$$Lambda$2+0x00007f811c001200") == "shop.Window$$Lambda");
  CHECK(without_run("shop.Window$$Lambda$14") == "shop.Window$$Lambda");
  CHECK(without_run("shop.Window$$Lambda$14.1747585824") == "shop.Window$$Lambda");
  CHECK(without_run("java.lang.invoke.LambdaForm$MH/0x00007f0bac000a08") ==
        "java.lang.invoke.LambdaForm$MH");
  for (const std::string_view name : {"shop.Session", "shop.Window$$Lambda$x", "shop.A+B", "a.b12",
                                      "a/0x", "a/0xyz", "/0x12", "x/", "", "byte[]"})
    CHECK(without_run(name) == name);
}
