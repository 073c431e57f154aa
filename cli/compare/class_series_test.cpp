#include "cli/compare/class_series.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/compare/process_reports.h"
#include "cli/compare/sparkline.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr ClassOrder kShallow = ClassOrder::kShallow;

ReportView make_report(std::initializer_list<std::pair<const char*, std::uint64_t>> rows,
                       std::uint64_t rest_bytes = 0) {
  ReportView view;
  for (const auto& [name, bytes] : rows) {
    ClassView row;
    row.name = name;
    row.loader = "app";
    row.instances = bytes / 10;
    row.shallow_bytes = bytes;
    view.classes.push_back(row);
  }
  view.classes_total = view.classes.size() + (rest_bytes > 0 ? 3 : 0);
  view.rest_of_classes.shallow_bytes = rest_bytes;
  return view;
}

const OneSeries& series_of(const ClassSeries& all, std::string_view name) {
  const auto at = std::ranges::find(all.classes(), name, &OneSeries::name);
  REQUIRE(at != all.classes().end());
  return *at;
}

ReportFacts facts(std::uint32_t pid, std::uint64_t minute, std::uint64_t started_minute,
                  Counted counted = Counted::kAll) {
  ReportFacts made;
  made.main_name = "shop.Main";
  made.pid = pid;
  made.dumped_utc_ms = 1'000'000'000'000 + minute * 60'000;
  made.uptime_ms = (minute - started_minute) * 60'000 + 1;
  made.sequence = static_cast<std::uint32_t>(minute);
  made.counted = counted;
  made.graph = made.retained = counted == Counted::kHeld;
  return made;
}

}  // namespace

TEST_CASE("class series: what is not listed is nothing where the list is whole, else not known") {
  ClassSeries all(4);
  all.add(make_report({{"A", 100}}));
  all.add(make_report({{"A", 200}, {"B", 60}}, 40));
  all.add(make_report({{"C", 50}}, 45));
  all.add(make_report({{"A", 400}, {"C", 10}}));
  using Values = std::vector<std::optional<std::uint64_t>>;
  CHECK(all.known(series_of(all, "A"), kShallow) == Values{100, 200, std::nullopt, 400});
  CHECK(all.known(series_of(all, "B"), kShallow) == Values{0, 60, std::nullopt, 0});
  CHECK(all.known(series_of(all, "C"), kShallow) == Values{0, std::nullopt, 50, 10});
  CHECK(all.cautious(series_of(all, "A"), kShallow) == std::vector<double>{100, 200, 0, 400});
  CHECK(all.totals(kShallow) == std::vector<double>{100, 300, 95, 410});
}

TEST_CASE("class series: before a class is listed it counts as the most that it can have had") {
  ClassSeries all(3);
  all.add(make_report({{"A", 100}}, 900));
  all.add(make_report({{"A", 120}}, 70));
  all.add(make_report({{"A", 100}, {"B", 500}}, 70));
  CHECK(all.cautious(series_of(all, "B"), kShallow) == std::vector<double>{100, 100, 500});
}

TEST_CASE("class series: no more points and classes than there is room for") {
  ClassSeries all(2);
  for (int i = 0; i < 5; ++i) all.add(make_report({{"A", 100}}));
  CHECK(all.points().size() == 2);
  ClassSeries many(1);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMaxSeries + 5; ++i) names.push_back("C" + std::to_string(i));
  ReportView view;
  view.classes.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) view.classes[i].name = names[i];
  many.add(view);
  CHECK(many.classes().size() == kMaxSeries);
  CHECK(many.dropped() == 5);
}

TEST_CASE("process reports: by process and time; a number that is used again is another process") {
  const auto processes = sort_by_process({facts(7, 30, 0), facts(7, 10, 0), facts(9, 20, 5),
                                          facts(7, 10, 0), facts(7, 90, 85), facts(7, 20, 0)});
  REQUIRE(processes.size() == 3);
  REQUIRE(processes[0].reports.size() == 3);
  CHECK(processes[0].copies == 1);
  CHECK(processes[0].reports[0].sequence == 10);
  CHECK(processes[0].reports[2].sequence == 30);
  CHECK(processes[1].reports[0].sequence == 90);  // of as many reports, the latest
  CHECK(processes[2].reports[0].pid == 9);
  // Up for longer than the one before had been: its start tells.
  CHECK(sort_by_process({facts(7, 30, 0), facts(7, 90, 40)}).size() == 2);
  CHECK(sort_by_process({facts(7, 30, 0), facts(7, 90, 0)}).size() == 1);
}

TEST_CASE("process reports: one series counts alike, and keeps the first and the last") {
  ProcessReports process;
  for (std::uint64_t minute = 1; minute <= 1000; ++minute)
    process.reports.push_back(
        facts(7, minute, 0, minute % 10 == 0 ? Counted::kHeld : Counted::kAll));
  const SeriesChoice simple = choose_points(process, false, 64);
  CHECK(simple.counted == Counted::kAll);
  CHECK(simple.comparable == 900);
  REQUIRE(simple.points.size() == 64);
  CHECK(simple.points.front() == 0);
  CHECK(simple.points.back() == 998);
  CHECK(std::ranges::is_sorted(simple.points));
  const SeriesChoice retained = choose_points(process, true, 200);
  CHECK(retained.points.size() == 100);
  CHECK(retained.points.front() == 9);
}

TEST_CASE("sparkline: blocks, ASCII, gaps, and no mountains of nothing") {
  using Values = std::vector<std::optional<std::uint64_t>>;
  CHECK(sparkline(Values{0, 50, 100}, 10, true) == "▁▅█");
  CHECK(sparkline(Values{0, 50, 100}, 10, false) == "_=#");
  CHECK(sparkline(Values{0, std::nullopt, 100}, 10, false) == "_ #");
  CHECK(sparkline(Values{1000, 1001, 1000}, 10, false) == "___");
  CHECK(sparkline(Values{0, 0, 100, 100}, 2, false) == "_#");
  CHECK(sparkline(Values{}, 5, true).empty());
  CHECK(sparkline(Values{std::nullopt}, 5, true) == " ");
  CHECK(sparkline(Values{UINT64_MAX, 0}, 5, false) == "#_");
}
