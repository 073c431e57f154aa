#include "cli/compare/sparkline.h"

#include <algorithm>
#include <vector>

namespace holdfast::cli {
namespace {

constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAscii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
constexpr std::size_t kLevels = 8;
constexpr double kLeastRange = 0.1;  // of the largest value

// The mean of those that are known; absent where none is.
std::optional<double> mean(std::span<const std::optional<std::uint64_t>> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& value : values) {
    if (!value) continue;
    sum += static_cast<double>(*value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

std::string sparkline(std::span<const std::optional<std::uint64_t>> values, std::size_t columns,
                      bool blocks) {
  const std::size_t width = std::min(values.size(), columns);
  std::vector<std::optional<double>> means;
  double low = 0, high = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const std::size_t begin = values.size() * c / width;
    means.push_back(mean(values.subspan(begin, values.size() * (c + 1) / width - begin)));
    if (!means.back()) continue;
    const bool first =
        std::ranges::count_if(means, [](const auto& m) { return m.has_value(); }) == 1;
    low = first ? *means.back() : std::min(low, *means.back());
    high = first ? *means.back() : std::max(high, *means.back());
  }
  const double range = std::max({high - low, high * kLeastRange, 1.0});
  std::string line;
  for (const auto& value : means) {
    if (!value) {
      line += ' ';
      continue;
    }
    const auto level = static_cast<std::size_t>((*value - low) / range * (kLevels - 1) + 0.5);
    line += (blocks ? kBlocks : kAscii)[std::min(level, kLevels - 1)];
  }
  return line;
}

}  // namespace holdfast::cli
