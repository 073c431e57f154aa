// `holdfast report FILE`: one report as text, or as JSON; FILE is a report, or a snapshot with a report inside.
// Shape:  reads the report once, writes once; of a snapshot nothing but its head.   Zone: offline.
// Errors: exit codes 2, 3 and 4 by input_error.h, one line on err; nothing is written to out then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/analyze/graph_queries.h"
#include "cli/exit_code.h"
#include "cli/report/report_source.h"
#include "cli/report/report_view.h"
#include "cli/report/selection.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct ReportCommand {
  static constexpr std::size_t kDefaultTextTop = 15;
  std::string file;
  std::string html;  // --html; empty: no page
  bool json = false;
  bool brief = false;     // with json: a summary of bounded length
  std::size_t top = 0;    // 0: 15 in text, all in JSON
  std::size_t width = 0;  // 0: choose_columns
  ColourChoice colour = ColourChoice::kAuto;
  std::optional<ClassOrder> order = std::nullopt;
  std::vector<std::string> sections = {};  // none: all
  std::vector<std::string> classes = {};   // only what matches one of these patterns
  std::string under = {};                  // of the dominator tree: a node's number or a pattern
  std::string account = {};                // only this memory account, whole
  // Answered from a snapshot or a dump, instead of the report; without a question --skip and --depth are the report's.
  GraphQueries queries = {};
};

// The report as the command asks for it: text or JSON. Throws Stop where a filter matches nothing.
std::string render_report(const ReportCommand& command, const ReportView& view,
                          const Surroundings& surroundings);
// --html: writes the page, and says in two lines what it says and where it is.
void write_report_page(const ReportCommand& command, const ReportView& view,
                       Surroundings& surroundings);
// Shows a report that is open.
ExitCode show_report(const ReportCommand& command, const ReportSource& source,
                     Surroundings& surroundings);
ExitCode run_report(const ReportCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
