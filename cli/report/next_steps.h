// What to ask next: commands that tell what this report does not, ready to be run.
// Why chosen by what is missing: whoever reads a summary, a person or an assistant, should not have to know the options.
// Shape:  at most kMostSteps, the most useful first; names and paths quoted for a POSIX shell, and left out where they hold control
//         characters or are too long to be typed.   Zone: offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

inline constexpr std::size_t kMostSteps = 6;
inline constexpr std::size_t kMostQuotedBytes = 300;

// Where the report is, and the graph that it is about.
struct ReportPlace {
  std::string file;
  std::string graph_file;  // a snapshot that answers questions; empty: none is known
};
// `file` itself where it is a snapshot, else the snapshot beside it, if there is one.
ReportPlace place_of_report(const std::string& file);

struct NextStep {
  std::string command;
  std::string why;
};
std::vector<NextStep> next_steps(const ReportView& view, const ReportPlace& place);

// 'com.acme.*', with a quote inside as '\''; empty where that cannot be done safely.
std::string shell_quoted(std::string_view text);

}  // namespace holdfast::cli
