#include "cli/compare/process_reports.h"

#include <algorithm>
#include <array>

namespace holdfast::cli {
namespace {

bool started_first(const ProcessReports& a, const ProcessReports& b) {
  if (a.reports.size() != b.reports.size()) return a.reports.size() > b.reports.size();
  return a.reports.back().dumped_utc_ms > b.reports.back().dumped_utc_ms;
}

// What most reports count; of as many, what says more about leaks.
Counted most_counted(const std::vector<ReportFacts>& reports) {
  std::array<std::size_t, 3> counts{};
  for (const ReportFacts& facts : reports) ++counts[static_cast<std::size_t>(facts.counted)];
  return static_cast<Counted>(std::ranges::max_element(counts) - counts.begin());
}

}  // namespace

std::vector<ProcessReports> sort_by_process(std::vector<ReportFacts> reports) {
  std::ranges::stable_sort(reports, {}, &ReportFacts::dumped_utc_ms);
  std::vector<ProcessReports> processes;
  for (ReportFacts& facts : reports) {
    const auto known = std::ranges::find_if(processes, [&](const ProcessReports& process) {
      return same_process(process.reports.back(), facts);
    });
    if (known == processes.end()) {
      processes.push_back({{std::move(facts)}, 0});
    } else if (same_dump(known->reports.back(), facts)) {
      ++known->copies;
    } else {
      known->reports.push_back(std::move(facts));
    }
  }
  std::ranges::stable_sort(processes, started_first);
  return processes;
}

SeriesChoice choose_points(const ProcessReports& process, bool retained, std::size_t limit) {
  SeriesChoice choice;
  choice.counted = retained ? Counted::kHeld : most_counted(process.reports);
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < process.reports.size(); ++i) {
    const ReportFacts& facts = process.reports[i];
    // Two dumps of one millisecond would have no slope.
    const bool later =
        alike.empty() || facts.dumped_utc_ms > process.reports[alike.back()].dumped_utc_ms;
    if (facts.counted == choice.counted && (facts.retained || !retained) && later)
      alike.push_back(i);
  }
  choice.comparable = alike.size();
  if (alike.size() <= limit) {
    choice.points = std::move(alike);
    return choice;
  }
  for (std::size_t i = 0; i < limit; ++i)
    choice.points.push_back(alike[i * (alike.size() - 1) / (limit - 1)]);
  return choice;
}

}  // namespace holdfast::cli
