#include "clrprofiler/names/platform_module.h"

#include <algorithm>

namespace holdfast::clr {

namespace {

char folded(char c) noexcept {
  if (c == '\\') return '/';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Paths of Windows compare without case; those of others are told apart by more than case in practice.
bool same_text(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded(x) == folded(y); });
}
bool begins_with(std::string_view text, std::string_view front) noexcept {
  return text.size() >= front.size() && same_text(text.substr(0, front.size()), front);
}

// With the separator at its end; "" for a bare name.
std::string_view folder_of(std::string_view path) noexcept {
  const std::size_t mark = path.find_last_of("/\\");
  return mark == std::string_view::npos ? std::string_view{} : path.substr(0, mark + 1);
}
std::string_view parent_of(std::string_view folder) noexcept {
  if (!folder.empty()) folder.remove_suffix(1);
  return folder_of(folder);
}

bool has_platform_name(std::string_view name) noexcept {
  constexpr std::string_view kNames[] = {"System",      "mscorlib",      "netstandard",
                                         "WindowsBase", "Accessibility", "PresentationCore"};
  if (name.starts_with("System.") || name.starts_with("Microsoft.")) return true;
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Of .NET Framework: C:\Windows\Microsoft.NET\Framework64\v4.0.30319\mscorlib.dll beside C:\Windows\Microsoft.NET\assembly\….
bool in_assembly_cache(std::string_view core_folder, std::string_view path) noexcept {
  const std::string_view framework = parent_of(parent_of(core_folder));
  constexpr std::string_view kFramework = "/microsoft.net/";
  constexpr std::string_view kCache = "assembly/";
  if (framework.size() < kFramework.size() ||
      !same_text(framework.substr(framework.size() - kFramework.size()), kFramework))
    return false;
  for (const std::string_view root : {framework, parent_of(framework)})
    if (begins_with(path, root) && begins_with(path.substr(root.size()), kCache)) return true;
  return false;
}

}  // namespace

bool is_core_library(std::string_view assembly_name) noexcept {
  return assembly_name == "System.Private.CoreLib" || assembly_name == "mscorlib";
}

bool is_platform_module(std::string_view core_path, std::string_view path,
                        std::string_view assembly_name) noexcept {
  const std::string_view core_folder = folder_of(core_path);
  const std::string_view shared = parent_of(parent_of(core_folder));
  constexpr std::string_view kShared = "/shared/";
  if (shared.size() >= kShared.size() &&
      same_text(shared.substr(shared.size() - kShared.size()), kShared))
    return begins_with(path, shared) && begins_with(path.substr(shared.size()), "Microsoft.");
  if (!has_platform_name(assembly_name)) return false;
  return same_text(folder_of(path), core_folder) || in_assembly_cache(core_folder, path);
}

}  // namespace holdfast::clr
