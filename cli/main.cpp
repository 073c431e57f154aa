// The command `holdfast`: asks the system what the commands need to know, and runs one.
#include <cstdlib>
#include <iostream>

#include "cli/command_line.h"
#include "platforms/terminal.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace holdfast;
  std::ios::sync_with_stdio(false);
  cli::Surroundings surroundings{std::cout, std::cerr};
  const platforms::TerminalFacts terminal = platforms::standard_output_terminal();
  surroundings.out_is_terminal = terminal.is_terminal;
  surroundings.err_is_terminal = platforms::standard_error_is_terminal();
  surroundings.terminal_columns = terminal.columns;
  surroundings.columns_variable = variable("COLUMNS");
  surroundings.no_color = !variable("NO_COLOR").empty();
  surroundings.dumb_terminal = variable("TERM") == "dumb";
  surroundings.utf8 =
      !surroundings.dumb_terminal &&
      cli::locale_is_utf8(variable("LC_ALL"), variable("LC_CTYPE"), variable("LANG"));
  const auto code =
      cli::run_command_line({arguments + 1, arguments + argument_count}, surroundings);
  return static_cast<int>(code);
}
