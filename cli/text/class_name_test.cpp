#include "cli/text/class_name.h"

#include <doctest/doctest.h>

#include "cli/text/display_text.h"

namespace holdfast::cli {

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

}  // namespace holdfast::cli
