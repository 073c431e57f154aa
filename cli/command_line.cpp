#include "cli/command_line.h"

#include "common/version.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "analysis/report/reader.h"
#include "cli/command_report.h"
#include "cli/display_text.h"
#include "cli/help_text.h"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 9> kNotBuiltYet = {
    "dump", "diff", "trend", "assert", "analyze", "export", "ps", "status", "watch"};
constexpr std::size_t kMostTop = 1'000'000;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

// What the first argument decides alone: no command, one that is not built yet, an unknown one.
std::optional<ExitCode> refused_command(const std::vector<std::string>& arguments,
                                        Surroundings& surroundings) {
  constexpr const char* kAllowed = "; allowed: report; see 'holdfast --help'\n";
  if (arguments.empty()) {
    surroundings.err << "holdfast: no command given" << kAllowed;
    return ExitCode::kWrongUsage;
  }
  const std::string& name = arguments.front();
  if (std::ranges::find(kNotBuiltYet, name) != kNotBuiltYet.end()) {
    surroundings.err << "holdfast " << name << ": not built yet\n";
    return ExitCode::kRefused;
  }
  if (name == "report" || name.starts_with('-')) return std::nullopt;
  surroundings.err << "holdfast: unknown command '" << one_line(name) << '\'' << kAllowed;
  return ExitCode::kWrongUsage;
}

void add_report(CLI::App& app, ReportCommand& command) {
  static const std::map<std::string, ColourChoice> kColours{{"auto", ColourChoice::kAuto},
                                                            {"always", ColourChoice::kAlways},
                                                            {"never", ColourChoice::kNever}};
  static const std::map<std::string, ClassOrder> kOrders{{"retained", ClassOrder::kRetained},
                                                         {"shallow", ClassOrder::kShallow},
                                                         {"instances", ClassOrder::kInstances}};
  CLI::App* report = app.add_subcommand("report");
  report->add_option("FILE", command.file)->required();
  report->add_flag("--json", command.json);
  report->add_option("--top", command.top)->check(CLI::Range(std::size_t{1}, kMostTop));
  report->add_option("--width", command.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  // The keys only: CLI11's own transformer would take the enums' numbers too, and list them.
  report
      ->add_option_function<std::string>(
          "--color", [&](const std::string& name) { command.colour = kColours.at(name); })
      ->check(CLI::IsMember({"auto", "always", "never"}));
  report
      ->add_option_function<std::string>(
          "--sort", [&](const std::string& name) { command.order = kOrders.at(name); })
      ->check(CLI::IsMember({"retained", "shallow", "instances"}));
}

void write_version(std::ostream& out) {
  out << "holdfast " << kVersion << " (report format " << analysis::kReportMajor << '.'
      << analysis::kReportMinor << ")\n";
}

ExitCode parse_and_run(const std::vector<std::string>& arguments, Surroundings& surroundings) {
  CLI::App app("", "holdfast");
  ReportCommand report;
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  add_report(app, report);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(),
                                       arguments.rend()));  // CLI11 takes them from the back
    return run_report(report, surroundings);
  } catch (const CLI::CallForHelp&) {
    surroundings.out << (app.got_subcommand("report") ? kReportHelp : kMainHelp);
  } catch (const CLI::CallForVersion&) {
    write_version(surroundings.out);
  } catch (const CLI::ParseError& error) {
    const char* where = app.get_subcommands().empty() ? "holdfast" : "holdfast report";
    surroundings.err << where << ": " << one_line(error.what()) << "; see '" << where
                     << " --help'\n";
    return ExitCode::kWrongUsage;
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments, Surroundings& surroundings) {
  try {
    if (const auto code = refused_command(arguments, surroundings)) return *code;
    return parse_and_run(arguments, surroundings);
  } catch (const std::exception& error) {
    surroundings.err << "holdfast: our own fault: " << one_line(error.what()) << '\n';
    return ExitCode::kOurFault;
  }
}

}  // namespace holdfast::cli
