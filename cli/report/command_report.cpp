#include "cli/report/command_report.h"

#include "analysis/report/reader.h"
#include "cli/analyze/command_analyze.h"
#include "cli/html/page_file.h"
#include "cli/html/report_page.h"
#include "cli/output_file.h"
#include "cli/report/brief_json.h"
#include "cli/report/report_filter.h"
#include "cli/report/report_json.h"
#include "cli/report/report_text.h"
#include "cli/report/verdict.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {

namespace {

ReportFilter filter_of(const ReportCommand& command) {
  return {command.classes, command.queries.skip, command.under, command.queries.depth,
          command.account};
}

// Who asks for an account wants all of it, who asks for a place in the tree the tree; who asks for a class, what is about classes.
std::vector<std::string> sections_of(const ReportCommand& command) {
  if (!command.sections.empty()) return command.sections;
  if (!command.account.empty()) return {"accounts"};
  if (!command.under.empty()) return {"tree"};
  if (!command.classes.empty())
    return {"suspects", "classes", "tree", "objects", "cuts", "holders", "threads"};
  return {};
}

// Whoever says how deep wants to see all of it.
std::size_t tree_rows_of(const ReportCommand& command) {
  const bool asked = !command.under.empty() || command.queries.depth > 0;
  return command.top == 0 && asked ? kAllRows : 0;
}

std::string rendered(const ReportCommand& command, const ReportView& view, const ReportView& whole,
                     const Surroundings& surroundings) {
  if (command.json) {
    JsonOptions options{command.top > 0 ? command.top : kAllRows, command.order};
    options.sections = command.sections;
    options.whole = &whole;
    return report_json(view, options);
  }
  TextOptions options;
  options.columns = choose_columns(command.width, surroundings);
  options.colour = choose_colour(command.colour, surroundings);
  options.top = command.top > 0 ? command.top : ReportCommand::kDefaultTextTop;
  options.order = command.order;
  options.sections = sections_of(command);
  options.one_account = !command.account.empty();
  if (options.one_account && command.top == 0) options.top = kAllRows;
  options.asked_by_name = !command.sections.empty();
  options.tree_rows = tree_rows_of(command);
  options.tree_is_whole = command.queries.skip.empty();
  options.whole = &whole;
  options.remark = filter_remark(whole, filter_of(command));
  return report_text(view, options);
}

}  // namespace

std::string render_report(const ReportCommand& command, const ReportView& view,
                          const Surroundings& surroundings) {
  if (command.json && command.brief) return brief_json(view, place_of_report(command.file));
  const ReportFilter filter = filter_of(command);
  if (!filter.any()) return rendered(command, view, view, surroundings);
  ReportView shown = view;
  apply_filter(shown, filter);
  return rendered(command, shown, view, surroundings);
}

void write_report_page(const ReportCommand& command, const ReportView& view,
                       Surroundings& surroundings) {
  OutputFile file = page_file(command.html);
  file.check();
  write_page(file, report_page(view, command.top > 0 ? command.top : kAllRows));
  surroundings.out << printable(verdict_text(view, kFullNames))
                   << "\npage: " << printable(command.html) << '\n';
}

namespace {

// The questions need the graph, which is in snapshots and dumps; a report answers none of them.
ExitCode run_queries(const ReportCommand& command, Surroundings& surroundings) {
  analysis::ReportFile file;
  if (file.open(command.file.c_str())) {
    surroundings.err
        << "holdfast report: " << printable(command.file)
        << ": a report has no graph to ask; give the snapshot (.hfs) or the heap dump\n";
    return ExitCode::kWrongUsage;
  }
  AnalyzeCommand analyze;
  analyze.file = command.file;
  analyze.shown = command;
  return run_analyze(analyze, surroundings);
}

}  // namespace

ExitCode show_report(const ReportCommand& command, const ReportSource& source,
                     Surroundings& surroundings) {
  const ReportView view = make_report_view(source.report(), source.report_bytes());
  try {
    if (command.html.empty())
      surroundings.out << render_report(command, view, surroundings);
    else
      write_report_page(command, view, surroundings);
  } catch (const Stop& stop) {
    surroundings.err << "holdfast report: " << printable(stop.text) << '\n';
    return stop.code;
  }
  surroundings.out << std::flush;
  if (surroundings.out) return ExitCode::kDone;
  surroundings.err << "holdfast report: cannot write to standard output (is the disk full?)\n";
  return ExitCode::kRefused;
}

ExitCode run_report(const ReportCommand& command, Surroundings& surroundings) {
  if (command.queries.any()) return run_queries(command, surroundings);
  ReportSource source;
  if (const auto error = source.open(command.file)) {
    surroundings.err << "holdfast report: " << printable(error->text) << '\n';
    return error->code;
  }
  return show_report(command, source, surroundings);
}

}  // namespace holdfast::cli
