// What a Java launcher's command line says: which program, and which options its VM got.
// Why: people know their processes by main class or jar; and some options forbid what the attach protocol does, or make its signal deadly.
// Shape:  words as the process was given them; parses, never opens a file: what stands in an @file is not seen.
// Zone:   offline.   Errors: none; what is not understood has an empty `main`.
// Source: java(1), of JDK 8 to 25.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// The texts between zeros.
std::vector<std::string> words_between_zeros(std::string_view text);

enum class MainKind : std::uint8_t {
  kUnknown,
  kClass,
  kJar,
  kModule,
  kAssembly,
  kProgram,  // not the launcher `java`: a tool, or a program with a VM inside
};

struct JavaCommandLine {
  MainKind kind = MainKind::kUnknown;
  std::string main;                  // as it was given
  std::vector<std::string> options;  // of the VM, without the program's own arguments
};
JavaCommandLine parse_java_command_line(const std::vector<std::string>& words);
// `dotnet app.dll`, or a program with the runtime inside: only its main.
JavaCommandLine parse_dotnet_command_line(const std::vector<std::string>& words);

// The same in few columns: a jar's name without its directory.
std::string short_main(const JavaCommandLine& command_line);

// The VM's options in the order in which it obeys them: those of the environment (NAME=VALUE words) around the command line's.
std::vector<std::string> effective_options(const JavaCommandLine& command_line,
                                           const std::vector<std::string>& environment);
// Do they name a file with more options: @FILE, -XX:Flags=FILE, -XX:VMOptionsFile=FILE? What stands in it is not among them.
bool names_option_file(const std::vector<std::string>& options);
// Is -XX:+NAME in force? The last -XX:+NAME or -XX:-NAME counts.
bool flag_is_on(const std::vector<std::string>& options, std::string_view name, bool by_default);
bool has_option(const std::vector<std::string>& options, std::string_view option);
// -Xrs, or the flag that it sets: the VM takes no signals, SIGQUIT among them.
bool reduces_signals(const std::vector<std::string>& options);

}  // namespace holdfast::cli
