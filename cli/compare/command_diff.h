// `holdfast diff A B`: what two reports say differently, as text, as JSON or as a page.
// Shape:  reads each report once, writes once.   Zone: offline.
// Errors: exit codes 2, 3 and 4 by input_error.h, one line on err; nothing is written to out then. Reports that have little to do
//         with each other are compared all the same, with a warning in the output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/compare/change_selection.h"
#include "cli/exit_code.h"
#include "cli/report/selection.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct DiffCommand {
  static constexpr std::size_t kDefaultTextTop = 15;
  std::string before, after;
  bool json = false;
  std::string html = {};  // where the page goes; empty: none
  std::size_t top = 0;    // 0: 15 in text, else all
  std::size_t width = 0;  // 0: choose_columns
  ColourChoice colour = ColourChoice::kAuto;
  std::optional<ClassOrder> order = std::nullopt;
  NameFilter filter = {};
  std::vector<std::string> sections = {};  // empty: all
};

ExitCode run_diff(const DiffCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
