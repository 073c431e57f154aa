#include "cli/demo/page_opener.h"

#include <sstream>
#include <string_view>

#include "platforms/own_program.h"
#include "platforms/process.h"

namespace holdfast::cli {
namespace {

std::string environment_text(const char* name) {
  const char* value = platforms::environment_value(name);
  return value == nullptr ? "" : value;
}

std::string found_in(const std::string& path, const std::string& program) {
  if (program.find('/') != std::string::npos)
    return platforms::program_can_run(program.c_str()) ? program : "";
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = folder + "/" + program;
    if (!folder.empty() && platforms::program_can_run(file.c_str())) return file;
  }
  return {};
}

}  // namespace

Screen screen_here() {
  const bool there =
      !environment_text("DISPLAY").empty() || !environment_text("WAYLAND_DISPLAY").empty();
  return {there, environment_text("BROWSER"), environment_text("PATH")};
}

std::string browser_of(const Screen& screen) {
  if (!screen.there) return {};
  if (std::string opener = found_in(screen.path, "xdg-open"); !opener.empty()) return opener;
  std::istringstream choices(screen.browser);
  for (std::string choice; std::getline(choices, choice, ':');) {
    if (choice.find_first_of(" %") != std::string::npos) continue;  // a command line, no program
    if (std::string opener = found_in(screen.path, choice); !opener.empty()) return opener;
  }
  return {};
}

bool open_in_browser(const Screen& screen, const std::string& file) {
  const std::string browser = browser_of(screen);
  const char* const words[] = {browser.c_str(), file.c_str(), nullptr};
  return !browser.empty() && platforms::start_and_leave(words) == 0;
}

std::string file_url(const std::string& absolute_path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "/-._~";
  std::string url = "file://";
  for (const char c : absolute_path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || kPlain.find(c) != kPlain.npos;
    if (plain)
      url += c;
    else
      url.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return url;
}

}  // namespace holdfast::cli
