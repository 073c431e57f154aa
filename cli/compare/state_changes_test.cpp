#include "cli/compare/state_changes.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "analysis/report/reader.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/page.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

ReportFacts with_states(std::uint64_t final_objects, std::uint64_t final_bytes,
                        std::uint64_t not_reached_bytes) {
  ReportFacts facts;
  facts.states = {{"strong", 138'000, 84 * kMega},
                  {"final", final_objects, final_bytes},
                  {"phantom", 0, 0},
                  {"not_reached", std::nullopt, not_reached_bytes}};
  return facts;
}

std::string changes_text(const ReportFacts& before, const ReportFacts& after) {
  Page page(80, false);
  write_state_changes(before, after, page);
  return page.text();
}

bool has_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("states before and after: what changed, and what was not reached has no objects") {
  const ReportFacts before = with_states(1624, 8 * kMega, 2 * kMega);
  const ReportFacts after = with_states(21'624, 199 * kMega, kMega);
  const std::string text = changes_text(before, after);
  CHECK(has_text(text, "HEAP BY STATE"));
  CHECK(has_text(text, "199.0 MB"));
  CHECK(has_text(text, "+191.0 MB"));
  CHECK(has_text(text, "+20,000"));
  CHECK(has_text(text, "not reached"));
  CHECK_FALSE(has_text(text, "phantom"));  // nothing in either
  const auto json = state_changes_json(before, after);
  REQUIRE(json.size() == 4);
  CHECK(json[1]["state"] == "final");
  CHECK(json[1]["before"]["objects"] == 1624);
  CHECK(json[1]["change"]["objects"] == 20'000);
  CHECK(json[3]["before"]["objects"].is_null());
  CHECK(json[3]["change"]["shallow_bytes"] == -static_cast<std::int64_t>(kMega));
}

TEST_CASE("states: a report without them compares to none") {
  const ReportFacts none, some = with_states(1, 1, 0);
  CHECK(changes_text(none, some).empty());
  CHECK(state_changes_json(some, none).is_null());
}

TEST_CASE("states of a series: a report that says nothing of them is a gap") {
  ProcessReports process;
  process.reports = {with_states(10, kMega, 0), ReportFacts{}, with_states(30, 3 * kMega, 0)};
  ProcessTrend trend;
  trend.process = &process;
  trend.choice.points = {0, 1, 2};
  const auto json = state_series_json(trend);
  REQUIRE(json.size() == 2);  // strong, final
  CHECK(json[1]["state"] == "final");
  CHECK(json[1]["objects"] == nlohmann::ordered_json({10, nullptr, 30}));
  CHECK(json[1]["shallow_bytes"] == nlohmann::ordered_json({kMega, nullptr, 3 * kMega}));
  Page page(80, false);
  write_state_series(trend, {}, page);
  CHECK(has_text(page.text(), "3.0 MB"));
  trend.choice.points = {1};
  CHECK(state_series_json(trend).is_null());
}

TEST_CASE("facts of a report have its states") {
  const std::vector<std::byte> file = sample_file({});
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  const ReportFacts facts = facts_of(make_report_view(**report, file.size()), "a.hfr");
  REQUIRE(facts.states.size() == kHeapStates + 1);
  CHECK(facts.states[3].state == "final");
  CHECK(facts.states[3].objects == 1624);
  CHECK(facts.states[5].state == "unreachable");
  CHECK(facts.states[5].bytes == 16 * kMega);
  CHECK(facts.states.back().state == "not_reached");
}
