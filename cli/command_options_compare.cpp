// The options of the commands that compare reports.
#include <map>

#include "cli/command_options.h"
#include "cli/compare/diff_text.h"

namespace holdfast::cli {
namespace {

// What every comparison takes.
template <class Command>
void add_comparing(CLI::App& app, Command& command) {
  add_showing(app, {command.json, command.top, command.width, command.colour, command.order});
  app.add_option("--class", command.filter.wanted)->expected(1)->take_all();
  app.add_option("--skip", command.filter.skipped)->expected(1)->take_all();
  add_html(app, command.html)->excludes("--json");
}

}  // namespace

void add_diff(CLI::App& app, ParsedCommands& commands) {
  DiffCommand& command = commands.diff;
  CLI::App* diff = app.add_subcommand("diff");
  diff->add_option("A", command.before)->required();
  diff->add_option("B", command.after)->required();
  const std::vector<std::string> sections(std::begin(kDiffSections), std::end(kDiffSections));
  diff->add_option("--section", command.sections)
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember(sections));
  add_comparing(*diff, command);
  diff->get_option("--html")->excludes("--section");
}

void add_trend(CLI::App& app, ParsedCommands& commands) {
  TrendCommand& command = commands.trend;
  CLI::App* trend = app.add_subcommand("trend");
  trend->add_option("REPORTS", command.inputs)->required();
  CLI::Option* all = trend->add_flag("--all-processes", command.all_processes);
  trend->add_option("--process", command.process)->excludes(all);
  add_comparing(*trend, command);
}

}  // namespace holdfast::cli
