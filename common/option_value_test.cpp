#include "common/option_value.h"

#include <doctest/doctest.h>

using namespace holdfast;

namespace {

using Reader = bool (*)(std::string_view, std::uint64_t&) noexcept;
constexpr std::uint64_t kUntouched = 4711;

bool reads(Reader reader, std::string_view text, std::uint64_t wanted) {
  std::uint64_t value = kUntouched;
  return reader(text, value) && value == wanted;
}
bool refuses(Reader reader, std::string_view text) {
  std::uint64_t value = kUntouched;
  return !reader(text, value) && value == kUntouched;
}

}  // namespace

TEST_CASE("counts") {
  CHECK(reads(&read_count, "0", 0));
  CHECK(reads(&read_count, "0020", 20));
  CHECK(reads(&read_count, "18446744073709551615", UINT64_MAX));
  for (const char* bad : {"", "18446744073709551616", "99999999999999999999", "-1", "+1", " 1",
                          "1 ", "1k", "0x10", "1.5"})
    CHECK(refuses(&read_count, bad));
}

TEST_CASE("sizes, in powers of 1024") {
  CHECK(reads(&read_size, "64k", 64u << 10));
  CHECK(reads(&read_size, "64K", 64u << 10));
  CHECK(reads(&read_size, "512m", 512u << 20));
  CHECK(reads(&read_size, "2g", std::uint64_t{2} << 30));
  CHECK(reads(&read_size, "100", 100));
  CHECK(reads(&read_size, "17179869183g", std::uint64_t{17179869183u} << 30));
  for (const char* bad :
       {"", "m", "1t", "1mb", "17179869184g", "18446744073709551615k", "-1m", "1 m", "1,m"})
    CHECK(refuses(&read_size, bad));
}

TEST_CASE("times; a bare 0 needs no unit, other numbers do") {
  CHECK(reads(&read_time, "0", 0));
  CHECK(reads(&read_time, "500ms", 500'000'000));
  CHECK(reads(&read_time, "1s", 1'000'000'000));
  CHECK(reads(&read_time, "5M", 300'000'000'000));
  CHECK(reads(&read_time, "2h", 7'200'000'000'000));
  for (const char* bad : {"", "s", "5", "1us", "1d", "soon", "99999999999h", "1m30s"})
    CHECK(refuses(&read_time, bad));
}

TEST_CASE("shares") {
  CHECK(reads(&read_share, "85%", 85));
  CHECK(reads(&read_share, "1%", 1));
  CHECK(reads(&read_share, "100%", 100));
  for (const char* bad : {"", "%", "0%", "101%", "85", "8 5%", "85%%", "-1%"})
    CHECK(refuses(&read_share, bad));
}
