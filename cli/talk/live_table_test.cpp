#include "cli/talk/live_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/talk/watch_json.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kStart = 1'795'249'412'004;

HistogramRow row(std::uint64_t identity, const std::string& name, std::uint64_t instances,
                 std::uint64_t bytes) {
  HistogramRow row;
  row.identity = identity;
  row.instances = instances;
  row.shallow_bytes = bytes;
  std::strcpy(row.name, name.c_str());
  return row;
}

struct Watched {
  std::vector<HistogramRow> rows;
  WatchState state;
  WatchedClasses classes;
  std::vector<WatchedAccount> accounts;  // of the next sample
  WatchedAccounts accounting;

  Watched() { state.process = {"shop.Main", 4242, "web1", 3'725'000}; }

  void sample(std::vector<HistogramRow> with, std::uint32_t all_classes = 0) {
    rows = std::move(with);
    ClassHistogram histogram;
    histogram.sequence = classes.samples() + 1;
    histogram.taken_utc_ms = kStart + classes.samples() * 5'000;
    histogram.pause_ns = 12'300'000;
    histogram.cost_ns = 20'000'000;
    histogram.heap = {(96 + classes.samples()) << 20, 128u << 20, 256u << 20};
    for (const HistogramRow& each : rows) {
      histogram.total_instances += each.instances;
      histogram.total_bytes += each.shallow_bytes;
    }
    histogram.classes = all_classes == 0 ? static_cast<std::uint32_t>(rows.size()) : all_classes;
    histogram.rows = rows;
    histogram.accounts = accounting;
    histogram.accounts.rows = accounts;
    classes.add(histogram);
    note_sample(state, histogram,
                {41 + classes.samples(), 2, 312'000'000 + classes.samples() * 20'000'000, 80u << 20,
                 256u << 20});
  }
};

Watched leaking() {
  Watched watched;
  for (std::uint64_t i = 0; i < 3; ++i)
    watched.sample(
        {row(1, "byte[]", 31'204, (58u << 20) - i * 4096),
         row(2, "shop.Session", 4'812 + i * 100, 154'000 + i * 3'200),
         row(3, "com.acme.shop.internal.catalog.ProductRecommendationCache", 20'000, 625'000),
         row(4, "java.lang.String", 54'321, 1'300'000)});
  return watched;
}

std::vector<std::string> names(const WatchedClasses& classes, WatchOrder order,
                               const std::string& filter = "", std::size_t top = 99) {
  std::vector<std::string> names;
  for (const WatchedClass* each : classes.rows(order, filter, top)) names.push_back(each->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "a frame says what the last collection did, and after how many full ones it was counted") {
  Watched watched = leaking();
  const auto shown = [&watched] {
    return frame_text(watched.state, watched.classes, {.columns = 200, .filter = ""});
  };
  CHECK(shown().find("80.0 MB after the last collection") != std::string::npos);
  CHECK(shown().find("\n2 full collections before this sample\n") != std::string::npos);
  watched.state.collections.last_pause_ns = 7'200'000;
  watched.state.collections.heard = {38, kStart, 12'000'000, 1234u << 20, 80u << 20, 30u << 20};
  CHECK(shown().find(
            "\nlast collection: 80.0 MB to 30.0 MB in 7.2 ms; 2 full before this sample\n") !=
        std::string::npos);
  CHECK(shown().find("after the last collection") == std::string::npos);
  watched.state.collections.full = kUnknownCount;
  CHECK(shown().find("\nlast collection: 80.0 MB to 30.0 MB in 7.2 ms\n") != std::string::npos);
}

TEST_CASE("watched classes: changes against the last and the first sample") {
  const Watched watched = leaking();
  const auto rows = watched.classes.rows(WatchOrder::kGrowth, "", 1);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]->name == "shop.Session");
  CHECK(rows[0]->change_bytes == 3'200);
  CHECK(rows[0]->growth_bytes == 6'400);
  CHECK(rows[0]->series == std::vector<std::uint64_t>{154'000, 157'200, 160'400});
}

TEST_CASE("watched classes: orders, filter and top; ties by size, then by name") {
  const Watched watched = leaking();
  CHECK(names(watched.classes, WatchOrder::kBytes).front() == "byte[]");
  CHECK(names(watched.classes, WatchOrder::kInstances).front() == "java.lang.String");
  CHECK(names(watched.classes, WatchOrder::kGrowth).back() == "byte[]");
  CHECK(names(watched.classes, WatchOrder::kBytes, "Sess") == Names{"shop.Session"});
  CHECK(names(watched.classes, WatchOrder::kBytes, "shop.*") == Names{"shop.Session"});
  CHECK(names(watched.classes, WatchOrder::kBytes, "*.S*").size() == 2);
  CHECK(names(watched.classes, WatchOrder::kBytes, "nobody").empty());
  CHECK(names(watched.classes, WatchOrder::kBytes, "", 2).size() == 2);
}

TEST_CASE("watched classes: one that appears counts from nothing, one that goes is gone") {
  Watched watched;
  watched.sample({row(1, "a", 1, 100), row(2, "b", 1, 100)});
  watched.sample({row(1, "a", 1, 100), row(3, "c", 1, 50)});
  const auto rows = watched.classes.rows(WatchOrder::kGrowth, "", 9);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]->name == "c");
  CHECK(rows[0]->growth_bytes == 50);
  CHECK(rows[0]->series == std::vector<std::uint64_t>{0, 50});
  CHECK(rows[2]->name == "b");
  CHECK(rows[2]->growth_bytes == -100);
}

TEST_CASE("watched classes: what a cut list leaves out is not taken for nothing") {
  Watched watched;
  watched.sample({row(1, "a", 1, 100)}, 50);
  watched.sample({row(2, "b", 1, 900)}, 50);
  const auto rows = watched.classes.rows(WatchOrder::kGrowth, "", 9);
  REQUIRE(rows.size() == 1);  // a is somewhere below the cut
  CHECK(rows[0]->growth_bytes == 0);
  watched.sample({row(1, "a", 1, 160)}, 50);
  CHECK(watched.classes.rows(WatchOrder::kGrowth, "", 9)[0]->growth_bytes == 60);
}

TEST_CASE("watched classes: a series and the number of classes are bounded") {
  Watched watched;
  for (std::uint64_t i = 0; i < WatchedClasses::kMaxSeries + 5; ++i)
    watched.sample({row(1, "a", 1, i)});
  const WatchedClass& a = *watched.classes.rows(WatchOrder::kBytes, "", 1)[0];
  CHECK(a.series.size() == WatchedClasses::kMaxSeries);
  CHECK(a.series.back() == WatchedClasses::kMaxSeries + 4);
  Watched many;
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::vector<HistogramRow> rows;
    for (std::uint64_t k = 0; k < 2'000; ++k) rows.push_back(row(i * 2'000 + k + 1, "x", 1, 1));
    many.sample(std::move(rows), 1'000'000);
  }
  CHECK(many.classes.dropped() == 40'000 - WatchedClasses::kMaxWatched);
}

TEST_CASE("live table: golden, plain and on a screen") {
  const Watched watched = leaking();
  check_golden("watch_80", frame_text(watched.state, watched.classes, {.filter = ""}));
  FrameOptions live{.columns = 60, .lines = 9, .colour = true, .keys = true, .filter = "s*"};
  live.paused = true;
  check_golden("watch_live_60", frame_text(watched.state, watched.classes, live));
  Watched once;
  once.sample(leaking().rows);
  check_golden("watch_once_80", histogram_text(once.state, once.classes,
                                               {.order = WatchOrder::kBytes, .filter = ""}));
}

namespace {

WatchedAccount account(const char* name, std::uint64_t live, std::uint64_t allocated,
                       bool sampled = true) {
  WatchedAccount row;
  std::strcpy(row.name, name);
  row.live = {live / 100, live, 0, sampled ? live / 50 : 0};
  row.allocated = {allocated / 100, allocated, 0, sampled ? allocated / 50 : 0};
  return row;
}

// Two samples, five seconds apart; the third account comes with the second.
Watched accounted(bool live_known = true) {
  Watched watched;
  watched.accounting.on = true;
  watched.accounting.live_known = live_known;
  watched.accounting.began_utc_ms = kStart - 60'000;
  watched.accounting.total = 3;
  const std::vector<HistogramRow> rows = {row(1, "byte[]", 31'204, 58u << 20),
                                          row(2, "shop.Session", 4'812, 154'000)};
  watched.accounts = {account("shop.*", 40u << 20, 600u << 20), account("idle.*", 0, 0)};
  watched.sample(rows);
  watched.accounts = {account("shop.*", 44u << 20, 640u << 20),
                      account("shop.search.*", 9u << 20, 300u << 20), account("idle.*", 0, 0)};
  watched.sample(rows);
  return watched;
}

nlohmann::json json_of(const Watched& watched) {
  return nlohmann::json::parse(sample_json(watched.state, watched.classes, {.filter = ""}, true));
}

}  // namespace

TEST_CASE("live table: accounts below the classes, in text and JSON") {
  const Watched watched = accounted();
  check_golden("watch_accounts_80", frame_text(watched.state, watched.classes, {.filter = ""}));
  check_golden("watch_accounts_once_80",
               histogram_text(watched.state, watched.classes, {.filter = ""}));
  const auto accounting = json_of(watched)["accounting"];
  CHECK(accounting["mode"] == "sampled");
  CHECK(accounting["accounts_total"] == 3);
  REQUIRE(accounting["accounts"].size() == 3);
  const auto& shop = accounting["accounts"][0];
  CHECK(shop["live_change_bytes"] == 4 << 20);
  CHECK(shop["allocated_since_last"]["bytes"] == 40 << 20);
  CHECK(shop["allocated_bytes_per_second"] == 8 << 20);
  CHECK(accounting["accounts"][1]["allocated_since_last"].is_null());
  CHECK(json_of(leaking())["accounting"].is_null());
  const Watched dead_unknown = accounted(false);
  CHECK(json_of(dead_unknown)["accounting"]["accounts"][0]["live"].is_null());
  CHECK(frame_text(dead_unknown.state, dead_unknown.classes, {.filter = ""}).find("  live") ==
        std::string::npos);
}

namespace {

Watched aging(std::uint32_t suspects) {
  Watched watched = leaking();
  watched.state.ages.on = true;
  watched.state.ages.collections = 1'312;
  watched.state.ages.candidates = 3;
  watched.state.ages.looks = 12;
  watched.state.ages.count = suspects;
  for (std::uint32_t i = 0; i < suspects; ++i) {
    AgeSuspect& suspect = watched.state.ages.suspects[i];
    suspect = {"", 5'312 + i, 154'000, 1'880, 60'160, 1'204, 93'000, 12, 41, 38, 98, 99 - i};
    std::snprintf(suspect.name, sizeof suspect.name, "com.acme.shop.Session%u", i);
  }
  return watched;
}

}  // namespace

TEST_CASE("live table: what piles up stands below the classes, in text and JSON") {
  const Watched watched = aging(2);
  check_golden("watch_ages_80", frame_text(watched.state, watched.classes, {.filter = ""}));
  CHECK(frame_text(aging(0).state, watched.classes, {.filter = ""})
            .find("no class piles up: 1,312 collections, 3 with old objects of many ages") !=
        std::string::npos);
  const auto ages = json_of(watched)["ages"];
  CHECK(ages["collections"] == 1'312);
  REQUIRE(ages["suspects"].size() == 2);
  CHECK(ages["suspects"][0]["class"] == "com.acme.shop.Session0");
  CHECK(ages["suspects"][0]["more_instances"] == 1'880);
  CHECK(ages["suspects"][1]["confidence_percent"] == 98);
  CHECK(json_of(leaking())["ages"].is_null());
}

TEST_CASE("live table: what piles up and classes share a screen") {
  const Watched watched = aging(kMostAgeSuspects);
  for (std::size_t lines = 1; lines < 40; ++lines) {
    const std::string frame =
        frame_text(watched.state, watched.classes, {.lines = lines, .keys = true, .filter = ""});
    const auto ends = static_cast<std::size_t>(std::count(frame.begin(), frame.end(), '\n'));
    CHECK(ends <= std::max<std::size_t>(lines, 9));
    CHECK((frame.find("Session0") != std::string::npos) == (lines >= 20));
  }
}

TEST_CASE("live table: accounts that begin anew are compared with nothing; no room is said") {
  Watched watched = accounted();
  watched.accounting.began_utc_ms = kStart;
  watched.sample(watched.rows);
  CHECK_FALSE(watched.state.accounts.rows()[0].known_before);
  CHECK(watched.state.accounts.elapsed_ms() == 0);
  watched.accounting.left_out = true;
  watched.accounts.clear();
  watched.sample(watched.rows);
  CHECK(frame_text(watched.state, watched.classes, {.filter = ""})
            .find("memory= has no room to sum them up") != std::string::npos);
  CHECK(json_of(watched)["accounting"]["left_out"] == true);
}

TEST_CASE("live table: classes and accounts share a screen") {
  const Watched watched = accounted();
  for (std::size_t lines = 1; lines < 40; ++lines) {
    const std::string frame =
        frame_text(watched.state, watched.classes, {.lines = lines, .keys = true, .filter = ""});
    const auto ends = static_cast<std::size_t>(std::count(frame.begin(), frame.end(), '\n'));
    CHECK(ends <= std::max<std::size_t>(lines, 9));
    CHECK((frame.find("shop.*") != std::string::npos) == (lines >= 17));
  }
}

TEST_CASE("live table: rows without room are said in each frame, and fit the screen") {
  Watched watched = leaking();
  CHECK(frame_text(watched.state, watched.classes, {}).find("left out") == std::string::npos);
  watched.state.left_out = 3;
  FrameOptions options;
  const std::string said = "3 rows are left out, for which this holdfast has no room";
  CHECK(frame_text(watched.state, watched.classes, options).find(said) != std::string::npos);
  CHECK(histogram_text(watched.state, watched.classes, options).find(said) != std::string::npos);
  options.lines = 11;
  CHECK(std::ranges::count(frame_text(watched.state, watched.classes, options), '\n') <= 11);
  const auto json =
      nlohmann::json::parse(sample_json(watched.state, watched.classes, {}, true, nullptr));
  CHECK(json["left_out"] == 3);
}

TEST_CASE("live table: a trend has a column once there are samples enough") {
  Watched watched;
  for (std::uint64_t i = 1; i <= 20; ++i)
    watched.sample({row(1, "leak", i, i * 1'000), row(2, "steady", 1, 50)});
  const std::string frame = frame_text(watched.state, watched.classes, {.filter = ""});
  CHECK(frame.find("since start  trend") != std::string::npos);
  CHECK(frame.find("grows") != std::string::npos);
  CHECK(frame.find("grows") == frame.rfind("grows"));
  CHECK(nlohmann::json::parse(sample_json(watched.state, watched.classes, {.filter = ""},
                                          true))["classes"][0]["chance_of_rise"]
            .get<double>() < 0.0001);
}

TEST_CASE("live table: a frame fits its screen, whatever the names are") {
  Watched watched;
  std::vector<HistogramRow> rows;
  for (std::uint64_t i = 1; i < 100; ++i)
    rows.push_back(row(i, "evil\x1b[2J." + std::string(100, 'x'), i, i * i * i * i * i * i));
  watched.sample(std::move(rows));
  watched.state.process.name = std::string(300, 'n') + "\x1b]0;owned\x07";
  for (const std::size_t columns : {std::size_t{40}, std::size_t{80}, std::size_t{200}})
    for (const std::size_t lines : {std::size_t{9}, std::size_t{24}, std::size_t{60}}) {
      const std::string frame =
          frame_text(watched.state, watched.classes,
                     {.columns = columns, .lines = lines, .keys = true, .filter = ""});
      std::istringstream stream(frame);
      std::size_t count = 0;
      for (std::string line; std::getline(stream, line); ++count)
        CHECK(display_width(line) <= columns);
      CHECK(count <= lines);
      CHECK(frame.find('\x1b') == std::string::npos);
    }
}

TEST_CASE("watch JSON: a line a sample, changes only from the second on") {
  Watched watched;
  watched.sample({row(1, "a", 1, 100)});
  const std::string first = sample_json(watched.state, watched.classes, {.filter = ""}, true);
  CHECK(std::count(first.begin(), first.end(), '\n') == 1);
  CHECK(nlohmann::json::parse(first)["classes"][0]["growth_bytes"].is_null());
  watched.sample({row(1, "a", 1, 150)});
  const auto second =
      nlohmann::json::parse(sample_json(watched.state, watched.classes, {.filter = ""}, false));
  CHECK(second["schema_version"] == 1);
  CHECK(second["classes"][0]["growth_bytes"] == 50);
  CHECK(second["classes"][0]["change_bytes"] == 50);
  CHECK(second["sample"] == 2);
  CHECK(second["pause_ms"] == 12.3);
  CHECK(second["heap"]["max_bytes"] == 256u << 20);
}

TEST_CASE("samples with garbage are not compared with samples of what is reachable") {
  std::vector<HistogramRow> rows(1);
  rows[0].identity = 1;
  std::strcpy(rows[0].name, "shop.Session");
  ClassHistogram histogram;
  histogram.classes = 1;
  WatchedClasses classes;
  const auto add = [&](bool reachable_only, std::uint64_t bytes) {
    rows[0].shallow_bytes = bytes;
    histogram.reachable_only = reachable_only;
    histogram.rows = rows;
    classes.add(histogram);
    return classes.rows(WatchOrder::kGrowth, "", 1).front();
  };
  add(true, 1000);
  CHECK(add(true, 1200)->growth_bytes == 200);
  CHECK(add(false, 9000)->growth_bytes == 0);
  CHECK(add(false, 9100)->growth_bytes == 100);
  CHECK(classes.samples() == 2);
  CHECK(classes.taken() == 4);
}
