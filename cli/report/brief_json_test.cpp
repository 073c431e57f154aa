#include "cli/report/brief_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/report/reader.h"
#include "cli/command_line.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Json = nlohmann::json;

std::string text_of(const SampleReport& sample, const ReportPlace& place = {"shop.hfr", ""}) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  return brief_json(make_report_view(**report, file.size()), place);
}

std::vector<std::string> commands_of(const Json& json) {
  std::vector<std::string> commands;
  for (const Json& step : json["next"]) commands.push_back(step["command"]);
  return commands;
}

bool has(const std::vector<std::string>& commands, const std::string& part) {
  for (const std::string& command : commands)
    if (command.find(part) != std::string::npos) return true;
  return false;
}

// Every list of a report at its limit, every name as long and as hostile as it can be.
ReportView largest_view(std::string_view name) {
  ReportView view;
  view.graph.emplace();
  view.origin = {name, name, name, name, name, name, name, name, 1, 1, 1, 1, 1};
  view.dump.trigger = view.dump.rung = name;
  view.notes.assign(32, name);
  view.passes.assign(64, PassView{name, name, 1, 1, 1});
  ClassView row;
  row.name = row.loader = name;
  row.instances = row.shallow_bytes = row.retained_bytes = UINT64_MAX / 5000;
  view.classes.assign(4000, row);
  view.classes_total = 100'000;
  PathView path;
  path.thread = path.frame_class = path.frame_method = name;
  StepView step;
  step.object.class_name = step.field = step.declaring_class = name;
  path.steps.assign(64, step);
  SuspectView suspect;
  suspect.class_name = suspect.holder_class = suspect.holder_field = name;
  suspect.evidence.assign(20, name);
  suspect.path = path;
  view.suspects.assign(20, suspect);
  view.top_objects.assign(50, TopObjectView{step.object, path});
  view.accounts.emplace();
  view.accounts->accounts.rows.assign(1000, AccountView{});
  for (AccountView& row_of_account : view.accounts->accounts.rows) row_of_account.account = name;
  AgesView& ages = view.ages.emplace();
  ages.ranges.assign(20, {});
  const std::vector<std::uint64_t> figures(20, UINT64_MAX / 5000);
  ages.classes.assign(500, AgeClassView{name, name, figures, figures, 250});
  return view;
}

}  // namespace

TEST_CASE("brief json: ages of the classes whose old objects take the most") {
  CHECK_FALSE(Json::parse(text_of({})).contains("ages"));
  const Json json = Json::parse(text_of({.ages = true}));
  CHECK(json["ages_total"] == 530);
  REQUIRE(json["ages"].size() == 3);
  CHECK(json["ages"][0] == Json{{"class", "shop.Session"},
                                {"objects", 4812},
                                {"old_objects", 4500},
                                {"old_bytes", 144'000},
                                {"distinct_ages", 11}});
}

TEST_CASE("brief json: collections, as the document has them") {
  CHECK_FALSE(Json::parse(text_of({})).contains("collections"));
  const Json json = Json::parse(text_of({.collections = true}));
  CHECK(json["collections"]["full"] == 2);
  CHECK(json["collections"]["heard"]["collections"] == 38);
}

TEST_CASE("brief json: an object that was known before is told so") {
  const Json json = Json::parse(text_of({.tracking = true, .minutes_later = 30}));
  CHECK(json["largest_objects"][0]["object"] == "java.util.concurrent.ConcurrentHashMap #2");
  CHECK(json["largest_objects"][0]["known"].get<std::string>().starts_with(
      "known since dump 1 of 20"));
  CHECK_FALSE(json["largest_objects"][2].contains("known"));
}

TEST_CASE("brief json: who holds the suspects' classes, and no other") {
  CHECK_FALSE(Json::parse(text_of({.before_1_4 = true})).contains("holders"));
  const Json json = Json::parse(text_of({}))["holders"];
  REQUIRE(json.size() == 1);
  CHECK(json[0]["class"] == "shop.Session");
  CHECK(json[0]["places"][0] ==
        "4,812 references of 4,812 java.util.concurrent.ConcurrentHashMap$Node.val");
  CHECK(json[0]["places"][2] == "3 times GC root: local variable");
}

TEST_CASE("brief json: golden") {
  check_golden("brief_json", text_of({}));
  check_golden("brief_simple_json", text_of({.simple = true}));
}

TEST_CASE("brief json: at most 64,000 bytes whatever the names") {
  const std::string control(10'000, '\x1b');  // six bytes each in JSON
  const std::string quotes(10'000, '"');
  const std::string invalid(10'000, '\xff');  // becomes three bytes each
  std::string marks, wide;
  for (int i = 0; i < 5000; ++i) marks += "\u0301";  // no width at all
  for (int i = 0; i < 2500; ++i) wide += "\U0001F600";
  for (const std::string& name :
       {control, quotes, invalid, marks, wide, std::string(10'000, 'x')}) {
    const ReportView view = largest_view(name);
    const std::string text = brief_json(view, {name, name});
    CHECK(text.size() <= kBriefBytes);
    CHECK(text.size() > 5'000);  // bounded, not emptied
    const Json json = Json::parse(text);
    CHECK(json["shortened"] == true);
    CHECK_FALSE(json["suspects"].empty());
  }
  SampleReport hostile;
  hostile.session_class = "evil.\x1b]0;\"\\" + std::string(10'000, 'x');
  CHECK(Json::parse(text_of(hostile))["suspects"][0]["class"].get<std::string>().size() <= 200);
}

TEST_CASE("brief json: what it says") {
  const Json json = Json::parse(text_of({}));
  CHECK(json["schema_version"] == 1);
  CHECK(json["verdict"].get<std::string>().starts_with("4,812 shop.Session retain 61.0 MB"));
  CHECK(json["confidence"] == 0.95);
  CHECK(json["complete"] == true);
  CHECK(json["shortened"] == false);
  CHECK(json["suspects"][0]["path"][0] == "static shop.SessionRegistry.SESSIONS");
  CHECK(json["suspects"][0]["evidence"].size() == 2);
  CHECK(json["classes"][0]["share"] == 0.729);
  CHECK(Json::parse(text_of({.suspects = false}))["confidence"].is_null());
  const Json lost = Json::parse(text_of({.losses = true}));
  CHECK(lost["complete"] == false);
  CHECK(lost["lost"][0] == "1 object of unknown class");
}

TEST_CASE("next steps: chosen by what the report lacks") {
  const auto plain = commands_of(Json::parse(text_of({})));
  CHECK(has(plain, "holdfast dump 4242 --extended --snapshot"));
  CHECK_FALSE(has(plain, "--paths-to"));
  const auto with_graph = commands_of(Json::parse(text_of({}, {"a b.hfr", "a b.hfs"})));
  CHECK(has(with_graph, "holdfast report 'a b.hfs' --paths-to 'shop.Session'"));
  CHECK_FALSE(has(with_graph, "--snapshot"));
  const auto simple = commands_of(Json::parse(text_of({.simple = true})));
  CHECK(has(simple, "holdfast dump 4242 --extended"));
  const auto written =
      commands_of(Json::parse(text_of({.simple = true, .written = true}, {"x.hfr", "x.hfs"})));
  CHECK(has(written, "holdfast analyze 'x.hfs'"));
  CHECK(has(commands_of(Json::parse(text_of({.losses = true}))), "--section losses,cost"));
}

TEST_CASE("next steps: a name cannot make a command of its own") {
  CHECK(shell_quoted("it's $(reboot)") == "'it'\\''s $(reboot)'");
  CHECK(has(commands_of(Json::parse(text_of({}, {"-f.hfr", ""}))), "report './-f.hfr'"));
  CHECK(shell_quoted("a\nb").empty());
  CHECK(shell_quoted(std::string(301, 'x')).empty());
  CHECK(shell_quoted("").empty());
  SampleReport sample;
  sample.session_class = "x';reboot;'";
  for (const std::string& command : commands_of(Json::parse(text_of(sample, {"a.hfr", "a.hfs"}))))
    CHECK_MESSAGE(command.find("x';") == std::string::npos, command);
}

TEST_CASE("brief json: options that choose rows are refused, not ignored") {
  const TemporaryFile file(sample_file({}));
  for (const auto& [option, value] : {std::pair{"--class", "shop.*"},
                                      {"--section", "classes"},
                                      {"--top", "3"},
                                      {"--depth", "2"},
                                      {"--sort", "shallow"},
                                      {"--skip", "java.*"},
                                      {"--under", "#1"}}) {
    std::ostringstream out, err;
    Surroundings surroundings{out, err};
    CHECK(run_command_line({"report", file.path(), "--json", "--brief", option, value},
                           surroundings) == ExitCode::kWrongUsage);
    CHECK_MESSAGE(err.str().find(option) != std::string::npos, err.str());
    CHECK(err.str().find("excludes") != std::string::npos);
  }
}

TEST_CASE("brief json: of a report file, and only with --json") {
  const TemporaryFile file(sample_file({}));
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  CHECK(run_command_line({"report", file.path(), "--json", "--brief"}, surroundings) ==
        ExitCode::kDone);
  CHECK(Json::parse(out.str())["brief"] == true);
  CHECK(run_command_line({"report", file.path(), "--brief"}, surroundings) ==
        ExitCode::kWrongUsage);
  CHECK(err.str().find("--json") != std::string::npos);
}

TEST_CASE("shortened to bytes: both ends stay, and no code point is cut") {
  CHECK(shortened_to_bytes("com.acme.Session", 16) == "com.acme.Session");
  CHECK(shortened_to_bytes("com.acme.shop.Session", 15) == "com.….Session");
  for (std::size_t bytes = 4; bytes < 60; ++bytes) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += i % 2 == 0 ? "ä" : "\U0001F600";
    const std::string cut = shortened_to_bytes(text, bytes);
    CHECK(cut.size() <= bytes);
    CHECK_NOTHROW(Json(cut).dump());
  }
}

TEST_CASE(
    "brief: accounts where the report has some, with their errors, and the command for more") {
  const Json json = Json::parse(text_of({.accounts = true}));
  CHECK(json["accounts_total"] == 6);
  REQUIRE(json["accounts"].size() == 4);
  const Json& shop = json["accounts"][0];
  CHECK(shop["account"] == "shop.*");
  CHECK(shop["live_bytes"] == 60 * 1024 * 1024);
  CHECK(shop["live_bytes_error"] == 3 * 1024 * 1024);
  CHECK(shop["share"] == 0.682);
  CHECK(has(commands_of(json), "--section accounts"));
  const Json counted = Json::parse(text_of({.accounts = true, .exact_accounts = true}));
  CHECK(counted["accounts"][0]["live_bytes"].is_null());
  CHECK(counted["accounts"][0]["share"].is_null());
  CHECK_FALSE(Json::parse(text_of({})).contains("accounts"));
}

TEST_CASE("brief: what piles up and what loiters") {
  CHECK_FALSE(Json::parse(text_of({})).contains("loitering"));
  const Json json = Json::parse(text_of({.aging = true}));
  CHECK(json["piling_up"][0]["class"] == "shop.Session");
  REQUIRE(json["loitering"].size() == 2);
  CHECK(json["loitering"][0]["class"] == "shop.ImportRow");
  CHECK(json["loitering"][0]["old_bytes"] == 20'000);
  CHECK(json["loitering"][0]["silent_ms"] == 310'000);
  CHECK(json["loitering"][1]["at_start_alone"] == true);
}
