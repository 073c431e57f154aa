#include "cli/attach/java_command_line.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace holdfast::cli {
namespace {

// The launcher's options whose value is the next word.
constexpr std::array<std::string_view, 17> kTakesNextWord = {"-cp",
                                                             "-classpath",
                                                             "--class-path",
                                                             "-p",
                                                             "--module-path",
                                                             "--upgrade-module-path",
                                                             "--add-modules",
                                                             "--limit-modules",
                                                             "--add-reads",
                                                             "--add-exports",
                                                             "--add-opens",
                                                             "--patch-module",
                                                             "--enable-native-access",
                                                             "--source",
                                                             "-d",
                                                             "--describe-module",
                                                             "--illegal-native-access"};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The dynamic loader's, when it was called by name.
constexpr std::array<std::string_view, 6> kLoaderTakesNextWord = {
    "--library-path", "--argv0",         "--preload",
    "--audit",        "--inhibit-rpath", "--glibc-hwcaps-prepend"};

bool is_loader(std::string_view name) {
  return name == "ld.so" || name.starts_with("ld-linux") || name.starts_with("ld-musl") ||
         name.starts_with("ld64");
}

// A loader that was called by name stands before the program: "ld-linux-x86-64.so.2 --library-path /lib java".
std::size_t program_index(const std::vector<std::string>& words) {
  if (words.empty() || !is_loader(base_name(words.front()))) return 0;
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with("--")) {
    const bool takes_next =
        std::ranges::find(kLoaderTakesNextWord, words[at]) != kLoaderTakesNextWord.end();
    at += takes_next ? 2 : 1;
  }
  return at < words.size() ? at : 0;
}

std::string word_at(const std::vector<std::string>& words, std::size_t index) {
  return index < words.size() ? words[index] : std::string();
}

std::string value_after(std::string_view word, std::string_view name) {
  return word.starts_with(name) ? std::string(word.substr(name.size())) : std::string();
}

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

void add_words(std::vector<std::string>& to, const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) to.push_back(word);
}

}  // namespace

std::vector<std::string> words_between_zeros(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('\0'));
    words.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

JavaCommandLine parse_java_command_line(const std::vector<std::string>& words) {
  JavaCommandLine found;
  const std::size_t program = program_index(words);
  if (words.empty()) return found;
  if (base_name(words[program]) != "java") {
    found.kind = MainKind::kProgram;
    found.main = base_name(words[program]);
    found.options.assign(words.begin() + static_cast<std::ptrdiff_t>(program) + 1, words.end());
    return found;
  }
  for (std::size_t i = program + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-jar") return {MainKind::kJar, word_at(words, i + 1), found.options};
    if (word == "-m" || word == "--module")
      return {MainKind::kModule, word_at(words, i + 1), found.options};
    if (word.starts_with("--module="))
      return {MainKind::kModule, value_after(word, "--module="), found.options};
    const bool is_option = word.starts_with('-') || word.starts_with('@');
    if (!is_option) return {MainKind::kClass, word, found.options};
    found.options.push_back(word);
    if (std::ranges::find(kTakesNextWord, word) != kTakesNextWord.end())
      found.options.push_back(word_at(words, ++i));
  }
  return found;
}

JavaCommandLine parse_dotnet_command_line(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const bool by_launcher = base_name(words.front()) == "dotnet";
  const auto assembly =
      std::ranges::find_if(words, [](const std::string& word) { return word.ends_with(".dll"); });
  if (by_launcher && assembly != words.end()) return {MainKind::kAssembly, *assembly, {}};
  return {MainKind::kProgram, std::string(base_name(words.front())), {}};
}

std::string short_main(const JavaCommandLine& command_line) {
  const bool is_file =
      command_line.kind == MainKind::kJar || command_line.kind == MainKind::kAssembly;
  return is_file ? std::string(base_name(command_line.main)) : command_line.main;
}

std::vector<std::string> effective_options(const JavaCommandLine& command_line,
                                           const std::vector<std::string>& environment) {
  std::vector<std::string> options;
  add_words(options, variable(environment, "JAVA_TOOL_OPTIONS"));
  add_words(options, variable(environment, "JDK_JAVA_OPTIONS"));
  options.insert(options.end(), command_line.options.begin(), command_line.options.end());
  add_words(options, variable(environment, "_JAVA_OPTIONS"));
  return options;
}

bool names_option_file(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with('@') || option.starts_with("-XX:Flags=") ||
           option.starts_with("-XX:VMOptionsFile=");
  });
}

bool flag_is_on(const std::vector<std::string>& options, std::string_view name, bool by_default) {
  const std::string on = "-XX:+" + std::string(name);
  const std::string off = "-XX:-" + std::string(name);
  bool value = by_default;
  for (const std::string& option : options) {
    if (option == on) value = true;
    if (option == off) value = false;
  }
  return value;
}

bool has_option(const std::vector<std::string>& options, std::string_view option) {
  return std::ranges::find(options, option) != options.end();
}

bool reduces_signals(const std::vector<std::string>& options) {
  return has_option(options, "-Xrs") || flag_is_on(options, "ReduceSignalUsage", false);
}

}  // namespace holdfast::cli
