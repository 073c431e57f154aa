#include "platforms/linux/text_lines.h"

#include <doctest/doctest.h>
#include <errno.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

namespace {

std::vector<std::string> lines_of(const std::string& text, std::size_t most = 1000) {
  const ScratchDirectory scratch;
  scratch.write("a", text);
  std::vector<std::string> lines;
  for_each_line(scratch.file("a").c_str(), [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() < most;
  });
  return lines;
}

}  // namespace

TEST_CASE("lines, with or without an end, empty ones too") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("a") == std::vector<std::string>{"a"});
  CHECK(lines_of("a\n\nb\n") == std::vector<std::string>{"a", "", "b"});
  CHECK(lines_of("a\nb\nc\n", 2) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a line of any length around the buffer's is cut once, and the next is whole") {
  for (const std::size_t extra : {0u, 1u, 2u, 3u, 8192u, 8193u, 20000u}) {
    const std::size_t length = kMaxLineBytes - 2 + extra;
    const auto lines = lines_of("first\n" + std::string(length, 'x') + "\nlast\n");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "first");
    CHECK(lines[1] == std::string(std::min(length, kMaxLineBytes), 'x'));
    CHECK(lines[2] == "last");
  }
}

TEST_CASE("no file, no lines; fields by number") {
  int lines = 0;
  const auto count = [&](std::string_view) { return ++lines < 10; };
  CHECK(for_each_line("/nonexistent", count) == ENOENT);
  CHECK(for_each_line("/proc/self", count) == EISDIR);
  CHECK(lines == 0);
  CHECK(for_each_line("/proc/self/maps", count) == 0);
  CHECK(lines == 10);
  CHECK(field_of("a bc d", 0) == "a");
  CHECK(field_of("a bc d", 1) == "bc");
  CHECK(field_of("a bc d", 2) == "d");
  CHECK(field_of("a bc d", 3).empty());
}
