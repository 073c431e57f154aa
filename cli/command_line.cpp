#include "cli/command_line.h"

#include "common/version.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "analysis/report/reader.h"
#include "cli/command_analyze.h"
#include "cli/command_ps.h"
#include "cli/command_report.h"
#include "cli/display_text.h"
#include "cli/help_text.h"
#include "common/options.h"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 7> kNotBuiltYet = {"dump",   "diff",   "trend", "assert",
                                                          "export", "status", "watch"};
constexpr std::array<std::string_view, 3> kBuilt = {"report", "analyze", "ps"};
constexpr std::size_t kMostTop = 1'000'000;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

// What the first argument decides alone: no command, one that is not built yet, an unknown one.
std::optional<ExitCode> refused_command(const std::vector<std::string>& arguments,
                                        Surroundings& surroundings) {
  constexpr const char* kAllowed = "; allowed: report, analyze, ps; see 'holdfast --help'\n";
  if (arguments.empty()) {
    surroundings.err << "holdfast: no command given" << kAllowed;
    return ExitCode::kWrongUsage;
  }
  const std::string& name = arguments.front();
  if (std::ranges::find(kNotBuiltYet, name) != kNotBuiltYet.end()) {
    surroundings.err << "holdfast " << name << ": not built yet\n";
    return ExitCode::kRefused;
  }
  if (std::ranges::find(kBuilt, name) != kBuilt.end() || name.starts_with('-')) return std::nullopt;
  surroundings.err << "holdfast: unknown command '" << one_line(name) << '\'' << kAllowed;
  return ExitCode::kWrongUsage;
}

void add_colour(CLI::App& app, ColourChoice& colour) {
  static const std::map<std::string, ColourChoice> kColours{{"auto", ColourChoice::kAuto},
                                                            {"always", ColourChoice::kAlways},
                                                            {"never", ColourChoice::kNever}};
  // The keys only: CLI11's own transformer would take the enums' numbers too, and list them.
  app.add_option_function<std::string>("--color",
                                       [&](const std::string& name) { colour = kColours.at(name); })
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

// How a report is shown: the options that `report` and `analyze` share.
void add_showing(CLI::App& app, ReportCommand& command) {
  static const std::map<std::string, ClassOrder> kOrders{{"retained", ClassOrder::kRetained},
                                                         {"shallow", ClassOrder::kShallow},
                                                         {"instances", ClassOrder::kInstances}};
  app.add_flag("--json", command.json);
  app.add_option("--top", command.top)->check(CLI::Range(std::size_t{1}, kMostTop));
  app.add_option("--width", command.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(app, command.colour);
  app.add_option_function<std::string>(
         "--sort", [&](const std::string& name) { command.order = kOrders.at(name); })
      ->check(CLI::IsMember({"retained", "shallow", "instances"}));
}

// What the whole graph is asked: from a snapshot or a dump.
void add_queries(CLI::App& app, GraphQueries& queries) {
  app.add_option("--group-by", queries.group_by)
      ->check(CLI::IsMember({"class", "loader", "package"}));
  app.add_option("--depth", queries.depth)->check(CLI::Range(1, 1000));
  app.add_option("--retained-of", queries.retained_of)->expected(1)->take_all();
  app.add_option("--dominators-of", queries.dominators_of)->expected(1)->take_all();
  app.add_option("--skip", queries.skip)->expected(1)->take_all();
  app.add_option("--paths-to", queries.paths_to)->expected(1)->take_all();
  app.add_option("--without", queries.without)->expected(1)->take_all();
  app.add_option("--dominator-path", queries.dominator_path)->expected(1)->take_all();
  app.add_option("--suspects", queries.suspects)->check(CLI::IsMember({"mat"}));
}

void add_report(CLI::App& app, ReportCommand& command) {
  CLI::App* report = app.add_subcommand("report");
  report->add_option("FILE", command.file)->required();
  add_showing(*report, command);
  add_queries(*report, command.queries);
}

// The agent's own option, so that both take the same words.
std::uint32_t parsed_retain(const std::string& text) {
  Options options;
  OptionError error;
  if (!parse_options("retain=" + text, options, error))
    throw CLI::ValidationError("--retain", error.text);
  return options.retain;
}

void add_analyze(CLI::App& app, AnalyzeCommand& command) {
  CLI::App* analyze = app.add_subcommand("analyze");
  analyze->add_option("FILE", command.file)->required();
  analyze->add_option("-o,--output", command.output);
  analyze->add_option("--snapshot", command.snapshot);
  analyze->add_option("--objects", command.objects);
  analyze
      ->add_option_function<std::string>("--like",
                                         [&](const std::string&) { command.like_mat = true; })
      ->check(CLI::IsMember({"mat"}));
  CLI::Option* retain = analyze->add_option_function<std::string>(
      "--retain", [&](const std::string& text) { command.retain = parsed_retain(text); });
  retain->excludes("--like");
  analyze->add_option("--memory", command.memory_bytes)->transform(CLI::AsSizeValue(false));
  analyze->add_flag("--quiet", command.quiet);
  add_showing(*analyze, command.shown);
  add_queries(*analyze, command.shown.queries);
}

void add_ps(CLI::App& app, PsCommand& command) {
  constexpr std::uint32_t kMaxPid = 1u << 22;  // the kernel's
  CLI::App* ps = app.add_subcommand("ps");
  ps->add_option("PID", command.pid)->check(CLI::Range(std::uint32_t{1}, kMaxPid));
  ps->add_flag("--json", command.json);
  ps->add_flag("--all", command.all);
  ps->add_option("--width", command.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(*ps, command.colour);
}

void write_version(std::ostream& out) {
  out << "holdfast " << kVersion << " (report format " << analysis::kReportMajor << '.'
      << analysis::kReportMinor << ")\n";
}

std::string help_of(const CLI::App& app) {
  if (app.got_subcommand("report")) return std::string(kReportHelp) + kQuestionsHelp;
  if (app.got_subcommand("analyze")) return std::string(kAnalyzeHelp) + kQuestionsHelp;
  if (app.got_subcommand("ps")) return kPsHelp;
  return kMainHelp;
}

ExitCode parse_and_run(const std::vector<std::string>& arguments, Surroundings& surroundings) {
  CLI::App app("", "holdfast");
  ReportCommand report;
  AnalyzeCommand analyze;
  PsCommand ps;
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  add_report(app, report);
  add_analyze(app, analyze);
  add_ps(app, ps);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(),
                                       arguments.rend()));  // CLI11 takes them from the back
    if (app.got_subcommand("ps")) return run_ps(ps, surroundings);
    return app.got_subcommand("report") ? run_report(report, surroundings)
                                        : run_analyze(analyze, surroundings);
  } catch (const CLI::CallForHelp&) {
    surroundings.out << help_of(app);
  } catch (const CLI::CallForVersion&) {
    write_version(surroundings.out);
  } catch (const CLI::ParseError& error) {
    const std::string where = app.get_subcommands().empty()
                                  ? std::string("holdfast")
                                  : "holdfast " + app.get_subcommands().front()->get_name();
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
