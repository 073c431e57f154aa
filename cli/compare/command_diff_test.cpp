#include "cli/compare/command_diff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/report/reader.h"
#include "cli/command_run_for_test.h"
#include "cli/compare/diff_json.h"
#include "cli/compare/diff_text.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Outcome run(const std::vector<std::string>& arguments) { return run_command(arguments); }

class Files {
 public:
  Files(const SampleReport& before, const SampleReport& after)
      : before_(sample_file(before), "a.hfr"), after_(sample_file(after), "b.hfr") {}

  Outcome diff(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"diff", before_.path(), after_.path()});
    return run(options);
  }
  std::string text(std::vector<std::string> options = {}) const {
    const Outcome outcome = diff(std::move(options));
    CHECK(outcome.code == ExitCode::kDone);
    CHECK(outcome.err.empty());
    return outcome.out;
  }
  Json json(std::vector<std::string> options = {}) const {
    options.push_back("--json");
    const Outcome outcome = diff(std::move(options));
    CHECK(outcome.code == ExitCode::kDone);
    return Json::parse(outcome.out);
  }

 private:
  TemporaryFile before_, after_;
};

SampleReport before() {
  return {.sessions = 1000, .more_classes = {{"shop.Basket", 12, 480, 9000}}};
}
SampleReport after() {
  return {.minutes_later = 62, .more_classes = {{"shop.Order", 90, 4320, 700'000}}};
}

// Without the command, so that no path of a temporary file is in it.
template <class Show>
std::string shown(const SampleReport& before, const SampleReport& after, Show show,
                  std::optional<ClassOrder> order = std::nullopt, const NameFilter& filter = {}) {
  const std::vector<std::byte> a = sample_file(before), b = sample_file(after);
  const auto first = analysis::check_report(a), second = analysis::check_report(b);
  REQUIRE((first.ok() && second.ok()));
  const ReportView view_a = make_report_view(**first, a.size());
  const ReportView view_b = make_report_view(**second, b.size());
  return show(make_diff(view_a, view_b, "a.hfr", "b.hfr", order, filter));
}

std::string golden(const SampleReport& before, const SampleReport& after,
                   const DiffTextOptions& options, std::optional<ClassOrder> order = std::nullopt,
                   const NameFilter& filter = {}) {
  return shown(
      before, after, [&](const Diff& diff) { return diff_text(diff, options); }, order, filter);
}

std::string golden_json(const SampleReport& before, const SampleReport& after) {
  return shown(before, after, [](const Diff& diff) { return diff_json(diff, 0, {}); });
}

std::vector<std::string> codes(const Json& json) {
  std::vector<std::string> found;
  for (const Json& warning : json["warnings"]) found.push_back(warning["code"]);
  return found;
}
using Codes = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("diff text: golden") {
  check_golden("diff_extended_80", golden(before(), after(), {}));
  SampleReport simple_before = before(), simple_after = after();
  simple_before.simple = simple_after.simple = true;
  check_golden("diff_simple_80", golden(simple_before, simple_after, {}));
  simple_after.pid = 99;
  simple_after.losses = true;
  check_golden("diff_mixed_80", golden(before(), simple_after, {}));
  check_golden(
      "diff_chosen_100",
      golden(before(), after(), {.columns = 100, .top = 5, .sections = {"classes", "tree"}},
             ClassOrder::kInstances, {{"shop.*"}, {"*Order"}}));
}

TEST_CASE("diff json: golden") { check_golden("diff_json", golden_json(before(), after())); }

TEST_CASE("diff: the first line names what grew most, by how much, in what time") {
  const auto lines = lines_of(Files(before(), after()).text({"--width", "400"}));
  CHECK(lines[0].find(
            "shop.Session grew most of the program's own classes: retained size +48.3 MB") !=
        std::string::npos);
  CHECK(lines[0].find(" in 1 h 2 min") != std::string::npos);
  CHECK(lines[1].starts_with("Two reports are two points: a difference, no trend."));
  const auto shrunk = lines_of(Files(after(), {.sessions = 100, .minutes_later = 90}).text());
  CHECK(shrunk[0].find("No class grew") != std::string::npos);
}

TEST_CASE("diff: what makes it doubtful is said, and it goes on") {
  const Files good(before(), after());
  CHECK(codes(good.json()).empty());
  CHECK(codes(Files(after(), before()).json()) == Codes{"wrong_order"});
  CHECK(Files(after(), before()).json()["elapsed_ms"] == -62 * 60'000);
  CHECK(codes(Files(after(), after()).json()) == Codes{"same_dump"});
  SampleReport other = after();
  other.main_name = "bank.Main";
  other.host = "web2";
  CHECK(codes(Files(before(), other).json()) == Codes{"different_program", "different_host"});
  CHECK(Files(before(), other).json()["same_program"] == false);
  other = after();
  other.pid = 77;
  CHECK(codes(Files(before(), other).json()) == Codes{"different_process"});
  other = after();
  other.note = "imported from HPROF by Eclipse MAT's rules";
  other.retain = "strong";
  CHECK(codes(Files(before(), other).json()) == Codes{"different_rules", "different_retain"});
  other = after();
  other.simple = true;
  CHECK(codes(Files(before(), other).json()) == Codes{"no_graph", "counted_differently"});
  CHECK(codes(Files(before(), other).json({"--sort", "retained"})).back() == "sorted_by_shallow");
  other = after();
  other.losses = true;
  CHECK(codes(Files(before(), other).json()) == Codes{"incomplete"});
}

TEST_CASE("diff json: rows with both sides, the change, and what is not listed") {
  const Json json = Files(before(), after()).json();
  CHECK(json["schema_version"] == 1);
  CHECK(json["sorted_by"] == "retained");
  CHECK(json["same_process"] == true);
  CHECK(json["totals"]["change"]["retained_bytes"] ==
        json["totals"]["after"]["retained_bytes"].get<std::int64_t>() -
            json["totals"]["before"]["retained_bytes"].get<std::int64_t>());
  const auto row = [&](const char* name) {
    for (const Json& each : json["classes"])
      if (each["class"] == name) return each;
    FAIL("no row for ", name);
    return Json();
  };
  CHECK(row("shop.Session")["status"] == "grown");
  CHECK(row("shop.Session")["before"]["instances"] == 1000);
  CHECK(row("shop.Session")["change"]["instances"] == 3812);
  CHECK(row("shop.Order")["before"]["presence"] == "not_listed");
  CHECK(row("shop.Order")["before"]["instances"] == 0);
  CHECK(row("shop.Order")["before"]["at_most"]["retained_bytes"] == 9000);
  CHECK(row("shop.Order")["status"] == "grown");
  CHECK(row("shop.Basket")["status"] == "uncertain");
  CHECK(json["rest_of_classes"]["before"]["count"] == 530);
  CHECK(json["tree"][0]["class_object_of"] == "shop.SessionRegistry");
  CHECK(json["tree"][0]["change"]["retained_bytes"].get<std::int64_t>() > 48'000'000);
  CHECK(json["tree"][3]["parent"] == 2);
  SampleReport whole_before = before(), whole_after = after();
  whole_before.whole_list = whole_after.whole_list = true;
  const Json whole = Files(whole_before, whole_after).json();
  std::map<std::string, std::string> status;
  for (const Json& each : whole["classes"]) status[each["class"]] = each["status"];
  CHECK(status["shop.Order"] == "new");
  CHECK(status["shop.Basket"] == "gone");
  CHECK(status["java.lang.String"] == "same");
}

namespace {

SampleReport numbered(SampleReport sample) {
  sample.tracking = true;
  return sample;
}

}  // namespace

TEST_CASE("diff: the same objects of both reports, known by their numbers") {
  check_golden("diff_objects_100", golden(numbered(before()), numbered(after()),
                                          {.columns = 100, .sections = {"objects"}}));
  const Json json = Files(numbered(before()), numbered(after())).json();
  CHECK(codes(json) == Codes{});
  const Json& objects = json["objects"];
  CHECK(objects["same_total"] == 2);
  CHECK(objects["same"][0]["class"] == "java.util.concurrent.ConcurrentHashMap");
  CHECK(objects["same"][0]["identity"] == 2);
  CHECK(objects["same"][0]["retained_change_bytes"].get<std::int64_t>() > 48'000'000);
  CHECK(objects["new_total"] == 1);
  CHECK(objects["new"][0]["first_sequence"] == 63);
  CHECK(objects["not_listed_total"] == 2);
  CHECK(Files(before(), numbered(after())).json()["objects"].is_null());
  CHECK(codes(Files(before(), numbered(after())).json()) == Codes{});
}

TEST_CASE("diff: numbers of two tracking runs are not compared, which is said") {
  SampleReport later = numbered(after());
  later.tracking_begun_later = 9;
  const Files files(numbered(before()), later);
  const Json json = files.json();
  CHECK(json["objects"].is_null());
  CHECK(codes(json) == Codes{"different_tracking"});
  CHECK(files.text().find("OBJECTS") == std::string::npos);
}

TEST_CASE("diff json: patterns and top choose, and the rest has the others") {
  const Json json = Files(before(), after()).json({"--class", "shop.*", "--top", "1"});
  REQUIRE(json["classes"].size() == 1);
  CHECK(json["classes"][0]["class"] == "shop.Session");
  CHECK(json["changed_classes"] == 3);
  CHECK(json["rest_of_classes"]["after"]["count"] == 530 + 5);
  CHECK(json["tree"].size() == 1);
  CHECK_FALSE(Files(before(), after()).json({"--section", "tree"}).contains("classes"));
}

TEST_CASE("diff: wrong usage and bad files") {
  const Files good(before(), after());
  const Outcome nothing = good.diff({"--class", "no.such.*"});
  CHECK(nothing.code == ExitCode::kWrongUsage);
  CHECK(nothing.out.empty());
  CHECK(nothing.err.find("leave no class") != std::string::npos);
  CHECK(good.diff({"--section", "heap"}).code == ExitCode::kWrongUsage);
  CHECK(good.diff({"--sort", "name"}).code == ExitCode::kWrongUsage);
  std::vector<std::byte> broken = sample_file(before());
  broken[broken.size() / 2] ^= std::byte{1};
  const TemporaryFile damaged(broken, "broken.hfr");
  const TemporaryFile whole(sample_file(after()), "b.hfr");
  for (const bool first : {true, false}) {
    const Outcome bad = first ? run({"diff", damaged.path(), whole.path()})
                              : run({"diff", whole.path(), damaged.path()});
    CHECK(bad.code == ExitCode::kBadInput);
    CHECK(bad.out.empty());
    CHECK(std::ranges::count(bad.err, '\n') == 1);
    CHECK(bad.err.find("broken.hfr: is damaged") != std::string::npos);
  }
  CHECK(run({"diff", whole.path()}).code == ExitCode::kWrongUsage);
  CHECK(run({"diff", whole.path(), "/no/such.hfr"}).code == ExitCode::kWrongUsage);
}

TEST_CASE("diff: names cannot act on the terminal, and no line is wider than the page") {
  SampleReport evil = after();
  evil.session_class = "evil.\x1b]0;owned\x07\u202E\u009b2J\n<script>" + std::string(10'000, 'x');
  evil.main_name = "\x1b[2J\r" + std::string(300, 'm');
  evil.more_classes.push_back({"\u202Egpj.Virus", 5, 50'000'000, 60'000'000});
  const Files files(before(), evil);
  for (const char* columns : {"40", "60", "80", "133", "240"}) {
    const Outcome outcome = files.diff({"--width", columns});
    CHECK(outcome.code == ExitCode::kDone);
    for (const std::string& line : lines_of(outcome.out))
      CHECK_MESSAGE(display_width(line) <= std::stoul(columns), line);
    for (const char c : outcome.out) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
    for (const char* forbidden : {"\x7f", "\u009b", "\u202E"})
      CHECK(outcome.out.find(forbidden) == std::string::npos);
    CHECK(outcome.out.size() < 40'000);
  }
  bool found = false;
  const Json json = files.json();
  for (const Json& row : json["classes"]) found |= row["class"] == evil.session_class;
  CHECK(found);  // as it is, for programs
}
