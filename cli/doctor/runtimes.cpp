#include "cli/doctor/runtimes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platforms/own_program.h"
#include "platforms/process.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

std::string environment_text(const char* name) {
  const char* value = platforms::environment_value(name);
  return value == nullptr ? "" : value;
}

std::string whole_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> words_between(std::string_view text, char mark) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (std::error_code ignored; at->is_directory(ignored)) found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

// A JRE inside a JDK of 8 has its `release` one folder further up.
std::string release_of(const fs::path& home) {
  const std::string own = whole_file(home / "release");
  return own.empty() && home.filename() == "jre" ? whole_file(home.parent_path() / "release") : own;
}

fs::path java_launcher(const fs::path& home) { return home / "bin" / "java"; }

// Without links; empty where it is no program of that name that we may run.
fs::path java_program(const fs::path& launcher) {
  std::error_code error;
  const fs::path program = fs::canonical(launcher, error);
  const bool runs = !error && program.filename() == "java" &&
                    platforms::program_can_run(program.string().c_str());
  return runs ? program : fs::path();
}

void add_java(const fs::path& launcher, std::vector<Runtime>& to) {
  std::error_code error;
  const fs::path program = java_program(launcher);
  if (program.empty()) return;
  Runtime found;
  found.program = program.string();
  const fs::path home = program.parent_path().parent_path();
  found.home = home.string();
  const auto is_it = [&](const Runtime& other) { return other.program == found.program; };
  if (std::ranges::any_of(to, is_it)) return;
  const std::string release = release_of(home);
  found.version = release_value(release, "JAVA_VERSION");
  found.major = major_version(found.version);
  found.openj9 = fs::exists(home / "lib" / "default" / "libj9vm29.so", error) ||
                 release_value(release, "JVM_VARIANT") == "Openj9";
  to.push_back(std::move(found));
}

void add_dotnet(const fs::path& folder, std::vector<Runtime>& to) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return;
  for (const fs::path& version : folders_in(root / "shared" / "Microsoft.NETCore.App")) {
    Runtime found;
    found.home = version.string();
    found.version = version.filename().string();
    found.major = major_version(found.version);
    const auto is_it = [&](const Runtime& other) { return other.home == found.home; };
    if (found.major != 0 && std::ranges::none_of(to, is_it)) to.push_back(std::move(found));
  }
}

}  // namespace

RuntimePlaces runtime_places_here() {
  RuntimePlaces places;
  places.java_home = environment_text("JAVA_HOME");
  places.path = environment_text("PATH");
  places.dotnet_root = environment_text("DOTNET_ROOT");
  places.user_home = environment_text("HOME");
  return places;
}

std::vector<Runtime> find_java_runtimes(const RuntimePlaces& places) {
  std::vector<Runtime> found;
  if (!places.java_home.empty()) add_java(java_launcher(places.java_home), found);
  for (const std::string& folder : words_between(places.path, ':'))
    add_java(fs::path(folder) / "java", found);
  for (const fs::path& home : folders_in(places.jvm_folder)) add_java(java_launcher(home), found);
  return found;
}

std::string java_home_trouble(const RuntimePlaces& places) {
  if (places.java_home.empty() || !java_program(java_launcher(places.java_home)).empty()) return {};
  return "JAVA_HOME=" + places.java_home + " has no bin/java that can be run; it is passed over";
}

std::vector<Runtime> find_dotnet_runtimes(const RuntimePlaces& places) {
  std::vector<Runtime> found;
  if (!places.dotnet_root.empty()) add_dotnet(places.dotnet_root, found);
  for (const std::string& folder : words_between(places.path, ':')) {
    std::error_code error;
    const fs::path program = fs::canonical(fs::path(folder) / "dotnet", error);
    if (!error) add_dotnet(program.parent_path(), found);
  }
  for (const std::string& folder : places.dotnet_folders) add_dotnet(folder, found);
  if (!places.user_home.empty()) add_dotnet(fs::path(places.user_home) / ".dotnet", found);
  return found;
}

std::string release_value(std::string_view release, std::string_view name) {
  for (const std::string& line : words_between(release, '\n')) {
    std::string_view rest(line);
    if (!rest.starts_with(name) || rest.substr(name.size(), 2) != "=\"") continue;
    rest.remove_prefix(name.size() + 2);
    return std::string(rest.substr(0, rest.find('"')));
  }
  return {};
}

unsigned major_version(std::string_view version) {
  if (version.starts_with("1.")) version.remove_prefix(2);
  unsigned major = 0;
  const auto read = std::from_chars(version.data(), version.data() + version.size(), major);
  return read.ec == std::errc{} ? major : 0;
}

}  // namespace holdfast::cli
