#include "common/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast;

namespace {

std::string encode(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 63))};
  if (point < 0x10000)
    return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 63)), byte(0x80 | (point & 63))};
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 63)), byte(0x80 | (point >> 6 & 63)),
          byte(0x80 | (point & 63))};
}

}  // namespace

TEST_CASE("every code point is one step, surrogates and what lies beyond are none") {
  for (std::uint32_t point = 0; point < 0x200000; ++point) {
    const std::string text = encode(point);
    const bool allowed = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    if (utf8_step(text) != (allowed ? text.size() : 0)) FAIL_CHECK("code point " << point);
  }
}

TEST_CASE("cut, overlong and lone bytes are no steps") {
  CHECK(utf8_step("") == 0);
  for (const char* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF",
                          "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80", "\xFE", "\xFF", "\xC3",
                          "\xE2\x82", "\xF0\x9F\x90", "\xC3(", "\xE2(\xAC", "\xE2\x82("})
    CHECK(utf8_step(bad) == 0);
  CHECK(utf8_step("\xC3\xA4more") == 2);
  CHECK(utf8_step(kUtf8Replacement) == 3);
}
