// The options of the commands that talk to running processes.
#include <map>

#include "cli/command_options.h"
#include "common/control/run_time_options.h"
#include "common/option_value.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kLeastInterval = 100'000'000;
constexpr std::uint64_t kMostTime = std::uint64_t{24} * 3'600'000'000'000;

// The agent's own way to read a time, so that both take the same words.
void add_time(CLI::App& app, const std::string& name, std::uint64_t& target_ns,
              std::uint64_t least_ns) {
  app.add_option_function<std::string>(name, [&target_ns, name, least_ns](const std::string& text) {
    std::uint64_t value = 0;
    if (!read_time(text, value) || value < least_ns || value > kMostTime)
      throw CLI::ValidationError(name, "'" + text + "': a time from " +
                                           std::to_string(least_ns / 1'000'000) +
                                           "ms to 24h such as 500ms, 1s, 5m is wanted");
    target_ns = value;
  });
}

std::string checked_analyses(const std::string& words) {
  std::uint32_t ignored = 0;
  OptionError error;
  return control::read_analyses(words, ignored, error) ? "" : error.text;
}

CLI::App& add_process_command(CLI::App& app, const std::string& name, std::string& process) {
  CLI::App* command = app.add_subcommand(name);
  command->add_option("PID", process)->required();
  return *command;
}

template <class Enum>
CLI::Option* add_words(CLI::App& app, const std::string& name, Enum& target,
                       const std::map<std::string, Enum>& words) {
  std::vector<std::string> keys;
  keys.reserve(words.size());
  for (const auto& [word, value] : words) keys.push_back(word);
  return app
      .add_option_function<std::string>(
          name, [&target, words](const std::string& word) { target = words.at(word); })
      ->check(CLI::IsMember(keys));
}

}  // namespace

void add_ps(CLI::App& app, ParsedCommands& commands) {
  constexpr std::uint32_t kMaxPid = 1u << 22;  // the kernel's
  PsCommand& ps = commands.ps;
  CLI::App& command = *app.add_subcommand("ps");
  command.add_option("PID", ps.pid)->check(CLI::Range(std::uint32_t{1}, kMaxPid));
  command.add_flag("--json", ps.json);
  command.add_flag("--all", ps.all);
  command.add_option("--width", ps.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(command, ps.colour);
}

void add_dump(CLI::App& app, ParsedCommands& commands) {
  DumpCommand& dump = commands.dump;
  CLI::App& command = add_process_command(app, "dump", dump.process);
  CLI::Option* simple =
      command.add_flag_callback("--simple", [&dump] { dump.kind = DumpKind::kSimple; });
  command.add_flag_callback("--extended", [&dump] { dump.kind = DumpKind::kExtended; })
      ->excludes(simple);
  add_words<CaptureChoice>(command, "--capture", dump.capture,
                           {{"frozen", CaptureChoice::kFrozen},
                            {"walk", CaptureChoice::kWalk},
                            {"objects", CaptureChoice::kObjects}});
  add_time(command, "--pause", dump.pause_ns, 1'000'000);
  command.add_flag("--snapshot", dump.snapshot);
  command.add_option("--analyses", dump.analyses)->check(checked_analyses);
  command.add_option("-o,--output", dump.output)->check(checked_output);
  command.add_option("--file", dump.file)->check(checked_text);
  command.add_option("--dir", dump.directory)->check(checked_text);
  command.add_option("--library", dump.library)->check(checked_text);
  command.add_option("--options", dump.options);
  add_time(command, "--timeout", dump.timeout_ns, 1'000'000);
  command.add_flag("--quiet", dump.quiet);
  CLI::Option* json = command.add_flag("--json", dump.json);
  command.add_flag("--report", dump.report)->excludes(json);
}

void add_status(CLI::App& app, ParsedCommands& commands) {
  CLI::App& command = add_process_command(app, "status", commands.status.process);
  command.add_flag("--json", commands.status.json);
}

void add_watch(CLI::App& app, ParsedCommands& commands) {
  WatchCommand& watch = commands.watch;
  CLI::App& command = add_process_command(app, "watch", watch.process);
  add_time(command, "--interval", watch.interval_ns, kLeastInterval);
  command.add_option("--top", watch.top)->check(CLI::Range(std::size_t{1}, kMostTop));
  add_words<WatchOrder>(command, "--sort", watch.order,
                        {{"growth", WatchOrder::kGrowth},
                         {"bytes", WatchOrder::kBytes},
                         {"instances", WatchOrder::kInstances}})
      ->each([&watch](const std::string&) { watch.ordered = true; });
  command.add_option("--filter", watch.filter)->check(checked_text);
  command.add_option("--holders", watch.holders)->check(checked_text);
  CLI::Option* once = command.add_flag("--once", watch.once);
  command.add_flag("--json", watch.json);
  command.add_option("--count", watch.count)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->excludes(once);
}

void add_set(CLI::App& app, ParsedCommands& commands) {
  CLI::App& command = add_process_command(app, "set", commands.set.process);
  command.add_option("OPTION", commands.set.options)->required();
  command.add_option("--library", commands.set.library)->check(checked_text);
}

void add_cancel(CLI::App& app, ParsedCommands& commands) {
  add_process_command(app, "cancel", commands.cancel.process);
}

void add_detach(CLI::App& app, ParsedCommands& commands) {
  add_process_command(app, "detach", commands.detach.process);
}

void add_demo(CLI::App& app, ParsedCommands& commands) {
  DemoCommand& demo = commands.demo;
  CLI::App& command = *app.add_subcommand("demo");
  command.add_option("--html", demo.html)->check(checked_output);
  command.add_option("-o,--output", demo.directory)->check(checked_output);
  command.add_flag("--no-open", demo.no_open);
  command.add_option("--library", demo.library)->check(checked_text);
}

void add_doctor(CLI::App& app, ParsedCommands& commands) {
  DoctorCommand& doctor = commands.doctor;
  CLI::App& command = *app.add_subcommand("doctor");
  command.add_option("PID", doctor.process)->check(checked_text);
  command.add_flag("--json", doctor.json);
  command.add_option("--library", doctor.library)->check(checked_text);
  command.add_option("--width", doctor.width)->check(CLI::Range(kLeastColumns, kMostColumns));
  add_colour(command, doctor.colour);
}

void add_completion(CLI::App& app, ParsedCommands& commands) {
  app.add_subcommand("completion")
      ->add_option("SHELL", commands.completion.shell)
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
}

}  // namespace holdfast::cli
