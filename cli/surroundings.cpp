#include "cli/surroundings.h"

#include <algorithm>
#include <charconv>

namespace holdfast::cli {
namespace {

std::size_t parsed(const std::string& text) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end ? value : 0;
}

}  // namespace

std::size_t choose_columns(std::size_t asked, const Surroundings& surroundings) {
  if (asked > 0) return asked;
  std::size_t columns = parsed(surroundings.columns_variable);
  if (columns == 0 && surroundings.out_is_terminal) columns = surroundings.terminal_columns;
  return columns == 0 ? kDefaultColumns : std::clamp(columns, kLeastColumns, kMostColumns);
}

bool locale_is_utf8(const std::string& lc_all, const std::string& lc_ctype,
                    const std::string& lang) {
  std::string locale = !lc_all.empty() ? lc_all : !lc_ctype.empty() ? lc_ctype : lang;
  std::ranges::transform(locale, locale.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return locale.empty() || locale.find("utf-8") != std::string::npos ||
         locale.find("utf8") != std::string::npos;
}

bool choose_colour(ColourChoice asked, const Surroundings& surroundings) {
  if (asked != ColourChoice::kAuto) return asked == ColourChoice::kAlways;
  return surroundings.out_is_terminal && !surroundings.no_color && !surroundings.dumb_terminal;
}

}  // namespace holdfast::cli
