#include "cli/text/table.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string written(std::size_t columns) {
  Table table(
      {{"class", ColumnKind::kName, 12}, {"bytes"}, {"loader", ColumnKind::kName, 4, true}});
  table.row({{"com.acme.shop.Session"}, {"1,234"}, {"app"}});
  table.row({{"byte[]"}, {"56"}, {"boot"}});
  Page page(columns, false);
  table.write(page, 0);
  return page.text();
}

}  // namespace

TEST_CASE("table: numbers to the right, names to the left, no spaces at a line's end") {
  CHECK(written(80) ==
        "class                  bytes  loader\n"
        "com.acme.shop.Session  1,234  app\n"
        "byte[]                    56  boot\n");
}

TEST_CASE("table: names shrink first, then optional columns go, then names shrink further") {
  CHECK(written(32) ==
        "class              bytes  loader\n"
        "com…shop.Session   1,234  app\n"
        "byte[]                56  boot\n");
  CHECK(written(20).find("loader") == std::string::npos);
  CHECK(written(19) ==
        "class         bytes\n"
        "com…Session   1,234\n"
        "byte[]           56\n");
  CHECK(written(15) ==
        "class     bytes\n"
        "…Session  1,234\n"
        "byte[]       56\n");
}

TEST_CASE("table: names of a tree shrink behind their indentation") {
  Table table({{"object", ColumnKind::kName, 12}, {"bytes"}});
  table.row({{"shop.Main"}, {"100"}});
  table.row({{"    com.acme.shop.Session"}, {"24"}});
  Page page(23, false);
  table.write(page, 0);
  CHECK(page.text() ==
        "object            bytes\n"
        "shop.Main           100\n"
        "    com…Session      24\n");
}

TEST_CASE("page: colours only when asked, and around printable text") {
  Page plain(40, false);
  plain.line({{"a\x1b[31m", Style::kBold}, {"   "}});
  CHECK(plain.text() == "a\\u001b[31m\n");
  Page coloured(40, true);
  coloured.line({{"a", Style::kBold}, {"b"}});
  CHECK(coloured.text() == "\x1b[1ma\x1b[0mb\n");
}

TEST_CASE("page: labelled text is wrapped under itself") {
  Page page(30, false);
  page.labelled("heap", "one two three four five six");
  CHECK(page.text() == "  heap      one two three four\n            five six\n");
}
