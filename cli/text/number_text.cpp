#include "cli/text/number_text.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace holdfast::cli {
namespace {

constexpr double kUnitBytes = 1024.0;
constexpr double kRoundsToNextUnit = 999.95;
constexpr std::array<const char*, 6> kByteUnits = {"KB", "MB", "GB", "TB", "PB", "EB"};

std::string with_one_decimal(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %s", value, unit);
  return text;
}

std::string minutes_and_more(std::uint64_t seconds) {
  const std::uint64_t hours = seconds / 3600;
  const std::uint64_t minutes = seconds / 60 % 60;
  if (hours > 0) return thousands(hours) + " h " + std::to_string(minutes) + " min";
  return std::to_string(minutes) + " min " + std::to_string(seconds % 60) + " s";
}

struct CivilTime {
  int year;
  unsigned month, day;
  long long hour, minute, second, millisecond;
};

CivilTime civil(std::uint64_t utc_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> moment{milliseconds{static_cast<std::int64_t>(utc_ms)}};
  const auto day = floor<days>(moment);
  const year_month_day date{day};
  const hh_mm_ss time{moment - day};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          time.hours().count(),
          time.minutes().count(),
          time.seconds().count(),
          time.subseconds().count()};
}

}  // namespace

std::string thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / kUnitBytes;
  std::size_t unit = 0;
  while (value >= kRoundsToNextUnit && unit + 1 < kByteUnits.size()) {
    value /= kUnitBytes;
    ++unit;
  }
  return with_one_decimal(value, kByteUnits[unit]);
}

std::string human_duration(std::uint64_t duration_ns) {
  const auto ns = static_cast<double>(duration_ns);
  if (duration_ns == 0) return "0 ms";
  if (ns < kRoundsToNextUnit * 1e3) return with_one_decimal(ns / 1e3, "µs");
  if (ns < kRoundsToNextUnit * 1e6) return with_one_decimal(ns / 1e6, "ms");
  if (ns < 119.95e9) return with_one_decimal(ns / 1e9, "s");
  return minutes_and_more(duration_ns / 1'000'000'000 +
                          (duration_ns % 1'000'000'000 >= 500'000'000 ? 1 : 0));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && share < 0.05) return "<0.1 %";
  char text[32];
  std::snprintf(text, sizeof text, share < 9.95 && part > 0 ? "%.1f %%" : "%.0f %%", share);
  return text;
}

std::string utc_for_people(std::uint64_t utc_ms) {
  const CivilTime t = civil(utc_ms);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02lld:%02lld:%02lld UTC", t.year, t.month,
                t.day, t.hour, t.minute, t.second);
  return text;
}

std::string utc_for_programs(std::uint64_t utc_ms) {
  const CivilTime t = civil(utc_ms);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02lld:%02lld:%02lld.%03lldZ", t.year, t.month,
                t.day, t.hour, t.minute, t.second, t.millisecond);
  return text;
}

std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  std::string text = thousands(count) + ' ';
  if (count == 1) return text.append(singular);
  return plural.empty() ? text.append(singular).append("s") : text.append(plural);
}

}  // namespace holdfast::cli
