// `holdfast trend DIR|FILES`: which classes grow over the reports of a process, and how sure that is.
// Why two readings: the first says which reports belong together, the second reads those that make the series, one at a time.
// Shape:  one report in memory, the facts of all (about 1 KB each) and the series of one process (class_series.h): each is made,
//         written and dropped before the next.
// Zone:   offline.
// Errors: what is damaged or no report is one line on err, and skipped; where nothing is left, exit code 3 (2: there was no
//         report to read at all).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/change_selection.h"
#include "cli/exit_code.h"
#include "cli/report/selection.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct TrendCommand {
  static constexpr std::size_t kDefaultTextTop = 15;
  std::vector<std::string> inputs;  // directories or reports
  bool json = false;
  std::string html = {};  // where the page goes; empty: none
  std::size_t top = 0;    // 0: 15 in text, else all
  std::size_t width = 0;  // 0: choose_columns
  ColourChoice colour = ColourChoice::kAuto;
  std::optional<ClassOrder> order = std::nullopt;  // also what is judged; default: shallow
  NameFilter filter = {};
  bool all_processes = false;
  std::optional<std::uint32_t> process = std::nullopt;
};

ExitCode run_trend(const TrendCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
