#include "cli/compare/command_trend.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/command_run_for_test.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Json = nlohmann::json;

// A directory of reports that goes when this does.
class Reports {
 public:
  Reports() : directory_(std::filesystem::path(anchor_.path()).parent_path() / "dumps") {
    std::filesystem::create_directory(directory_);
  }
  void add(const SampleReport& sample) { add_bytes(sample_file(sample)); }
  void add_bytes(const std::vector<std::byte>& bytes) {
    const std::string name = "r" + std::to_string(1000 + count_++) + ".hfr";
    std::ofstream file(directory_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::string path() const { return directory_.string(); }
  std::string file(int nth) const {
    return (directory_ / ("r" + std::to_string(1000 + nth) + ".hfr")).string();
  }

  Outcome run(std::vector<std::string> options = {}, bool utf8 = true) const {
    options.insert(options.begin(), {"trend", path()});
    return run_line(options, utf8);
  }
  static Outcome run_line(const std::vector<std::string>& arguments, bool utf8 = true) {
    return run_command(arguments, {.utf8 = utf8});
  }
  Json json(std::vector<std::string> options = {}) const {
    options.push_back("--json");
    const Outcome outcome = run(options);
    CHECK(outcome.code == ExitCode::kDone);
    return Json::parse(outcome.out);
  }

 private:
  TemporaryFile anchor_{{}};
  std::filesystem::path directory_;
  int count_ = 0;
};

SampleReport at(std::uint64_t minute, std::uint64_t sessions) {
  SampleReport sample;
  sample.simple = true;
  sample.minutes_later = minute;
  sample.sessions = sessions;
  // A load that comes and goes, and classes that do nothing.
  const std::uint64_t load = minute % 60 < 30 ? minute % 60 : 60 - minute % 60;
  sample.more_classes = {{"shop.Request", 100 * load, 100'000 * load, 0},
                         {"shop.Config", 12, 60'000, 0}};
  return sample;
}

void add_leak(Reports& reports, std::size_t count) {
  // Not in the order of time: files sort by name.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t turn = (i * 7) % count;
    reports.add(at(turn * 5, 1000 + turn * 200));
  }
}

Json row_of(const Json& trend, const char* name) {
  for (const Json& row : trend["classes"])
    if (row["class"] == name) return row;
  FAIL("no row for ", name);
  return {};
}

}  // namespace

TEST_CASE("trend text: golden") {
  Reports leak;
  add_leak(leak, 30);
  SampleReport other = at(15, 500);
  other.pid = 99;
  leak.add(other);
  leak.add_bytes({});
  check_golden("trend_leak_80", leak.run().out);
  check_golden("trend_leak_ascii_120", leak.run({"--width", "120"}, false).out);
  check_golden("trend_json",
               replaced(leak.run({"--json", "--top", "2"}).out, leak.path() + "/", ""));
  Reports few;
  add_leak(few, 3);
  check_golden("trend_few_80", few.run().out);
  Reports steady;
  for (std::uint64_t i = 0; i < 26; ++i) steady.add(at(i * 5, 2000 + i % 3));
  check_golden("trend_steady_80", steady.run().out);
}

TEST_CASE("trend: a leak is named with its speed and how sure that is; a load is not") {
  Reports reports;
  add_leak(reports, 30);
  const Json json = reports.json();
  CHECK(json["schema_version"] == 1);
  const Json& trend = json["processes"][0];
  CHECK(trend["shown"] == true);
  CHECK(trend["points"].size() == 30);
  CHECK(trend["points"][0]["dumped_utc_ms"] < trend["points"][29]["dumped_utc_ms"]);
  CHECK(row_of(trend, "shop.Session")["course"] == "grows");
  CHECK(row_of(trend, "shop.Session")["instances"][29] == 1000 + 29 * 200);
  CHECK(row_of(trend, "shop.Session")["chance_of_any"] < 0.01);
  CHECK(row_of(trend, "byte[]")["course"] == "grows");
  CHECK(row_of(trend, "byte[]")["per_hour"].get<double>() ==
        doctest::Approx(200.0 * 12 * 58 * 1024 * 1024 / 4812).epsilon(0.001));
  CHECK(row_of(trend, "shop.Request")["course"] != "grows");
  CHECK(row_of(trend, "shop.Config")["course"] == "steady");
  CHECK(trend["heap"]["course"] == "grows");
  const std::string verdict = json["verdict"];
  CHECK(
      verdict.starts_with("shop.Session grows: +76.8 KB of shallow size an hour, 30 reports over "
                          "2 h 25 min; were its values independent, "));
  CHECK(reports.run().out.starts_with("shop.Session grows: "));
}

TEST_CASE("trend: memory accounts beside the classes, with what cannot be compared") {
  Reports reports;
  for (std::uint64_t i = 0; i < 14; ++i) {
    SampleReport sample = at(i * 5, 1000 + i * 200);
    sample.accounts = sample.all_accounts = i != 3;
    sample.accounts_begun_later = i < 2 ? 0 : 9;
    reports.add(sample);
  }
  check_golden("trend_accounts_80", reports.run().out);
  check_golden("trend_accounts_120", reports.run({"--width", "120"}).out);
  const Json trend = reports.json({"--top", "2"})["processes"][0];
  CHECK(trend["accounting"]["points"] == 11);
  CHECK(trend["accounting"]["mode"] == "sampled");
  CHECK(trend["accounts_total"] == 4);
  REQUIRE(trend["accounts"].size() == 2);
  CHECK(trend["accounts"][0]["account"] == "shop.*");
  CHECK(trend["accounts"][0]["course"] == "grows");
  CHECK(trend["accounts"][0]["live"]["bytes"].size() == 14);
  Reports without;
  add_leak(without, 3);
  CHECK(without.json()["processes"][0]["accounting"].is_null());
  CHECK(without.json()["processes"][0]["accounts"].is_null());
}

TEST_CASE("trend: single objects that reports know again, with what they retain") {
  Reports reports;
  for (std::uint64_t i = 0; i < 14; ++i) {
    SampleReport sample = at(i * 5, 1000 + i * 200);
    sample.simple = false;
    sample.tracking = i != 3;
    sample.tracking_begun_later = i < 2 ? 0 : 9;
    reports.add(sample);
  }
  check_golden("trend_objects_80", reports.run().out);
  const Json trend = reports.json({"--top", "2"})["processes"][0];
  CHECK(trend["tracking"]["points"] == 11);
  CHECK(trend["objects_total"] == 3);
  REQUIRE(trend["objects"].size() == 2);
  const Json& map = trend["objects"][0];
  CHECK(map["identity"] == 2);
  CHECK(map["class"] == "java.util.concurrent.ConcurrentHashMap");
  CHECK(map["course"] == "grows");
  REQUIRE(map["retained_bytes"].size() == 14);
  CHECK(map["retained_bytes"][1].is_null());
  CHECK(map["retained_bytes"][2] < map["retained_bytes"][13]);
  Reports without;
  add_leak(without, 3);
  CHECK(without.json()["processes"][0]["tracking"].is_null());
  CHECK(without.json()["processes"][0]["objects"].is_null());
}

TEST_CASE("trend: counted accounts of a VM that does not tell what died are compared, not judged") {
  Reports reports;
  for (std::uint64_t i = 0; i < 9; ++i) {
    SampleReport sample = at(i * 5, 1000 + i * 200);
    sample.accounts = sample.exact_accounts = true;
    reports.add(sample);
  }
  check_golden("trend_exact_accounts_80", reports.run().out);
  CHECK(reports.json()["processes"][0]["accounts"][0]["live"].is_null());
}

TEST_CASE("trend: too few reports say how many more are needed, and nothing grows") {
  Reports reports;
  add_leak(reports, 5);
  const Json json = reports.json();
  CHECK(json["processes"][0]["reports_needed"] == 8);
  CHECK(json["verdict"] ==
        "Too few reports to tell growth from chance: 5 that can be compared; the test needs 8, 3 "
        "more");
  for (const Json& row : json["processes"][0]["classes"]) {
    CHECK(row["course"] == "too_few_reports");
    CHECK(row["chance"].is_null());
  }
  Reports one;
  add_leak(one, 1);
  CHECK(one.run().code == ExitCode::kDone);
}

TEST_CASE("trend: what is steady, and what fell again, is no growth") {
  Reports reports;
  for (std::uint64_t i = 0; i < 24; ++i)
    reports.add(at(i * 60, i < 16 ? 1000 + i * 300 : 1000 + (24 - i) * 300));
  const Json json = reports.json();
  CHECK(row_of(json["processes"][0], "shop.Session")["course"] == "fell_again");
  CHECK(json["verdict"].get<std::string>().starts_with("No class grows"));
}

TEST_CASE("trend: processes are kept apart, and chosen") {
  Reports reports;
  add_leak(reports, 12);
  for (std::uint64_t i = 0; i < 9; ++i) {
    SampleReport other = at(i * 5, 3000);
    other.pid = 99;
    reports.add(other);
  }
  const Json json = reports.json();
  REQUIRE(json["processes"].size() == 2);
  CHECK(json["processes"][0]["pid"] == 4242);
  CHECK(json["processes"][1]["shown"] == false);
  CHECK(reports.run().out.find("1 other process in these files") != std::string::npos);
  const Json other = reports.json({"--process", "99"});
  CHECK(other["processes"][0]["shown"] == false);
  CHECK(other["processes"][1]["points"].size() == 9);
  CHECK(other["verdict"].get<std::string>().starts_with("No class grows"));
  const Json all = reports.json({"--all-processes"});
  CHECK(all["processes"][0]["shown"] == true);
  CHECK(all["processes"][1]["shown"] == true);
  const Outcome none = reports.run({"--process", "5"});
  CHECK(none.code == ExitCode::kWrongUsage);
  CHECK(none.err.find("there are: 4242, 99") != std::string::npos);
}

namespace {

// Calls once, when the first byte comes.
class FirstByte : public std::stringbuf {
 public:
  explicit FirstByte(std::function<void()> act) : act_(std::move(act)) {}

 private:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (count > 0 && act_) std::exchange(act_, nullptr)();
    return std::stringbuf::xsputn(text, count);
  }
  std::function<void()> act_;
};

}  // namespace

TEST_CASE("trend: a process is written before the next one is read, so that one is in memory") {
  for (const std::string option : {"--json", "--color=never"}) {
    Reports reports;
    add_leak(reports, 12);
    for (std::uint64_t i = 0; i < 9; ++i) {
      SampleReport other = at(i * 5, 3000);
      other.pid = 99;
      reports.add(other);
    }
    FirstByte first_byte([&] { std::filesystem::remove(reports.file(12)); });
    std::ostream out(&first_byte);
    std::ostringstream err;
    Surroundings surroundings{out, err};
    CHECK(run_command_line({"trend", reports.path(), "--all-processes", option}, surroundings) ==
          ExitCode::kDone);
    CHECK(err.str().find("skipped: " + reports.file(12)) != std::string::npos);
    if (option != "--json") continue;
    const Json json = Json::parse(first_byte.str());
    CHECK(json["processes"][0]["points"].size() == 12);
    CHECK(json["processes"][1]["points"].size() == 8);
    REQUIRE(json["skipped"].size() == 1);
    CHECK(json["skipped"][0]["file"] == reports.file(12));
  }
}

TEST_CASE("trend: what counts otherwise is left out of the series and said") {
  Reports reports;
  add_leak(reports, 12);
  SampleReport extended = at(200, 2000);
  extended.simple = false;
  reports.add(extended);
  const Json json = reports.json();
  CHECK(json["processes"][0]["reports"] == 13);
  CHECK(json["processes"][0]["comparable_reports"] == 12);
  CHECK(reports.run().out.find("1 report left out") != std::string::npos);
  CHECK(reports.json({"--sort", "retained"})["processes"][0]["comparable_reports"] == 1);
}

TEST_CASE("trend: damaged files are skipped with a line each; nothing left, an empty directory") {
  Reports reports;
  add_leak(reports, 9);
  std::vector<std::byte> broken = sample_file({});
  broken[broken.size() / 2] ^= std::byte{1};
  reports.add_bytes(broken);
  reports.add_bytes({});
  const Outcome some = reports.run();
  CHECK(some.code == ExitCode::kDone);
  CHECK(std::ranges::count(some.err, '\n') == 2);
  CHECK(some.err.find("skipped: " + reports.file(9) + ": is damaged") != std::string::npos);
  CHECK(some.out.find("2 of 11 files") != std::string::npos);
  CHECK(reports.json()["skipped"].size() == 2);

  Reports bad;
  bad.add_bytes(broken);
  bad.add_bytes({});
  const Outcome none = bad.run();
  CHECK(none.code == ExitCode::kBadInput);
  CHECK(none.out.empty());
  CHECK(none.err.find("none of 2 files can be read") != std::string::npos);

  const Outcome empty = Reports().run();
  CHECK(empty.code == ExitCode::kWrongUsage);
  CHECK(std::ranges::count(empty.err, '\n') == 1);
  CHECK(empty.err.find("has no report in it") != std::string::npos);
  const Outcome missing = Reports::run_line({"trend", reports.file(0), "/no/such.hfr"});
  CHECK(missing.code == ExitCode::kWrongUsage);
  CHECK(missing.err.find("/no/such.hfr: No such file") != std::string::npos);
  const Outcome pattern = reports.run({"--class", "no.such"});
  CHECK(pattern.code == ExitCode::kWrongUsage);
  const Outcome simple = reports.run({"--sort", "retained", "--class", "shop.*"});
  CHECK(simple.code == ExitCode::kWrongUsage);
  CHECK(simple.err.find("no report of these has retained sizes") != std::string::npos);
  CHECK(simple.err.find("--class") == std::string::npos);
  CHECK(Reports::run_line({"trend"}).code == ExitCode::kWrongUsage);
}

TEST_CASE("trend: names cannot act on the terminal, and no line is wider than the page") {
  Reports reports;
  for (std::uint64_t i = 0; i < 12; ++i) {
    SampleReport sample = at(i * 5, 1000 + i * 400);
    sample.session_class = "evil.\x1b]0;x\x07\u202E\n" + std::string(10'000, 'x');
    sample.main_name = "\x1b[2J" + std::string(300, 'm');
    sample.host = "h\r\n" + std::string(300, 'h');
    reports.add(sample);
  }
  for (const char* columns : {"40", "60", "80", "133", "240"}) {
    const Outcome outcome = reports.run({"--width", columns});
    std::istringstream stream(outcome.out);
    for (std::string line; std::getline(stream, line);)
      CHECK_MESSAGE(display_width(line) <= std::stoul(columns), line);
    for (const char c : outcome.out) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
    CHECK(outcome.out.find("\u202E") == std::string::npos);
  }
}
