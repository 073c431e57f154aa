#include "cli/text/unknown_word.h"

#include <array>
#include <cstdint>
#include <string>

namespace holdfast::cli {

std::string_view unknown_word(std::size_t value) {
  static const auto kTexts = [] {
    std::array<std::string, std::size_t{UINT8_MAX} + 1> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = "unknown (" + std::to_string(i) + ')';
    return texts;
  }();
  return value < kTexts.size() ? std::string_view(kTexts[value]) : "unknown";
}

}  // namespace holdfast::cli
