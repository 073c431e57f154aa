#include "cli/attach/diagnostics_name.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::string_view kPrefix = "dotnet-diagnostic-", kSuffix = "-socket";

std::string beginning(std::uint32_t inner_pid) {
  return std::string(kPrefix) + std::to_string(inner_pid) + '-';
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

}  // namespace

std::string diagnostics_name(const platforms::OtherProcess& process) {
  return beginning(process.inner_pid) + std::to_string(process.started_ticks) +
         std::string(kSuffix);
}

bool is_diagnostics_name(std::string_view name, std::uint32_t inner_pid) {
  const std::string before = beginning(inner_pid);
  if (!name.starts_with(before) || !name.ends_with(kSuffix)) return false;
  name.remove_prefix(before.size());
  return name.size() > kSuffix.size() && all_digits(name.substr(0, name.size() - kSuffix.size()));
}

}  // namespace holdfast::cli
