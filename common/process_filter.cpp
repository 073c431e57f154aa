#include "common/process_filter.h"

#include <cstdio>

#include "platforms/process.h"

namespace holdfast {

bool process_wanted(std::string_view only, const char* executable,
                    const char* application) noexcept {
  while (!only.empty()) {
    const std::size_t plus = only.find('+');
    const std::string_view one = only.substr(0, plus);
    char pattern[kMaxOptionText];
    std::snprintf(pattern, sizeof pattern, "%.*s", static_cast<int>(one.size()), one.data());
    if (platforms::matches_pattern(pattern, executable) ||
        platforms::matches_pattern(pattern, application))
      return true;
    if (plus == std::string_view::npos) break;
    only.remove_prefix(plus + 1);
  }
  return false;
}

bool process_wanted(const Options& options, const char* application) noexcept {
  char executable[kMaxOptionText];
  platforms::executable_name(executable, sizeof executable);
  return process_wanted(options.only, executable, application);
}

}  // namespace holdfast
