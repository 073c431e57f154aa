#include "cli/manual/manual_page.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "cli/command_line.h"
#include "cli/text/golden_for_test.h"
#include "common/version.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string roff(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '-' ? "\\-" : std::string(1, c);
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

TEST_CASE("manual: every command has a page, and every option of the tables is in it") {
  const auto commands = command_texts();
  CHECK(commands.size() >= 16);
  for (const CommandText& command : commands) {
    const std::string page = manual_page(command, commands);
    CHECK(page.find(".SH NAME\n") != std::string::npos);
    CHECK(page.find(".SH SYNOPSIS\n") != std::string::npos);
    CHECK(page.find(".SH SEE ALSO\n") != std::string::npos);
    CHECK_MESSAGE(
        std::ranges::all_of(page, [](char c) { return c == '\n' || (c >= ' ' && c < 127); }),
        command.name);
    for (const auto& option : command.options)
      for (const std::string& name : option)
        CHECK_MESSAGE(page.find(roff(name)) != std::string::npos, command.name, " ", name);
  }
}

TEST_CASE("manual: nothing of the help is lost") {
  const auto commands = command_texts();
  for (const CommandText& command : commands) {
    std::string page = manual_page(command, commands);
    for (const std::string_view order : {"\\fB", "\\fI", "\\fR", "\\-"}) {
      for (std::size_t at = page.find(order); at != std::string::npos; at = page.find(order, at))
        page.replace(at, order.size(), order == "\\-" ? "-" : "");
    }
    std::ranges::transform(page, page.begin(), lower);  // names of sections are capitals
    const std::string help = command.help.substr(command.help.find('\n'));
    std::string word;
    for (const char c : help) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == ',';
      if (letter) {
        word += lower(c);
        continue;
      }
      if (word.size() > 6)
        CHECK_MESSAGE(page.find(word) != std::string::npos, command.name, " ", word);
      word.clear();
    }
  }
}

TEST_CASE("manual: shape of a page") {
  const CommandText command{
      "try",
      "Tries it, once.\n\nUsage: holdfast try FILE [options]\n\nFILE is a file.\n.hfr ends it.\n\n"
      "Options:\n  --json          for programs\n                  and scripts\n  -o FILE         "
      "where\n"
      "  --section NAMES only these\n  --long-one THING\n                  more\n\n"
      "Exit codes: 0 done.\n\nExamples:\n  holdfast try a\\b 'x'\n",
      {{"-o", "--output"}, {"--json"}, {"-q"}}};
  const std::string page = manual_page(command, {command});
  check_golden("manual_try",
               replaced(page, "holdfast " + std::string(kVersion), "holdfast VERSION"));
  CHECK(manual_file_name(command) == "holdfast-try.1");
  CHECK(manual_file_name({}) == "holdfast.1");
  CHECK(manual_page({}, {}).find(".SH NAME") != std::string::npos);
}
