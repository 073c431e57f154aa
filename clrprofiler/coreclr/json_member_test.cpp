#include "clrprofiler/coreclr/json_member.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast::clr;

TEST_CASE("members are found in place, whatever stands before them") {
  constexpr std::string_view kText =
      R"( {"a":1, "text" : "x\"}],{" ,"list":[[1,"b"], {}, []],"b":{"c":{"d":"0x1F"}} ,"e":true})";
  CHECK(json_member(kText, "a") == "1");
  CHECK(json_member(kText, "text") == R"("x\"}],{")");
  CHECK(json_member(kText, "list") == R"([[1,"b"], {}, []])");
  CHECK(json_member(json_member(json_member(kText, "b"), "c"), "d") == R"("0x1F")");
  CHECK(json_member(kText, "e") == "true");
  CHECK(json_member(kText, "c").empty());
  CHECK(json_first(json_member(kText, "list")) == R"([1,"b"])");
  CHECK(json_first("[]").empty());
}

TEST_CASE("numbers as a runtime writes them") {
  CHECK(json_number("112") == 112);
  CHECK(json_number("\"0x7fffffffffffffff\"") == 0x7FFFFFFFFFFFFFFF);
  CHECK(json_number("\"12\"") == 12);
  for (const char* no : {"", "-1", "1.5", "1 ", "\"", "\"\"", "0x", "true", "[1]",
                         "18446744073709551616", "\"0x10000000000000000\""}) {
    CAPTURE(no);
    CHECK_FALSE(json_number(no));
  }
}

TEST_CASE("a text that ends early or is none finds nothing behind the break, and does no harm") {
  const std::string text = R"({"a":{"b":[1,{"c":"d"}]},"e":5})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    const std::string_view cut(text.data(), length);
    CHECK(json_member(cut, "x").empty());
    const std::string_view a = json_member(cut, "a");
    CHECK((a.empty() || a == R"({"b":[1,{"c":"d"}]})"));
  }
  for (const char* wrong :
       {R"([1,2])", R"({"a" 1})", R"({a:1})", R"({"a":,"b":1})", R"({"a":}1)"}) {
    CAPTURE(wrong);
    CHECK(json_member(wrong, "b").empty());
  }
  std::string deep = R"({"a":)" + std::string(kMostJsonDepth, '[') +
                     std::string(kMostJsonDepth, ']') + R"(,"b":1})";
  CHECK(json_member(deep, "b") == "1");
  deep = R"({"a":)" + std::string(kMostJsonDepth + 1, '[') + std::string(kMostJsonDepth + 1, ']') +
         R"(,"b":1})";
  CHECK(json_member(deep, "b").empty());
}
