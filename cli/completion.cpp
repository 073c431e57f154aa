#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "common/control/run_time_options.h"
#include "common/options.h"

namespace holdfast::cli {
namespace {

// What may stand in a place, as the script's first letter of it; words follow a 'w' and keys a 'k'.
constexpr const char* kProcess = "p";
constexpr const char* kFile = "f";
constexpr const char* kDirectory = "d";
constexpr const char* kAnything = "n";  // nobody can guess it

constexpr std::string_view kRunningKeys = "OPTION";  // of set

struct Place {
  std::string_view name;
  const char* what;
};
constexpr std::array<Place, 15> kPlaces = {{{"PID", kProcess},
                                            {"FILE", kFile},
                                            {"A", kFile},
                                            {"REPORTS", kFile},
                                            {"B", kFile},
                                            {"--output", kFile},
                                            {"--snapshot", kFile},
                                            {"--objects", kFile},
                                            {"--library", kFile},
                                            {"--baseline", kFile},
                                            {"--junit", kFile},
                                            {"--html", kFile},
                                            {"--dir", kDirectory},
                                            {kRunningKeys, "k"},
                                            {"--options", "k"}}};

constexpr const char* kHead =
    R"(# Completion of 'holdfast' for bash and zsh, made by 'holdfast completion'.
# bash: source <(holdfast completion bash)    zsh: source <(holdfast completion zsh)
)";

constexpr const char* kZshHead =
    R"((( $+functions[compdef] )) || { autoload -U +X compinit && compinit -i }
autoload -U +X bashcompinit && bashcompinit
)";

// Words of the line before the current one that are neither options nor their values are places taken.
constexpr const char* kBody = R"sh(
_holdfast_processes() {
  local pid rest
  "${COMP_WORDS[0]}" ps 2>/dev/null | while read -r pid rest; do
    case "$pid" in [0-9]*) printf '%s\n' "$pid" ;; esac
  done
}

_holdfast_offer() {
  local IFS=$' \t\n'
  case "$1" in
    w*) COMPREPLY=($(compgen -W "${1#w}" -- "$2")) ;;
    p) COMPREPLY=($(compgen -W "$(_holdfast_processes)" -- "$2")) ;;
    k*)
      COMPREPLY=($(compgen -W "${1#k}" -- "$2"))
      type compopt >/dev/null 2>&1 && compopt -o nospace ;;
    f | d)
      IFS=$'\n'
      COMPREPLY=($(compgen -"$1" -- "$2"))
      type compopt >/dev/null 2>&1 && compopt -o filenames ;;
  esac
  return 0
}

_holdfast() {
  local command="${COMP_WORDS[1]}" current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local index=2 place=1 word
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _holdfast_offer "w$(_holdfast_options '')" "$current"
    return 0
  fi
  word="$(_holdfast_value "$command" "$previous")"
  if [ -n "$word" ]; then
    _holdfast_offer "$word" "$current"
    return 0
  fi
  case "$current" in
    -*)
      _holdfast_offer "w$(_holdfast_options "$command")" "$current"
      return 0 ;;
  esac
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="${COMP_WORDS[index]}"
    case "$word" in
      -*) [ -n "$(_holdfast_value "$command" "$word")" ] && index=$((index + 1)) ;;
      *) place=$((place + 1)) ;;
    esac
    index=$((index + 1))
  done
  _holdfast_offer "$(_holdfast_place "$command" "$place")" "$current"
}

complete -F _holdfast holdfast
)sh";

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// Of a running agent, those that it can change.
std::string keys(bool running) {
  std::string text = "k";
  for (const OptionRow& row : option_table())
    if (!running || control::changes_at_run_time(row.key)) text += " " + std::string(row.key) + "=";
  return text;
}

// CLI11 writes the words that an option takes into its type: "TEXT:{auto,always,never}".
std::string words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string words = type.substr(open + 1, close - open - 1);
  std::ranges::replace(words, ',', ' ');
  return "w" + words;
}

// What may stand behind an option, or in a place; empty for a flag.
std::string what_of(const CLI::Option& option, const std::string& name) {
  if (!option.get_positional() && option.get_items_expected_max() == 0) return {};
  if (std::string words = words_of(option); !words.empty()) return words;
  const auto* const place =
      std::ranges::find_if(kPlaces, [&](const Place& known) { return known.name == name; });
  if (place == kPlaces.end()) return kAnything;
  return place->what == std::string_view("k") ? keys(name == kRunningKeys) : place->what;
}

struct Cases {
  std::string options, values, places;
};

std::string quoted_case(const std::string& pattern, const std::string& text) {
  return "    '" + pattern + "') echo '" + text + "' ;;\n";
}

void add_option_cases(const std::string& command, const CLI::Option& option, Cases& cases,
                      std::string& shown) {
  const auto names = names_of(option);
  const std::string what = what_of(option, names.front());
  for (const std::string& name : names) {
    shown += (shown.empty() ? "" : " ") + name;
    if (!what.empty()) cases.values += quoted_case(command + " " + name, what);
  }
}

void add_command_cases(const CLI::App& app, const std::string& command, Cases& cases) {
  std::string shown;
  int place = 0;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      cases.places += quoted_case(command + " " + std::to_string(++place),
                                  what_of(*option, option->get_name(true)));
    else
      add_option_cases(command, *option, cases, shown);
  }
  cases.options += quoted_case(command, shown);
}

std::string case_function(const std::string& name, const std::string& word,
                          const std::string& cases) {
  return "\n" + name + "() {\n  case \"" + word + "\" in\n" + cases + "  esac\n}\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  Cases cases;
  std::string commands = "--help --version";
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* command : app.get_subcommands(all)) {
    commands += " " + command->get_name();
    add_command_cases(*command, command->get_name(), cases);
  }
  cases.options += quoted_case("", commands);
  return kHead + std::string(shell == "zsh" ? kZshHead : "") +
         case_function("_holdfast_options", "$1", cases.options) +
         case_function("_holdfast_value", "$1 $2", cases.values) +
         case_function("_holdfast_place", "$1 $2", cases.places) + kBody;
}

}  // namespace holdfast::cli
