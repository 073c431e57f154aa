#include "cli/analyze/command_analyze.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "analysis/lab/hprof_writer.h"
#include "cli/command_run_for_test.h"
#include "cli/html/page_file.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using namespace analysis::lab;

Outcome run(const std::vector<std::string>& arguments) { return run_command(arguments); }

// A directory of its own, gone with all that is in it.
class Directory {
 public:
  Directory()
      : path_(std::filesystem::temp_directory_path() /
              ("analyze test " + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

constexpr std::uint64_t kMain = 0x1000, kCart = 0x1100, kItem = 0x1200, kSoft = 0x1300,
                        kReference = 0x1400;

// Main.cart -> Cart -> three Items in a chain; a SoftReference holds a fourth; a fifth is garbage.
std::vector<std::byte> shop_dump() {
  HprofWriter dump;
  dump.basics();
  const std::uint64_t object = HprofWriter::kObject;
  dump.klass({.id = kReference,
              .name = "java/lang/ref/Reference",
              .super = object,
              .fields = {{"referent"}}});
  dump.klass({.id = kSoft, .name = "java/lang/ref/SoftReference", .super = kReference});
  dump.klass({.id = kItem, .name = "shop/Item", .super = object, .fields = {{"next"}}});
  dump.klass({.id = kCart, .name = "shop/Cart", .super = object, .fields = {{"first"}, {"soft"}}});
  dump.klass({.id = kMain,
              .name = "shop/Main",
              .super = object,
              .statics = {{"cart", reference(0x2000)}}});
  for (const std::uint64_t root : {kMain, kCart, kItem, kSoft, kReference}) dump.root(0x05, root);
  dump.instance(0x2000, kCart, {reference(0x3000), reference(0x2100)});
  dump.instance(0x2100, kSoft, {reference(0x3300)});
  dump.instance(0x3000, kItem, {reference(0x3100)});
  dump.instance(0x3100, kItem, {reference(0x3200)});
  dump.instance(0x3200, kItem, {reference(0)});
  dump.instance(0x3300, kItem, {reference(0)});
  dump.instance(0x3400, kItem, {reference(0)});
  return dump.finish();
}

std::string written_dump(const Directory& directory) {
  std::string path = directory.file("shop.hprof");
  const std::vector<std::byte> bytes = shop_dump();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t items_in(const std::string& csv) {
  std::size_t count = 0;
  for (std::size_t at = csv.find(",shop.Item,"); at != csv.npos;
       at = csv.find(",shop.Item,", at + 1))
    ++count;
  return count;
}

void check_refused(const Outcome& outcome, ExitCode code, const std::string& said) {
  check_refusal(outcome, code, {said});
}

}  // namespace

TEST_CASE("a dump is analysed and shown, or kept as report, snapshot and rows") {
  const Directory directory;
  const std::string dump = written_dump(directory);
  const Outcome shown = run({"analyze", dump});
  CHECK(shown.code == ExitCode::kDone);
  CHECK(shown.out.find("shop.Item") != std::string::npos);
  CHECK(shown.err.empty());

  const std::string report = directory.file("shop.hfr"), rows = directory.file("rows.csv"),
                    snapshot = directory.file("shop.hfs");
  const Outcome kept =
      run({"analyze", dump, "-o", report, "--objects", rows, "--snapshot", snapshot});
  CHECK(kept.code == ExitCode::kDone);
  CHECK(kept.out.find("report: " + report) != std::string::npos);
  CHECK(run({"report", report}).out.find("shop.Item") != std::string::npos);
  CHECK(run({"analyze", snapshot}).code == ExitCode::kDone);
  const std::string csv = text_of(rows);
  CHECK(
      csv.starts_with("address,class,shallow,retained,immediate_dominator,component,reachable,"
                      "reachable_estimated\n"));
  CHECK(csv.find("0x3100,shop.Item,") != csv.npos);
  CHECK(csv.find("0x2000,shop.Cart,") != csv.npos);
  CHECK(items_in(csv) == 4);  // the garbage is none of them
}

TEST_CASE("analyze: golden, the report, what was kept, the answers, the rows") {
  const Directory directory;
  const std::string dump = written_dump(directory), report = directory.file("shop.hfr"),
                    rows = directory.file("rows.csv");
  const std::string sections =
      "verdict,suspects,classes,tree,objects,reachable,cuts,loaders,graph,losses";
  // Times and memory are the machine's.
  const std::string shown = run({"analyze", dump, "--section", sections}).out;
  const std::regex cost(R"(cost .* to read, .* to analyse; .* native memory)");
  check_golden(
      "analyze_80",
      std::regex_replace(shown, cost, "cost      T to read, T to analyse; N native memory"));
  const std::string kept = run({"analyze", dump, "-o", report, "--objects", rows}).out;
  const std::regex measured(R"(in \S+ s \(\S+ MB/s\); \S+ .B of memory at the peak)");
  check_golden(
      "analyze_kept",
      replaced(std::regex_replace(kept, measured, "in T s (N MB/s); N of memory at the peak"),
               report, "shop.hfr"));
  check_golden("analyze_objects_csv", text_of(rows));
  std::vector<std::string> asked = {"analyze",    dump,        "--retained-of",    "shop.It*",
                                    "--skip",     "shop.Item", "--dominators-of",  "shop.Item",
                                    "--paths-to", "shop.Item", "--dominator-path", "shop.Item",
                                    "--group-by", "package",   "--suspects",       "mat"};
  check_golden("answers_80", run(asked).out);
  asked.emplace_back("--json");
  check_golden("answers_json", run(asked).out);
}

TEST_CASE("what a former run has written is replaced, and a device is written to") {
  const Directory directory;
  const std::string dump = written_dump(directory);
  const std::string report = directory.file("r.hfr"), rows = directory.file("r.csv"),
                    snapshot = directory.file("r.hfs");
  std::ofstream(report).flush();  // as mktemp leaves it
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome =
        run({"analyze", dump, "-o", report, "--objects", rows, "--snapshot", snapshot});
    CHECK_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
  }
  CHECK(run({"report", snapshot}).code == ExitCode::kDone);
  CHECK(directory.files() == 4);
  CHECK(run({"analyze", dump, "-o", "/dev/null", "--objects", "/dev/null"}).code ==
        ExitCode::kDone);
}

TEST_CASE("--retain decides what a soft reference holds; MAT's rules hold by all") {
  const Directory directory;
  const std::string dump = written_dump(directory);
  const std::string strong = directory.file("strong.csv"), mat = directory.file("mat.csv");
  CHECK(run({"analyze", dump, "--retain", "strong", "--objects", strong, "-o",
             directory.file("a.hfr")})
            .code == ExitCode::kDone);
  CHECK(items_in(text_of(strong)) == 3);
  CHECK(run({"analyze", dump, "--like", "mat", "--objects", mat, "-o", directory.file("b.hfr")})
            .code == ExitCode::kDone);
  CHECK(items_in(text_of(mat)) == 4);
  check_refused(run({"analyze", dump, "--like", "mat", "--retain", "strong"}),
                ExitCode::kWrongUsage, "--like");
}

TEST_CASE("a snapshot that was made by MAT's rules is analysed by them again") {
  const Directory directory;
  const std::string dump = written_dump(directory);
  const std::string own = directory.file("own.hfs"), mat = directory.file("mat.hfs");
  const std::string report = directory.file("a.hfr");
  REQUIRE(run({"analyze", dump, "--snapshot", own, "-o", report}).code == ExitCode::kDone);
  REQUIRE(run({"analyze", dump, "--like", "mat", "--snapshot", mat, "-o", report}).code ==
          ExitCode::kDone);
  const auto rules = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    REQUIRE_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
    const std::string json = run({"report", report, "--json"}).out;
    return json.find("by Eclipse MAT's rules") != std::string::npos;
  };
  CHECK_FALSE(rules({"analyze", own, "-o", report}));
  CHECK(rules({"analyze", mat, "-o", report}));
  CHECK(rules({"analyze", mat, "--like", "mat", "-o", report}));
  check_refused(run({"analyze", own, "--like", "mat", "-o", report}), ExitCode::kRefused,
                "was not made by them");
}

TEST_CASE("questions are answered from a dump and from a snapshot alike") {
  const Directory directory;
  const std::string dump = written_dump(directory), snapshot = directory.file("shop.hfs");
  REQUIRE(run({"analyze", dump, "-o", directory.file("x.hfr"), "--snapshot", snapshot}).code ==
          ExitCode::kDone);
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"analyze", dump}, std::vector<std::string>{"report", snapshot}}) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(),
                     {"--json", "--retained-of", "shop.It*", "--dominators-of", "shop.Item",
                      "--skip", "shop.Item", "--paths-to", "shop.Item", "--dominator-path",
                      "shop.Item", "--group-by", "package", "--suspects", "mat"});
    const Outcome outcome = run(arguments);
    REQUIRE_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
    const auto answers = nlohmann::json::parse(outcome.out).at("answers");
    REQUIRE(answers.size() == 6);
    CHECK(answers[0].at("query") == "group_by");
    const auto& retained = answers[1].at("rows").at(0);
    CHECK(retained.at("objects") == 4);
    CHECK(retained.at("retained_bytes") == retained.at("shallow_bytes"));
    const auto& holders = answers[2].at("rows");
    CHECK(holders.at(0).at("class") == "shop.Cart");
    CHECK(holders.at(0).at("members") == 3);
    CHECK(holders.at(1).at("class") == "java.lang.ref.SoftReference");
    CHECK(answers[3].at("rows").at(0).at("paths") == 4);
    CHECK(answers[4].at("rows").size() >= 3);
  }
}

TEST_CASE("what cannot be asked or written is one line") {
  const Directory directory;
  const std::string dump = written_dump(directory), report = directory.file("x.hfr");
  REQUIRE(run({"analyze", dump, "-o", report}).code == ExitCode::kDone);
  check_refused(run({"analyze", dump, "-o", dump}), ExitCode::kRefused, "is not replaced");
  check_refused(run({"analyze", dump, "--objects", report}), ExitCode::kRefused, "is not replaced");
  CHECK(text_of(dump).size() == shop_dump().size());
  check_refused(run({"analyze", dump, "--retain", "firm"}), ExitCode::kWrongUsage, "retain=firm");
  check_refused(run({"report", report, "--group-by", "class"}), ExitCode::kWrongUsage,
                "a report has no graph");
  check_refused(run({"analyze", dump, "--retained-of", "no.Such"}), ExitCode::kWrongUsage,
                "matches no object");
  check_refused(run({"analyze", dump, "--dominator-path", "0x99"}), ExitCode::kWrongUsage,
                "no object at this address");
  check_refused(run({"analyze", dump, "--paths-to", "shop.Item", "--without", "rubbish"}),
                ExitCode::kWrongUsage, "--without rubbish");
  check_refused(run({"analyze", dump, "--group-by", "colour"}), ExitCode::kWrongUsage,
                "--group-by");
  check_refused(run({"analyze", dump, "--memory", "1"}), ExitCode::kRefused, "--memory");
  check_refused(run({"analyze", directory.file("none.hprof")}), ExitCode::kWrongUsage,
                "No such file");
  check_refused(run({"analyze", directory.file(".")}), ExitCode::kWrongUsage, "directory");
  check_refused(run({"analyze", dump, "-o", directory.file("no/where.hfr")}), ExitCode::kRefused,
                "no/where.hfr");
  const std::string twice = directory.file("twice"), same = directory.file("./twice");
  check_refused(run({"analyze", dump, "-o", twice, "--snapshot", same}), ExitCode::kWrongUsage,
                "--snapshot " + same + ": is written by -o " + twice);
  if (pages_built())
    check_refused(run({"analyze", dump, "--objects", twice, "--html", twice}),
                  ExitCode::kWrongUsage, "another name is wanted");
  const std::string empty = directory.file("empty"), text = directory.file("text");
  std::ofstream(empty).flush();
  std::ofstream(text) << "hello";
  check_refused(run({"analyze", empty}), ExitCode::kBadInput, "empty");
  check_refused(run({"analyze", text}), ExitCode::kBadInput, "no heap dump");
  CHECK(directory.files() == 4);  // nothing half written
}
