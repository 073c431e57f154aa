#include "cli/text/json_text.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

TEST_CASE("json text: what a terminal would obey is escaped, and is the same text to a program") {
  const std::string name = "a\x1b[2J\x7f\u009b2J\u202e\u2066\u200b\ufeff\U000e0001\n\"\\b";
  const std::string text = json_text({{name, name}}, -1);
  CHECK(
      text.starts_with("{\"a\\u001b[2J\\u007f\\u009b2J\\u202e\\u2066\\u200b\\ufeff"
                       "\\udb40\\udc01\\n\\\"\\\\b\":"));
  for (const char c : text) CHECK((c >= ' ' && c < '\x7f'));
  CHECK(Json::parse(text)[name] == name);
}

TEST_CASE("json text: other writing stays as it is, lines and their indent too") {
  const Json document{{"name", "caf\u00e9 \u65e5\u672c \U0001f600"},
                      {"list", {1, 2.5, nullptr, true}}};
  CHECK(json_text(document) == document.dump(1));
  CHECK(json_text(document, -1) == document.dump());
}

TEST_CASE("json text: invalid UTF-8 becomes valid") {
  CHECK(json_text({{"a", "x\xff\xc2"}}, -1) == "{\"a\":\"x\uFFFD\uFFFD\"}");
}
