#include "cli/text/number_text.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("numbers: thousands separators") {
  CHECK(thousands(0) == "0");
  CHECK(thousands(999) == "999");
  CHECK(thousands(4812) == "4,812");
  CHECK(thousands(1'000'000) == "1,000,000");
  CHECK(thousands(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("numbers: bytes in units of 1024, never four digits before the point") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1.0 KB");
  CHECK(human_bytes(1024) == "1.0 KB");
  CHECK(human_bytes(1023 * 1024) == "1.0 MB");
  CHECK(human_bytes(64'277'709) == "61.3 MB");
  CHECK(human_bytes(std::uint64_t{5} << 32) == "20.0 GB");
  CHECK(human_bytes(UINT64_MAX) == "16.0 EB");
}

TEST_CASE("numbers: durations") {
  CHECK(human_duration(0) == "0 ms");
  CHECK(human_duration(1500) == "1.5 µs");
  CHECK(human_duration(24'300'000) == "24.3 ms");
  CHECK(human_duration(999'960'000) == "1.0 s");
  CHECK(human_duration(119'000'000'000) == "119.0 s");
  CHECK(human_duration(125'000'000'000) == "2 min 5 s");
  CHECK(human_duration(3'720'000'000'000) == "1 h 2 min");
  CHECK(human_duration(UINT64_MAX) == "5,124,095 h 34 min");
}

TEST_CASE("numbers: shares") {
  CHECK(percent(1, 0) == "-");
  CHECK(percent(0, 10) == "0 %");
  CHECK(percent(72, 100) == "72 %");
  CHECK(percent(72, 1000) == "7.2 %");
  CHECK(percent(1, 100'000) == "<0.1 %");
  CHECK(percent(UINT64_MAX, UINT64_MAX) == "100 %");
}

TEST_CASE("numbers: times and counts") {
  CHECK(utc_for_people(1'795'249'412'004) == "2026-11-21 08:23:32 UTC");
  CHECK(utc_for_programs(1'795'249'412'004) == "2026-11-21T08:23:32.004Z");
  CHECK(counted(1, "class", "classes") == "1 class");
  CHECK(counted(2000, "class", "classes") == "2,000 classes");
  CHECK(counted(0, "object") == "0 objects");
}
