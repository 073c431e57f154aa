#include "cli/report/report_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "analysis/report/reader.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Json = nlohmann::json;

std::string text_of(const SampleReport& sample, const JsonOptions& options = {}) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  return report_json(make_report_view(**report, file.size()), options);
}

Json json_of(const SampleReport& sample, const JsonOptions& options = {}) {
  return Json::parse(text_of(sample, options));
}

void check_keys(const Json& json, const std::vector<const char*>& keys) {
  for (const char* key : keys) CHECK_MESSAGE(json.contains(key), key);
  CHECK(json.size() == keys.size());
}

}  // namespace

TEST_CASE("report json: golden") {
  const auto without_size = [](const SampleReport& sample, const JsonOptions& options) {
    const std::string key = "\"report_bytes\": ";
    return replaced(text_of(sample, options), key + std::to_string(sample_file(sample).size()),
                    key + "4096");
  };
  check_golden("report_json", without_size({}, {}));
  check_golden("report_static_roots_json", without_size({.static_roots = true}, {.top = 2}));
  check_golden("report_possible_slots_json", without_size({.possible_slots = true}, {.top = 2}));
  check_golden("report_simple_json", without_size({.simple = true}, {.top = 2}));
}

TEST_CASE("report json: what the collector did, null where it was not told") {
  CHECK(json_of({})["collections"].is_null());
  const Json told = json_of({.collections = true})["collections"];
  check_keys(told,
             {"young", "full", "concurrent", "pause_ms", "last_pause_ms", "heard", "since_report"});
  CHECK(told["full"] == 2);
  CHECK(told["pause_ms"] == 3125.0);
  CHECK(told["heard"]["reclaimed_bytes"] == 1234 * 1024 * 1024);
  CHECK(told["heard"]["last_before_bytes"] == 80 * 1024 * 1024);
  CHECK(told["since_report"]["full"] == 1);
  CHECK(told["since_report"]["reclaimed_bytes"] == 200 * 1024 * 1024);
  const Json untold = json_of({.collections = true, .untold_collections = true})["collections"];
  CHECK(untold["young"] == 1041);
  CHECK(untold["full"].is_null());
  CHECK(untold["heard"].is_null());
  CHECK(untold["since_report"].is_null());
}

TEST_CASE("report json: the document, the dump and what it cost") {
  const Json json = json_of({});
  check_keys(json, {"schema_version", "verdict",        "origin",
                    "options",        "dump",           "losses",
                    "memory",         "graph",          "suspects",
                    "classes",        "classes_total",  "rest_of_classes",
                    "loaders",        "loaders_total",  "rest_of_loaders",
                    "packages",       "packages_total", "rest_of_packages",
                    "threads",        "threads_total",  "tree",
                    "top_objects",    "tracking",       "reachable",
                    "cuts",           "states",         "holders",
                    "accounts",       "collections",    "aging",
                    "ages",           "passes",         "notes",
                    "report_bytes"});
  CHECK(json["schema_version"] == 1);
  CHECK(json["verdict"] ==
        "4,812 shop.Session retain 61.0 MB (72 % of the heap), held by static field "
        "shop.SessionRegistry.SESSIONS");
  CHECK(json["origin"]["pid"] == 4242);
  CHECK(json["origin"]["started_utc"] == "2026-11-21T08:23:32.004Z");
  CHECK(json["origin"]["command_line_hash"] == "0123456789abcdef");
  CHECK(json["origin"]["container"].is_null());
  CHECK(json["options"]["on"] == "oom+exit");
  CHECK(json["dump"]["kind"] == "extended");
  CHECK(json["dump"]["pause_ms"] == 387.654);
  CHECK(json["dump"]["analysis_ms"] == 256.0);
  CHECK(json["dump"]["pause_limit_ms"] == 1000.0);
  CHECK(json_of({.unlimited_pause = true})["dump"]["pause_limit_ms"].is_null());
  CHECK(json["memory"]["categories"][1] ==
        Json{{"category", "graph"}, {"peak_bytes", 52 * 1024 * 1024}});
  CHECK(json["losses"]["heap_complete"] == true);
  CHECK(json["passes"][0]["left_out"].is_null());
  CHECK(json["graph"]["held_objects"] == 141'000);
  CHECK(json["graph"]["root_kinds"][1]["root_kind"] == "stack_local");
  CHECK(json["report_bytes"] == sample_file({}).size());
}

TEST_CASE("report json: an object has the same number in a path and in the tree") {
  const Json json = json_of({});
  const Json& step = json["suspects"][0]["path"]["steps"][1];
  CHECK(step["object"] == json["tree"][1]["object"]);
  CHECK(step["class"] == json["tree"][1]["class"]);
  CHECK(json["tree"][4]["loader"] == "app");
  CHECK(json["tree"][3]["group"] == true);
  CHECK_FALSE(json["tree"][3].contains("object"));
}

TEST_CASE("report json: suspects with their paths") {
  const Json json = json_of({});
  const Json& first = json["suspects"][0];
  check_keys(first, {"rank",
                     "kind",
                     "sentence",
                     "class",
                     "loader",
                     "instances",
                     "instances_below",
                     "shallow_bytes",
                     "retained_bytes",
                     "share",
                     "confidence",
                     "holder_kind",
                     "holder_class",
                     "holder_field",
                     "held_by",
                     "holder",
                     "evidence",
                     "waits_for_finalizer",
                     "threads",
                     "variable",
                     "rivals",
                     "levels",
                     "path"});
  CHECK(first["rank"] == 1);
  CHECK(first["class"] == "shop.Session");
  CHECK(first["loader"] == "app");
  CHECK(first["share"] == 0.72);
  CHECK(first["confidence"] == 0.95);
  CHECK(first["holder_kind"] == "static_field");
  CHECK(first["holder_field"] == "SESSIONS");
  CHECK(first["levels"].size() == 2);
  CHECK(first["path"]["root_kind"] == "system_class");
  const Json& steps = first["path"]["steps"];
  REQUIRE(steps.size() == 3);
  CHECK(steps[0]["class_object_of"] == "shop.SessionRegistry");
  CHECK(steps[1]["via"] == "static_field");
  CHECK(steps[1]["field"] == "SESSIONS");
  CHECK(steps[1]["declaring_class"] == "shop.SessionRegistry");
  CHECK(steps[2]["via"] == "instance_field");
  CHECK_FALSE(steps[2].contains("index"));

  const Json& path = json["suspects"][1]["path"];
  CHECK(json["suspects"][1]["holder_kind"] == "frame");
  CHECK(path["thread"] == "worker-1");
  CHECK(path["frame_method"] == "run");
  CHECK(path["strength"] == "soft");
  CHECK(path["steps_left_out"] == 100);
  CHECK(path["steps"][1]["index"] == 70'000);
}

TEST_CASE("report json: tables, tree and their rests") {
  const Json json = json_of({});
  check_keys(json["classes"][0], {"class", "loader", "instances", "shallow_bytes", "retained_bytes",
                                  "largest_retained_bytes", "unheld_instances", "unheld_bytes",
                                  "largest_reachable_bytes", "reachable_estimated", "platform"});
  CHECK(json["classes_total"] == 535);
  CHECK(json["rest_of_classes"]["instances"] == 30'622);
  CHECK(json["loaders"][0]["loader"] == "app");
  CHECK(json["loaders"][1]["builtin"] == true);
  CHECK(json["packages"][0]["package"] == "shop");
  CHECK(json["threads"][0]["frames"][0]["largest"]["class"] == "byte[]");
  CHECK(json["tree"][0]["parent"].is_null());
  CHECK(json["tree"][3]["group"] == true);
  CHECK(json["tree"][3]["parent"] == 2);
  CHECK(json["top_objects"][0]["path"]["steps"].size() == 2);
}

TEST_CASE("report json: reachable sizes, exact and estimated") {
  const Json json = json_of({});
  const Json& reachable = json["reachable"];
  check_keys(reachable, {"exact", "estimated_objects", "reason", "standard_error", "components",
                         "shared_components", "retained_sum_bytes", "reachable_sum_bytes",
                         "differences", "hidden"});
  CHECK(reachable["exact"] == true);
  CHECK(reachable["reason"].is_null());
  REQUIRE(reachable["differences"].size() == 10);
  CHECK(reachable["differences"][1] ==
        Json{{"from_bytes", 1024}, {"up_to_bytes", 10'240}, {"objects", 15'000}});
  CHECK(reachable["differences"][9]["up_to_bytes"].is_null());
  REQUIRE(reachable["hidden"].size() == 2);
  CHECK(reachable["hidden"][0]["class"] == "shop.export.Feed");
  CHECK(reachable["hidden"][0]["retained_bytes"] == 4128);
  CHECK(reachable["hidden"][0]["reachable_estimated"] == false);
  CHECK(json["top_objects"][1]["reachable_bytes"] == 11 * 1024 * 1024);
  CHECK(json["suspects"][0]["holder"]["reachable_bytes"] == 74 * 1024 * 1024);
  CHECK_FALSE(json["suspects"][0]["path"]["steps"][0].contains("reachable_bytes"));  // not told
  CHECK(json["classes"][2]["largest_reachable_bytes"] > 4 * 1024 * 1024);

  const Json about = json_of({.estimates = true});
  CHECK(about["reachable"]["exact"] == false);
  CHECK(about["reachable"]["reason"] == "time");
  CHECK(about["reachable"]["standard_error"] == 0.089);
  CHECK(about["reachable"]["hidden"][0]["reachable_estimated"] == true);
  CHECK(about["classes"][1]["reachable_estimated"] == true);
}

TEST_CASE("report json: cuts, of references and of GC roots") {
  const Json json = json_of({});
  const Json& cuts = json["cuts"];
  check_keys(cuts,
             {"components", "cyclic_components", "cyclic_objects", "largest_component_objects",
              "biconnected_components", "largest_biconnected", "parts", "articulation_points",
              "dominating_points", "most_references", "most_referrers", "cuts"});
  CHECK(cuts["most_references"][0]["references"] == 65'536);
  CHECK(cuts["most_referrers"][0]["class"] == "byte[]");
  const Json& field = cuts["cuts"][0];
  check_keys(field, {"freed_bytes", "freed_objects", "references", "articulation_point", "referrer",
                     "reference", "root"});
  CHECK(field["referrer"]["class_object_of"] == "shop.SessionRegistry");
  CHECK(field["reference"]["via"] == "static_field");
  CHECK(field["reference"]["field"] == "SESSIONS");
  CHECK(field["articulation_point"] == true);
  CHECK(field["root"].is_null());
  const Json& root = cuts["cuts"][2];
  CHECK(root["referrer"].is_null());
  CHECK(root["root"]["root_kind"] == "stack_local");
  CHECK(root["root"]["frame_method"] == "run");
  CHECK(root["reference"]["class"] == "byte[]");
}

TEST_CASE("report json: reports before 1.4, and those without room for it, have neither") {
  for (const SampleReport& sample :
       {SampleReport{.before_1_4 = true}, SampleReport{.no_room = true}}) {
    const Json json = json_of(sample);
    CHECK(json["reachable"].is_null());
    CHECK(json["cuts"].is_null());
    CHECK(json["classes"][0]["largest_reachable_bytes"].is_null());
    CHECK_FALSE(json["top_objects"][0].contains("reachable_bytes"));
    CHECK(json["losses"]["heap_complete"] == true);
    CHECK(json["losses"]["passes_left_out"] == (sample.no_room ? 4 : 0));
  }
}

TEST_CASE("report json: what piled up before the dump, and sampled ages") {
  CHECK(json_of({})["aging"].is_null());
  const Json aging = json_of({.aging = true})["aging"];
  check_keys(aging, {"collections", "looked_utc", "candidates", "looks", "sampled",
                     "sample_interval_bytes", "suspects", "classes", "classes_total", "loitering",
                     "loitering_total", "followed_ms"});
  CHECK(aging["collections"] == 1312);
  CHECK(aging["suspects"][0]["class"] == "shop.Session");
  CHECK(aging["suspects"][0]["more_instances"] == 1880);
  CHECK(aging["suspects"][0]["confidence_percent"] == 99);
  REQUIRE(aging["classes"].size() == 4);
  CHECK(aging["classes"][0]["old_bytes"] == 32'000);
  CHECK(aging["classes"][0]["live_ages"][4] == 600);
  CHECK(aging["classes"][0]["live_ages"].size() == 18);
  CHECK(aging["classes"][3]["born_before_collections"] == 77);
  REQUIRE(aging["loitering"].size() == 2);
  CHECK(aging["loitering_total"] == 2);
  const Json& rows = aging["loitering"][0];
  CHECK(rows["class"] == "shop.ImportRow");
  CHECK(rows["old_bytes"] == 20'000);
  CHECK(rows["old_bytes_error"] == 3200);
  CHECK(rows["silent_collections"] == 640);
  CHECK(rows["silent_ms"] == 310'000);
  CHECK(rows["sampled_collections"] == 120);
  CHECK(rows["chance"].get<double>() == doctest::Approx(1e-12));
  CHECK(rows["at_start_alone"] == false);
  CHECK(aging["loitering"][1]["at_start_alone"] == true);
  const Json first = json_of({.aging = true}, {.top = 1})["aging"];
  CHECK(first["loitering"].size() == 1);
  CHECK(first["loitering_total"] == 2);
  CHECK(json_of({.aging = true}, {.top = 1})["aging"]["classes"].size() == 1);
}

TEST_CASE("report json: numbers of objects, and what became of the others") {
  const Json without = json_of({});
  CHECK(without["tracking"].is_null());
  CHECK_FALSE(without["top_objects"][0].contains("identity"));
  const Json json = json_of({.tracking = true, .minutes_later = 30});
  CHECK(json["tracking"] == Json{{"began_utc_ms", 1'795'249'300'000},
                                 {"known", 3},
                                 {"named", 1},
                                 {"gone", 1},
                                 {"unfollowed", 2}});
  const Json& map = json["top_objects"][0];
  CHECK(map["identity"] == 2);
  CHECK(map["first_sequence"] == 1);
  CHECK(map["first_utc_ms"] == 1'795'249'412'004);
  CHECK(json["top_objects"][2]["first_sequence"] == 31);
  CHECK(json["suspects"][0]["holder"]["identity"] == 3);
  CHECK(json["tree"][1]["identity"] == 2);
}

TEST_CASE("report json: ages by class and range") {
  CHECK(json_of({})["ages"].is_null());
  const Json ages = json_of({.ages = true})["ages"];
  check_keys(ages, {"source", "ranges", "classes", "classes_total", "rest_of_classes", "total"});
  CHECK(ages["source"] == "header");
  REQUIRE(ages["ranges"].size() == 5);
  CHECK(ages["ranges"][2] == Json{{"range", "2-3"}, {"from", 2}, {"to", 3}, {"old", false}});
  CHECK(ages["ranges"][4] ==
        Json{{"range", "tenured"}, {"from", nullptr}, {"to", nullptr}, {"old", true}});
  const Json& sessions = ages["classes"][0];
  check_keys(sessions, {"class", "loader", "objects", "bytes", "old_objects", "old_bytes",
                        "distinct_ages", "range_objects", "range_bytes"});
  CHECK(sessions["class"] == "shop.Session");
  CHECK(sessions["objects"] == 4812);
  CHECK(sessions["old_objects"] == 4500);
  CHECK(sessions["old_bytes"] == 4500 * 32);
  CHECK(sessions["range_objects"] == Json{0, 12, 300, 500, 4000});
  CHECK(ages["classes_total"] == 530);
  const Json cut = json_of({.ages = true}, {.top = 1})["ages"];
  CHECK(cut["classes"].size() == 1);
  CHECK(cut["rest_of_classes"]["range_objects"][0] == 30'000 + 90'000 + 3000);
  CHECK(cut["total"] == ages["total"]);
  const Json untold = json_of({.ages = true, .untold_ages = true})["ages"];
  CHECK(untold["source"] == "none");
  CHECK(untold["ranges"].empty());
  CHECK(untold["total"].is_null());
  const Json ranges = json_of({.ages = true, .aged_ranges = true})["ages"]["ranges"];
  CHECK(ranges[4] == Json{{"range", "65,536+"}, {"from", 65'536}, {"to", nullptr}, {"old", true}});
}

TEST_CASE("report json: memory accounts, estimated and counted") {
  const Json accounts = json_of({.accounts = true})["accounts"];
  check_keys(accounts, {"mode",
                        "by_method",
                        "by_thread",
                        "by_annotations",
                        "annotations",
                        "annotations_total",
                        "sample_only",
                        "passed_over",
                        "live_known",
                        "calibrated",
                        "sample_interval_bytes",
                        "began_utc",
                        "began_utc_ms",
                        "last_report_utc",
                        "heap_objects",
                        "heap_bytes",
                        "explained_objects",
                        "explained_bytes",
                        "accounts",
                        "accounts_total",
                        "rest_of_accounts",
                        "pairs",
                        "pairs_total",
                        "rest_of_pairs",
                        "classes",
                        "classes_total",
                        "methods",
                        "methods_total",
                        "threads",
                        "threads_total",
                        "losses"});
  CHECK(accounts["mode"] == "sampled");
  CHECK(accounts["last_report_utc"] == "2026-11-21T08:08:32.004Z");
  CHECK(accounts["accounts_total"] == 6);
  const Json& shop = accounts["accounts"][0];
  check_keys(shop, {"account", "allocated", "since_report", "live", "calibrated", "samples"});
  CHECK(shop["account"] == "shop.*");
  CHECK(shop["allocated"]["bytes"] == 1200ull * 1024 * 1024);
  CHECK(shop["allocated"]["bytes_error"] == 120ull * 1024 * 1024);
  CHECK(shop["live"]["objects_error"] == 3000);
  CHECK(shop["calibrated"]["bytes"] == 58ull * 1024 * 1024);
  CHECK(accounts["pairs"][1]["principal"] == "shop.*");
  CHECK(accounts["classes"][2]["class"].is_null());
  CHECK(accounts["methods"].empty());

  const Json exact = json_of({.accounts = true, .exact_accounts = true})["accounts"];
  CHECK(exact["mode"] == "exact");
  CHECK(exact["accounts"][0]["live"].is_null());
  CHECK(exact["accounts"][0]["calibrated"].is_null());
  CHECK(exact["methods"][0]["method"] == "shop.Worker.run");
  CHECK(exact["threads"][0]["thread"] == "worker-1");
  const Json cut = json_of({.accounts = true}, {.top = 1})["accounts"];
  CHECK(cut["accounts"].size() == 1);
  CHECK(cut["rest_of_accounts"]["allocated"]["objects"] == 3 + 4000 + 700);
  CHECK(
      json_of({.accounts = true, .first_accounts = true})["accounts"]["last_report_utc"].is_null());
  CHECK(json_of({})["accounts"].is_null());
}

TEST_CASE("report json: who holds the instances of a class") {
  const Json json = json_of({})["holders"];
  REQUIRE(json.size() == 3);
  CHECK(json[0]["class"] == "byte[]");
  CHECK(json[0]["places_total"] == 4);
  CHECK(json[0]["rest_references"] == 41);
  CHECK(json[0]["places"][1]["place"] == "byte[][]");
  const Json& places = json[1]["places"];
  check_keys(places[0], {"place", "via", "class", "field", "root_kind", "strength", "references",
                         "referrers", "bytes"});
  CHECK(places[0]["place"] == "java.util.concurrent.ConcurrentHashMap$Node.val");
  CHECK(places[0]["references"] == 4812);
  CHECK(places[1]["place"] == "java.lang.ref.WeakReference.referent (weak)");
  CHECK(places[1]["strength"] == "weak");
  CHECK(places[2]["place"] == "GC root: local variable");
  CHECK(places[2]["root_kind"] == "stack_local");
  CHECK(places[2]["referrers"].is_null());
  CHECK(places[3]["place"] == "static shop.SessionRegistry.last");
  CHECK(places[3]["referrers"] == 1);
  CHECK(places[3]["root_kind"].is_null());
  const Json by_root = json_of({.static_roots = true})["holders"][1]["places"][3];
  CHECK(by_root["root_kind"] == "static_field");
  CHECK(by_root["referrers"].is_null());
  CHECK(json_of({.before_1_4 = true})["holders"].is_null());
  CHECK(json_of({}, {.top = 1})["holders"].size() == 1);
}

TEST_CASE("report json: top cuts every list, and what it cuts is in the rest") {
  const Json json = json_of({}, {.top = 2, .order = ClassOrder::kShallow});
  CHECK(json["classes"].size() == 2);
  CHECK(json["classes"][0]["class"] == "byte[]");
  CHECK(json["rest_of_classes"]["instances"] == 30'622 + 4812 + 41 + 20'000);
  CHECK(json["tree"].size() == 2);
  CHECK(json["top_objects"].size() == 2);
  CHECK(json["cuts"]["cuts"].size() == 2);
  CHECK(json_of({}, {.top = 1})["reachable"]["hidden"].size() == 1);
  CHECK(json_of({}, {.top = 1})["cuts"]["most_references"].size() == 1);
  CHECK(json_of({}, {.top = 1})["suspects"].size() == 1);
}

TEST_CASE("report json: a simple dump has no graph and no suspects") {
  const Json json = json_of({.simple = true});
  CHECK(json["dump"]["kind"] == "simple");
  CHECK(json["graph"].is_null());
  CHECK(json["suspects"].empty());
  CHECK(json["classes"][0]["class"] == "byte[]");
}

TEST_CASE("report json: any name comes back as it was") {
  SampleReport sample;
  sample.session_class = "evil.\x1b]0;\x07\"quoted\"\\\n\u202E" + std::string(10'000, 'x');
  CHECK(json_of(sample)["suspects"][0]["class"] == sample.session_class);
}

TEST_CASE("report json: invalid UTF-8 in a view becomes valid") {
  ReportView view;
  view.origin.main_name =
      "a\xff"
      "b";
  CHECK(Json::parse(report_json(view, {}))["origin"]["main_name"] == "a\uFFFDb");
}
