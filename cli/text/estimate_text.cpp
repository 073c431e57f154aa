#include "cli/text/estimate_text.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr double kTwoDigits = 0.05, kOneDigit = 0.5;  // errors from which on so many are left
constexpr double kEstimateUnitBytes = 1024.0;
constexpr std::array<const char*, 7> kEstimateUnits = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};

double share_of(std::uint64_t error, std::uint64_t value) {
  return value == 0 ? 0 : static_cast<double>(error) / static_cast<double>(value);
}

// `value` with so many digits that count; the others are 0.
double rounded(double value, int digits) {
  if (value <= 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(value)) + 1 - digits);
  return std::round(value / step) * step;
}

int digits_left(double share) { return share < kOneDigit ? 2 : 1; }

std::string bytes_in_digits(std::uint64_t bytes, int digits) {
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; rounded(value, digits) >= 1000 && unit + 1 < kEstimateUnits.size(); ++unit)
    value /= kEstimateUnitBytes;
  value = rounded(value, digits);
  const bool whole = unit == 0 || value >= 10 || digits == 1;
  char text[64];
  std::snprintf(text, sizeof text, whole && value >= 1 ? "%.0f %s" : "%.1f %s", value,
                kEstimateUnits[unit]);
  return text;
}

std::string error_text(double share) {
  if (share < 0.01) return " ±<1 %";
  if (share > 1) return " ±>100 %";
  return " ±" + std::to_string(static_cast<int>(std::round(100 * share))) + " %";
}

}  // namespace

std::string estimated_bytes(std::uint64_t bytes, std::uint64_t standard_error) {
  const double share = share_of(standard_error, bytes);
  return rounded_bytes(bytes, standard_error) + (share == 0 ? "" : error_text(share));
}

std::string rounded_bytes(std::uint64_t bytes, std::uint64_t standard_error) {
  const double share = share_of(standard_error, bytes);
  return share < kTwoDigits ? human_bytes(bytes) : bytes_in_digits(bytes, digits_left(share));
}

std::string estimated_count(std::uint64_t count, std::uint64_t standard_error) {
  const double share = share_of(standard_error, count);
  if (share == 0) return thousands(count);
  const double value = static_cast<double>(count);
  const double shown = rounded(value, share < kTwoDigits ? 3 : digits_left(share));
  return thousands(static_cast<std::uint64_t>(shown)) + error_text(share);
}

}  // namespace holdfast::cli
