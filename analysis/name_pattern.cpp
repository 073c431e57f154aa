#include "analysis/name_pattern.h"

#include <algorithm>

#include "common/utf8.h"

namespace holdfast::analysis {

namespace {

// Bytes that one '?' stands for; a byte that is not valid UTF-8 stands alone.
std::size_t step(std::string_view name, std::size_t at) noexcept {
  return std::max<std::size_t>(utf8_step(name.substr(at)), 1);
}

}  // namespace

bool name_matches(std::string_view pattern, std::string_view name) noexcept {
  constexpr std::size_t kNoStar = std::string_view::npos;
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = kNoStar;  // place of the last '*' that was met
  std::size_t star_until = 0;  // what it stands for ends here
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_until = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      n += step(name, n);
      ++p;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNoStar) {
      p = star + 1;
      star_until += step(name, star_until);  // whole code points, so that '?' after it meets one
      n = star_until;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool name_matches_any(std::span<const std::string_view> patterns, std::string_view name) noexcept {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return name_matches(pattern, name); });
}

}  // namespace holdfast::analysis
