#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "analysis/report/reader.h"
#include "cli/command_options.h"
#include "cli/demo/demo_service.h"
#include "cli/help_text.h"
#include "cli/html/page_file.h"
#include "cli/report/nearest_name.h"
#include "cli/text/display_text.h"
#include "common/version.h"

namespace holdfast::cli {
namespace {

// What a command runs with.
struct Run {
  const CLI::App& app;
  const ParsedCommands& parsed;
  Surroundings& surroundings;
  const AgentDoor& door;
};

// One row a command: what it takes, what it does, what its --help says.
struct CommandRow {
  std::string_view name;
  void (*add)(CLI::App& app, ParsedCommands& parsed);
  ExitCode (*run)(const Run& run);
  std::string (*help)();
  bool (*is_built)() = [] { return true; };
};

// Commands see for themselves what became of their output; these are the texts that are ours.
ExitCode printed(Surroundings& surroundings) {
  if (surroundings.out.flush()) return ExitCode::kDone;
  surroundings.err << "holdfast: cannot write to standard output (is the disk full?)\n";
  return ExitCode::kRefused;
}

ExitCode print_completion(const Run& run) {
  run.surroundings.out << completion_script(run.app, run.parsed.completion.shell);
  return printed(run.surroundings);
}

constexpr CommandRow kCommands[] = {
    {"report", add_report,
     [](const Run& run) { return run_report(run.parsed.report, run.surroundings); },
     [] { return std::string(kReportHelp) + kQuestionsHelp; }},
    {"analyze", add_analyze,
     [](const Run& run) { return run_analyze(run.parsed.analyze, run.surroundings); },
     [] { return std::string(kAnalyzeHelp) + kQuestionsHelp; }},
    {"diff", add_diff, [](const Run& run) { return run_diff(run.parsed.diff, run.surroundings); },
     [] { return std::string(kDiffHelp); }},
    {"trend", add_trend,
     [](const Run& run) { return run_trend(run.parsed.trend, run.surroundings); },
     [] { return std::string(kTrendHelp); }},
    {"assert", add_assert,
     [](const Run& run) { return run_assert(run.parsed.gate, run.surroundings); },
     [] { return std::string(kAssertHelp); }},
    {"export", add_export,
     [](const Run& run) { return run_export(run.parsed.exported, run.surroundings); }, export_help},
    {"ps", add_ps, [](const Run& run) { return run_ps(run.parsed.ps, run.surroundings); },
     [] { return std::string(kPsHelp); }},
    {"dump", add_dump,
     [](const Run& run) { return run_dump(run.parsed.dump, run.surroundings, run.door); },
     [] { return std::string(kDumpHelp); }},
    {"status", add_status,
     [](const Run& run) { return run_status(run.parsed.status, run.surroundings, run.door); },
     [] { return std::string(kStatusHelp); }},
    {"watch", add_watch,
     [](const Run& run) { return run_watch(run.parsed.watch, run.surroundings, run.door); },
     [] { return std::string(kWatchHelp); }},
    {"set", add_set,
     [](const Run& run) { return run_set(run.parsed.set, run.surroundings, run.door); }, set_help},
    {"cancel", add_cancel,
     [](const Run& run) { return run_cancel(run.parsed.cancel, run.surroundings, run.door); },
     [] { return std::string(kCancelHelp); }},
    {"detach", add_detach,
     [](const Run& run) { return run_detach(run.parsed.detach, run.surroundings, run.door); },
     [] { return std::string(kDetachHelp); }},
    {"doctor", add_doctor,
     [](const Run& run) { return run_doctor(run.parsed.doctor, run.surroundings, run.door); },
     [] { return std::string(kDoctorHelp); }},
    {"demo", add_demo,
     [](const Run& run) { return run_demo(run.parsed.demo, run.surroundings, run.door); },
     [] { return std::string(kDemoHelp); }, demo_is_built},
    {"completion", add_completion, print_completion, [] { return std::string(kCompletionHelp); }},
};

// What --help says of a command, or of them all.
std::string help_of(const CommandRow* row, const CLI::App& app) {
  const std::string text = row == nullptr ? main_help() : row->help();
  const bool takes_pages =
      row == nullptr ||
      app.get_subcommand(std::string(row->name))->get_option_no_throw("--html") != nullptr;
  return takes_pages && !pages_built() ? text + kNoPagesHelp : text;
}

const CommandRow* command_of(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  for (const CommandRow& row : kCommands)
    if (!parsed.empty() && parsed.front()->get_name() == row.name) return &row;
  return nullptr;
}

std::string allowed_commands() {
  std::string text = "; allowed: ";
  for (const CommandRow& row : kCommands)
    if (row.is_built()) text.append(&row == std::begin(kCommands) ? "" : ", ").append(row.name);
  return text + "; see 'holdfast --help'\n";
}

std::string meant(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands)
    if (row.is_built()) names.push_back(row.name);
  const std::string_view nearest = nearest_word(name, names);
  return nearest.empty() ? std::string() : "; did you mean '" + std::string(nearest) + "'?";
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

// What the first argument decides alone: no command, an unknown one.
std::optional<ExitCode> refused_command(const std::vector<std::string>& arguments,
                                        Surroundings& surroundings) {
  if (arguments.empty()) {  // a person's first steps; a script whose variable is empty finds out
    surroundings.out << start_page();
    const ExitCode code = printed(surroundings);
    return code == ExitCode::kDone ? ExitCode::kWrongUsage : code;
  }
  const std::string& name = arguments.front();
  const auto is_named = [&](const CommandRow& row) { return row.name == name; };
  if (std::ranges::any_of(kCommands, is_named) || name.starts_with('-')) return std::nullopt;
  surroundings.err << "holdfast: unknown command '" << one_line(name) << '\'' << meant(name)
                   << allowed_commands();
  return ExitCode::kWrongUsage;
}

void write_version(std::ostream& out) {
  out << "holdfast " << kVersion << " (";
  if (!build_description().empty()) out << "build " << build_description() << ", ";
  out << "report format " << analysis::kReportMajor << '.' << analysis::kReportMinor << ")\n";
}

ExitCode parse_and_run(const std::vector<std::string>& arguments, Surroundings& surroundings,
                       const AgentDoor& door) {
  CLI::App app("", "holdfast");
  ParsedCommands parsed;
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  for (const CommandRow& row : kCommands)
    if (row.is_built() || row.name == arguments.front())
      row.add(app, parsed);  // which says why not
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(),
                                       arguments.rend()));  // CLI11 takes them from the back
    return command_of(app)->run({app, parsed, surroundings, door});
  } catch (const CLI::CallForHelp&) {
    surroundings.out << help_of(command_of(app), app);
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
  return printed(surroundings);
}

std::vector<std::vector<std::string>> spellings_of(const CLI::App& app) {
  std::vector<std::vector<std::string>> all;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    std::vector<std::string> names;
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    all.push_back(std::move(names));
  }
  return all;
}

}  // namespace

std::vector<CommandText> command_texts() {
  CLI::App app("", "holdfast");
  ParsedCommands parsed;
  app.set_version_flag("--version", std::string(kVersion));
  std::vector<CommandText> texts = {{"", main_help(), {}}};
  for (const CommandRow& row : kCommands) {
    if (!row.is_built()) continue;
    row.add(app, parsed);
    const std::string name(row.name);
    texts.push_back({name, row.help(), spellings_of(*app.get_subcommand(name))});
  }
  texts.front().options = spellings_of(app);
  return texts;
}

ExitCode run_command_line(const std::vector<std::string>& arguments, Surroundings& surroundings,
                          const AgentDoor& door) {
  try {
    if (const auto code = refused_command(arguments, surroundings)) return *code;
    return parse_and_run(arguments, surroundings, door);
  } catch (const std::exception& error) {
    surroundings.err << "holdfast: our own fault: " << one_line(error.what()) << '\n';
    return ExitCode::kOurFault;
  }
}

}  // namespace holdfast::cli
