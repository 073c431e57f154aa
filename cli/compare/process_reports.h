// Reports sorted into sequences: those of one process, in the order of time.
// Why: a program that starts anew starts with an empty heap; its reports and those before are no one series.
// Shape:  O(reports * processes).   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/compare/report_facts.h"

namespace holdfast::cli {

struct ProcessReports {
  std::vector<ReportFacts> reports;  // by time
  std::uint64_t copies = 0;          // files that held a dump once more
};

// The process with the most reports first; of as many, the latest.
std::vector<ProcessReports> sort_by_process(std::vector<ReportFacts> reports);

// Of these, the ones that make one series: counted alike, with graph where `retained`; at most `limit`, evenly, with the first and
// the last. Indices, ascending.
struct SeriesChoice {
  std::vector<std::size_t> points;
  std::size_t comparable = 0;  // counted alike
  Counted counted = Counted::kAll;
};
SeriesChoice choose_points(const ProcessReports& process, bool retained, std::size_t limit);

}  // namespace holdfast::cli
