#include "cli/compare/sparkline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace holdfast::cli {
namespace {

constexpr std::size_t kLevels = 8;
constexpr std::string_view kBlocks[kLevels] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAscii[kLevels] = {"_", ".", ":", "-", "=", "+", "*", "#"};
constexpr double kLeastRange = 0.1;  // of the largest value

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The mean of those that are known; kUnknown where none is.
double mean(std::span<const std::optional<std::uint64_t>> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& value : values) {
    if (!value) continue;
    sum += static_cast<double>(*value);
    ++count;
  }
  return count == 0 ? kUnknown : sum / static_cast<double>(count);
}

}  // namespace

std::string sparkline(std::span<const std::optional<std::uint64_t>> values, std::size_t columns,
                      bool blocks) {
  const std::size_t width = std::min(values.size(), columns);
  std::vector<double> means;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t c = 0; c < width; ++c) {
    const std::size_t begin = values.size() * c / width;
    means.push_back(mean(values.subspan(begin, values.size() * (c + 1) / width - begin)));
    low = std::fmin(low, means.back());  // whoever is unknown changes neither
    high = std::fmax(high, means.back());
  }
  const double range = std::max({high - low, high * kLeastRange, 1.0});
  std::string line;
  const std::span<const std::string_view, kLevels> symbols(blocks ? kBlocks : kAscii);
  const auto symbol = [&](double value) {
    if (std::isnan(value)) return std::string_view(" ");
    const auto level = static_cast<std::size_t>((value - low) / range * (kLevels - 1) + 0.5);
    return symbols[std::min(level, kLevels - 1)];
  };
  for (const double value : means) line += symbol(value);
  return line;
}

}  // namespace holdfast::cli
