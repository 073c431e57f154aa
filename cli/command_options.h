// What each command takes on its command line: one function a command, which names its options to CLI11.
// Why CLI11's own tables: help's test and the shell completion are made from them, so they cannot go stale.
// Shape:  each fills the struct that it is given while the line is parsed; the struct outlives the parser.
// Zone:   offline.   Errors: CLI::ParseError while parsing.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/analyze/command_analyze.h"
#include "cli/compare/command_diff.h"
#include "cli/compare/command_trend.h"
#include "cli/completion.h"
#include "cli/demo/command_demo.h"
#include "cli/doctor/command_doctor.h"
#include "cli/export/command_export.h"
#include "cli/export/report_rows.h"
#include "cli/gate/command_assert.h"
#include "cli/report/command_report.h"
#include "cli/talk/command_dump.h"
#include "cli/talk/command_order.h"
#include "cli/talk/command_ps.h"
#include "cli/talk/command_status.h"
#include "cli/talk/command_watch.h"

namespace holdfast::cli {

// Where each command's options go.
struct ParsedCommands {
  ReportCommand report;
  AnalyzeCommand analyze;
  DiffCommand diff;
  TrendCommand trend;
  AssertCommand gate;
  ExportCommand exported;
  PsCommand ps;
  DumpCommand dump;
  StatusCommand status;
  WatchCommand watch;
  SetCommand set;
  OrderCommand cancel, detach;
  CompletionCommand completion;
  DemoCommand demo;
  DoctorCommand doctor;
};

inline constexpr std::size_t kMostTop = 1'000'000;  // --top

// How rows are shown: what commands that show or compare reports have in common.
struct Showing {
  bool& json;
  std::size_t& top;
  std::size_t& width;
  ColourChoice& colour;
  std::optional<ClassOrder>& order;
};

// -- command_options_report.cpp --
// A check of CLI11's, for what is nothing when empty: a shell's variable that is not set must not turn an option off.
std::string checked_text(const std::string& text);
std::string checked_output(const std::string& name);
void add_showing(CLI::App& app, const Showing& showing);
CLI::Option* add_html(CLI::App& app, std::string& html);  // --html of several
void add_colour(CLI::App& app, ColourChoice& colour);     // --color of several
void add_report(CLI::App& app, ParsedCommands& commands);
void add_analyze(CLI::App& app, ParsedCommands& commands);
// -- command_options_compare.cpp --
void add_diff(CLI::App& app, ParsedCommands& commands);
void add_trend(CLI::App& app, ParsedCommands& commands);
void add_assert(CLI::App& app, ParsedCommands& commands);
void add_export(CLI::App& app, ParsedCommands& commands);
// -- command_options_agent.cpp --
void add_ps(CLI::App& app, ParsedCommands& commands);
void add_dump(CLI::App& app, ParsedCommands& commands);
void add_status(CLI::App& app, ParsedCommands& commands);
void add_watch(CLI::App& app, ParsedCommands& commands);
void add_set(CLI::App& app, ParsedCommands& commands);
void add_cancel(CLI::App& app, ParsedCommands& commands);
void add_detach(CLI::App& app, ParsedCommands& commands);
void add_demo(CLI::App& app, ParsedCommands& commands);
void add_doctor(CLI::App& app, ParsedCommands& commands);
void add_completion(CLI::App& app, ParsedCommands& commands);

}  // namespace holdfast::cli
