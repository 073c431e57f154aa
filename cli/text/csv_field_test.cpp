#include "cli/text/csv_field.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string field(std::string_view text) {
  std::string line;
  append_csv_field(line, text);
  return line;
}

}  // namespace

TEST_CASE("csv field: as it is, or quoted as RFC 4180 wants it") {
  CHECK(field("java.lang.String") == "java.lang.String");
  CHECK(field("") == "");
  CHECK(field("java.util.Map<K,V>") == "\"java.util.Map<K,V>\"");
  CHECK(field("a\"b\nc\r") == "\"a\"\"b\nc\r\"");
}

TEST_CASE("csv field: what a spreadsheet would run is marked as text") {
  CHECK(field("=HYPERLINK(\"x\")") == "\"'=HYPERLINK(\"\"x\"\")\"");
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1"})
    CHECK(field(text) == "'" + std::string(text));
  CHECK(field("\r=1") == "\"'\r=1\"");
  CHECK(field("a=1") == "a=1");
}
