// `holdfast analyze`: the analyses of a report on a heap dump that something else made.
// Shape:  import, passes, report image, then what was asked for: a report file, a snapshot, one row per object; without -o the
//         report is shown at once, as `holdfast report` would. No file that exists is overwritten.
// Zone:   offline.   Errors: one line on stderr and the exit code; no half file is left behind.
#pragma once

#include <string>

#include "cli/command_report.h"

namespace holdfast::cli {

struct AnalyzeCommand {
  std::string file;
  std::string output;    // -o; empty: show the report
  std::string snapshot;  // --snapshot; empty: none
  std::string objects;   // --objects; empty: none
  bool like_mat = false;
  std::uint32_t retain = 0;  // RetainBits; 0: strong+soft, or all where MAT's rules are asked for
  std::uint64_t memory_bytes = 0;  // 0: no limit of ours
  bool quiet = false;              // no progress
  ReportCommand shown;             // how to show it: --json, --top, --width ...
};

ExitCode run_analyze(const AnalyzeCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
