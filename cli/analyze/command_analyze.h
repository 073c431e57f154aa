// `holdfast analyze`: the analyses of a report on a heap dump that something else made.
// Shape:  import, passes, report image, then what was asked for: a report file, a snapshot, one row per object; without -o the
//         report is shown at once, as `holdfast report` would. What is replaced and what is not: output_file.h.
// Zone:   offline.   Errors: one line on stderr and the exit code; no half file is left behind.
#pragma once

#include <string>

#include "cli/report/command_report.h"

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

// What the passes take on top of the graph and the catalog, which are there already: the printed bound on memory.
//   reading   36 B an object + 9 a reference + names, while the file is read
//   passes    12 B an object + 6 a reference (the graph), 36 an object + 8 a reference that is neither of the search tree nor
//             forward, at most all (dominators); results and report at most kReportBytes
//   --objects what object_sizes.h states, on top of what is there then
inline constexpr std::uint64_t kReportBytes = std::uint64_t{16} << 20;
std::uint64_t memory_bound_bytes(std::uint64_t objects, std::uint64_t references,
                                 std::uint64_t catalog_bytes);

ExitCode run_analyze(const AnalyzeCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
