#include "cli/attach/dotnet_settings.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace holdfast::cli {
namespace {

using Environment = std::vector<std::string>;

// The first of a name counts, as getenv() has it; what is set to nothing is not set.
std::optional<std::string> value_of(const Environment& environment, std::string_view name) {
  for (const std::string& word : environment) {
    const bool is_it =
        word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=';
    if (!is_it) continue;
    if (word.size() == name.size() + 1) return std::nullopt;
    return word.substr(name.size() + 1);
  }
  return std::nullopt;
}

struct Setting {
  std::string name;
  std::string value;
};

std::optional<Setting> runtime_setting(const Environment& environment, std::string_view name) {
  for (const std::string_view prefix : {"DOTNET_", "COMPlus_"}) {
    const std::string whole = std::string(prefix) + std::string(name);
    if (const auto value = value_of(environment, whole)) return Setting{whole, *value};
  }
  return std::nullopt;
}

// Empty where it is on, as it is by default.
std::string turned_off(const Environment& environment, std::string_view name) {
  constexpr int kHexadecimal = 16;
  const auto setting = runtime_setting(environment, name);
  const bool off = setting && std::strtoul(setting->value.c_str(), nullptr, kHexadecimal) == 0;
  return off ? setting->name + "=" + setting->value : std::string();
}

// .NET 11 takes DOTNET_ in place of CORECLR_ too.
std::optional<std::string> profiler_setting(const Environment& environment, std::string_view name) {
  for (const std::string_view prefix : {"DOTNET_", "CORECLR_"})
    if (auto value = value_of(environment, std::string(prefix) + std::string(name))) return value;
  return std::nullopt;
}

std::string started_profiler(const Environment& environment) {
  if (profiler_setting(environment, "ENABLE_PROFILING") != "1") return {};
  for (const std::string_view name : {"PROFILER_PATH_64", "PROFILER_PATH_ARM64", "PROFILER_PATH_32",
                                      "PROFILER_PATH_ARM32", "PROFILER_PATH"})
    if (const auto value = profiler_setting(environment, name)) return *value;
  return {};
}

}  // namespace

DotnetSettings parse_dotnet_settings(const Environment& environment) {
  DotnetSettings found;
  found.not_listening = turned_off(environment, "EnableDiagnostics");
  found.starts_profilers =
      found.not_listening.empty() && turned_off(environment, "EnableDiagnostics_Profiler").empty();
  if (found.not_listening.empty())
    found.not_listening = turned_off(environment, "EnableDiagnostics_IPC");
  found.profiler = started_profiler(environment);
  if (const auto directory = value_of(environment, "TMPDIR")) found.temporary = *directory;
  return found;
}

}  // namespace holdfast::cli
