// The options of the commands that read files.
#include <array>
#include <map>

#include "cli/command_options.h"
#include "cli/export/tree_stacks.h"
#include "cli/report/section_list.h"
#include "common/option_value.h"
#include "common/options.h"

namespace holdfast::cli {
namespace {

Showing showing_of(ReportCommand& command) {
  return {command.json, command.top, command.width, command.colour, command.order};
}

// Which parts of a report are shown. The questions to a graph are answered in place of the report, so they exclude these.
std::vector<CLI::Option*> add_parts(CLI::App& app, ReportCommand& command) {
  CLI::Option* sections = app.add_option("--section", command.sections)
                              ->delimiter(',')
                              ->expected(1)
                              ->take_all()
                              ->check(CLI::IsMember(section_names()));
  CLI::Option* classes = app.add_option("--class", command.classes)->expected(1)->take_all();
  return {sections, classes, app.add_option("--under", command.under)->check(checked_text)};
}

// Only reports of an agent have accounts.
CLI::Option* add_account(CLI::App& app, ReportCommand& command) {
  CLI::Option* account = app.add_option("--account", command.account)->check(checked_text);
  for (const char* other : {"--class", "--under"}) account->excludes(other);
  return account;
}

// How long exact reachable sizes may take; 0: estimates.
CLI::Option* add_reachable_limit(CLI::App& app, GraphQueries& queries) {
  return app.add_option_function<std::string>("--reachable-limit", [&](const std::string& text) {
    if (!read_time(text, queries.reachable_wall_ns))
      throw CLI::ValidationError("--reachable-limit",
                                 "'" + text + "': a time such as 500ms, 30s, 5m, or 0 is wanted");
  });
}

// Options that are of no use without one of others: what HeapRoots' questions follow, and how long reachable sizes may take.
void add_conditions(CLI::App& app, GraphQueries& queries) {
  const std::array links = {app.add_flag("--strong-only", queries.strong_only),
                            app.add_flag("--class-references", queries.class_references)};
  const CLI::Option* limit = add_reachable_limit(app, queries);
  const CLI::Option* objects = app.get_option_no_throw("--objects");
  app.parse_complete_callback([links, limit, objects, &queries] {
    for (const CLI::Option* link : links)
      if (link->count() != 0 && !queries.any_of_roots())
        throw CLI::RequiresError(link->get_name(), "--from-roots, --root-of or --keeping-alive");
    if (limit->count() == 0 || queries.statistics) return;
    if (objects == nullptr) throw CLI::RequiresError(limit->get_name(), "--statistics");
    if (objects->count() == 0)
      throw CLI::RequiresError(limit->get_name(), "--objects or --statistics");
  });
}

// What the whole graph is asked: from a snapshot or a dump.
void add_queries(CLI::App& app, GraphQueries& queries, const std::vector<CLI::Option*>& parts) {
  const std::vector<CLI::Option*> questions = {
      app.add_option("--group-by", queries.group_by)
          ->check(CLI::IsMember({"class", "loader", "package"})),
      app.add_option("--retained-of", queries.retained_of)->expected(1)->take_all(),
      app.add_option("--reachable-of", queries.reachable_of)->expected(1)->take_all(),
      app.add_option("--dominators-of", queries.dominators_of)->expected(1)->take_all(),
      app.add_option("--paths-to", queries.paths_to)->expected(1)->take_all(),
      app.add_option("--dominator-path", queries.dominator_path)->expected(1)->take_all(),
      app.add_option("--suspects", queries.suspects)->check(CLI::IsMember({"mat"})),
      app.add_flag("--statistics", queries.statistics),
      app.add_flag("--from-roots", queries.from_roots),
      app.add_option("--root-of", queries.root_of)->expected(1)->take_all(),
      app.add_option("--keeping-alive", queries.keeping_alive)->expected(1)->take_all()};
  add_conditions(app, queries);
  app.add_option("--depth", queries.depth)->check(CLI::Range(1, 1000));
  app.add_option("--skip", queries.skip)->expected(1)->take_all();
  app.add_option("--without", queries.without)->expected(1)->take_all()->needs("--paths-to");
  for (CLI::Option* question : questions)
    for (CLI::Option* part : parts) question->excludes(part);
}

// A page shows all of a report; what is looked for is found in it.
void add_page(CLI::App& app, ReportCommand& command) {
  CLI::Option* page = add_html(app, command.html);
  for (const char* other :
       {"--json", "--section", "--class", "--under", "--skip", "--depth", "--group-by",
        "--retained-of", "--reachable-of", "--dominators-of", "--paths-to", "--dominator-path",
        "--suspects", "--statistics", "--from-roots", "--root-of", "--keeping-alive"})
    page->excludes(other);
}

// A summary has its own choice of rows.
void add_brief(CLI::App& app, ReportCommand& command) {
  CLI::Option* brief = app.add_flag("--brief", command.brief)->needs("--json");
  for (const char* other :
       {"--class", "--section", "--top", "--depth", "--sort", "--skip", "--under"})
    brief->excludes(other);
}

// The agent's own option, so that both take the same words.
std::uint32_t parsed_retain(const std::string& text) {
  Options options;
  OptionError error;
  if (!parse_options("retain=" + text, options, error))
    throw CLI::ValidationError("--retain", error.text);
  return options.retain;
}

}  // namespace

std::string checked_text(const std::string& text) {
  return text.empty() ? "is empty; allowed: a name" : "";
}

// Elsewhere "-" is standard output. Here it would be a file of that name, which nobody wants.
std::string checked_output(const std::string& name) {
  return name == "-" ? "- is no file; allowed: a file's name" : checked_text(name);
}

void add_showing(CLI::App& app, const Showing& showing) {
  static const std::map<std::string, ClassOrder> kOrders{{"retained", ClassOrder::kRetained},
                                                         {"shallow", ClassOrder::kShallow},
                                                         {"instances", ClassOrder::kInstances}};
  app.add_flag("--json", showing.json);
  app.add_option("--top", showing.top)->check(CLI::Range(std::size_t{1}, kMostTop));
  app.add_option("--width", showing.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(app, showing.colour);
  app.add_option_function<std::string>(
         "--sort", [&order = showing.order](const std::string& name) { order = kOrders.at(name); })
      ->check(CLI::IsMember({"retained", "shallow", "instances"}));
}

CLI::Option* add_html(CLI::App& app, std::string& html) {
  return app.add_option("--html", html)->check(checked_output);
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

void add_report(CLI::App& app, ParsedCommands& commands) {
  ReportCommand& command = commands.report;
  CLI::App* report = app.add_subcommand("report");
  report->add_option("FILE", command.file)->required();
  add_showing(*report, showing_of(command));
  std::vector<CLI::Option*> parts = add_parts(*report, command);
  parts.push_back(add_account(*report, command));
  add_queries(*report, command.queries, parts);
  add_brief(*report, command);
  add_page(*report, command);
  for (const char* other : {"--html", "--brief"}) report->get_option("--account")->excludes(other);
}

void add_analyze(CLI::App& app, ParsedCommands& commands) {
  AnalyzeCommand& command = commands.analyze;
  CLI::App* analyze = app.add_subcommand("analyze");
  analyze->add_option("FILE", command.file)->required();
  analyze->add_option("-o,--output", command.output)->check(checked_output);
  analyze->add_option("--snapshot", command.snapshot)->check(checked_output);
  analyze->add_option("--objects", command.objects)->check(checked_output);
  analyze
      ->add_option_function<std::string>("--like",
                                         [&](const std::string&) { command.like_mat = true; })
      ->check(CLI::IsMember({"mat"}));
  CLI::Option* retain = analyze->add_option_function<std::string>(
      "--retain", [&](const std::string& text) { command.retain = parsed_retain(text); });
  retain->excludes("--like");
  analyze->add_option("--memory", command.memory_bytes)->transform(CLI::AsSizeValue(false));
  analyze->add_flag("--quiet", command.quiet);
  add_showing(*analyze, showing_of(command.shown));
  add_queries(*analyze, command.shown.queries, add_parts(*analyze, command.shown));
  add_page(*analyze, command.shown);
}

void add_assert(CLI::App& app, ParsedCommands& commands) {
  AssertCommand& command = commands.gate;
  CLI::App* gate = app.add_subcommand("assert");
  gate->add_option("FILE", command.file)->required();
  gate->add_option("EXPR", command.expressions)->required();
  gate->add_option("--baseline", command.baseline)->check(checked_text);
  gate->add_option("--junit", command.junit)->check(checked_output);
  CLI::Option* json = gate->add_flag("--json", command.json);
  gate->add_flag("--markdown", command.markdown)->excludes(json);
  gate->add_option("--width", command.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(*gate, command.colour);
}

void add_export(CLI::App& app, ParsedCommands& commands) {
  ExportCommand& command = commands.exported;
  CLI::App* exported = app.add_subcommand("export");
  exported->add_option("FILE", command.files)->required();
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
  exported->add_option("--format", command.format)->required()->check(CLI::IsMember(names));
  exported->add_option("--rows", command.rows)
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kRowKindWords), std::end(kRowKindWords))));
  exported->add_option("--stacks", command.stacks)
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kStackKindWords), std::end(kStackKindWords))));
  exported->add_option("--top", command.top)->check(CLI::Range(std::size_t{1}, kMostTop));
  exported->add_option("-o,--output", command.output)->check(checked_output);
}

}  // namespace holdfast::cli
