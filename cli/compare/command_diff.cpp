#include "cli/compare/command_diff.h"

#include <algorithm>

#include "cli/compare/diff.h"
#include "cli/compare/diff_json.h"
#include "cli/compare/diff_text.h"
#include "cli/html/diff_page.h"
#include "cli/html/page_file.h"
#include "cli/report/report_source.h"
#include "cli/report/verdict.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

std::string rendered(const DiffCommand& command, const Diff& diff,
                     const Surroundings& surroundings) {
  if (command.json)
    return diff_json(diff, command.top > 0 ? command.top : kAllRows, command.sections);
  DiffTextOptions options;
  options.columns = choose_columns(command.width, surroundings);
  options.colour = choose_colour(command.colour, surroundings);
  options.top = command.top > 0 ? command.top : DiffCommand::kDefaultTextTop;
  options.sections = command.sections;
  return diff_text(diff, options);
}

// A pattern that matches nothing is most likely misspelt.
bool matches_something(const Diff& diff) {
  return diff.filter.empty() ||
         std::ranges::any_of(diff.comparison.classes.rows,
                             [&](const RowChange& row) { return diff.filter.takes(row.name); });
}

std::string written_page(const DiffCommand& command, const Diff& diff) {
  OutputFile file = page_file(command.html);
  file.check();
  write_page(file, diff_page(diff, command.top > 0 ? command.top : kAllRows));
  return printable(diff_verdict(diff, kFullNames)) + "\npage: " + printable(command.html) + '\n';
}

ExitCode show_diff(const DiffCommand& command, const ReportView& before, const ReportView& after,
                   Surroundings& surroundings) {
  const Diff diff =
      make_diff(before, after, command.before, command.after, command.order, command.filter);
  if (!matches_something(diff)) {
    surroundings.err << "holdfast diff: --class and --skip leave no class of either report; "
                        "allowed: a name, or a pattern such as 'com.acme.*'\n";
    return ExitCode::kWrongUsage;
  }
  surroundings.out << (command.html.empty() ? rendered(command, diff, surroundings)
                                            : written_page(command, diff))
                   << std::flush;
  if (surroundings.out) return ExitCode::kDone;
  surroundings.err << "holdfast diff: cannot write to standard output (is the disk full?)\n";
  return ExitCode::kRefused;
}

// Says what is wrong with it; nothing where it is open now.
std::optional<ExitCode> open_failed(ReportSource& source, const std::string& file,
                                    Surroundings& surroundings) {
  const auto error = source.open(file);
  if (!error) return std::nullopt;
  surroundings.err << "holdfast diff: " << printable(error->text) << '\n';
  return error->code;
}

}  // namespace

ExitCode run_diff(const DiffCommand& command, Surroundings& surroundings) {
  ReportSource before, after;
  if (const auto code = open_failed(before, command.before, surroundings)) return *code;
  if (const auto code = open_failed(after, command.after, surroundings)) return *code;
  try {
    return show_diff(command, make_report_view(before.report(), before.report_bytes()),
                     make_report_view(after.report(), after.report_bytes()), surroundings);
  } catch (const Stop& stop) {
    surroundings.err << "holdfast diff: " << printable(stop.text) << '\n';
    return stop.code;
  }
}

}  // namespace holdfast::cli
