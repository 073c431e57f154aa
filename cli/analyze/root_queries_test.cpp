#include "cli/analyze/root_queries.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/import/phd_fixture.h"
#include "analysis/lab/hprof_writer.h"
#include "cli/command_run_for_test.h"
#include "cli/text/golden_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using analysis::PhdWriter;
using platforms::ScratchDirectory;

// The graph that HeapRoots' documentation explains its words with: addresses in the order of the letters.
struct Letter {
  char name;
  std::uint64_t address, bytes;
  PhdWriter::Addresses to;
};
const std::vector<Letter> kLetters = {{'A', 0x100, 8, {0x110}},
                                      {'B', 0x110, 16, {0x120, 0x180}},
                                      {'C', 0x120, 24, {0x130}},
                                      {'D', 0x130, 8, {0x130, 0x140}},
                                      {'E', 0x140, 8, {0x150, 0x170}},
                                      {'F', 0x150, 8, {0x160, 0x120}},
                                      {'G', 0x160, 8, {}},
                                      {'H', 0x170, 8, {}},
                                      {'I', 0x180, 8, {0x190}},
                                      {'J', 0x190, 8, {}},
                                      {'K', 0x1a0, 32, {0x110, 0x1b0}},
                                      {'L', 0x1b0, 8, {0x1a0, 0x110}}};
std::uint64_t class_address(const Letter& letter) { return letter.address * 0x10 + 0x8000; }

std::string text_dump(bool with_classes) {
  std::ostringstream text;
  text << std::hex;
  for (const Letter& one : kLetters) {
    text << "0x" << one.address << " [" << std::dec << one.bytes << std::hex << "] "
         << (with_classes ? "OBJ " : "") << one.name << "\n\t";
    for (const std::uint64_t to : one.to) text << "0x" << to << ' ';
    text << '\n';
  }
  for (const Letter& one : kLetters)
    if (with_classes) text << "0x" << class_address(one) << " [0] CLS " << one.name << "\n\t\n";
  return text.str();
}

std::string phd_dump() {
  PhdWriter dump;
  dump.header("J9 VM 2.9");
  for (const Letter& one : kLetters)
    dump.long_object(one.address, class_address(one), one.to, 3, 3, false);
  for (const Letter& one : kLetters)
    dump.class_record(class_address(one), std::string(1, one.name), 0, one.bytes, {}, 3, 3);
  dump.end();
  return dump.out;
}

// Root.list -> First -> Second, and a soft reference to Second that the search meets before.
std::string soft_dump() {
  using namespace analysis::lab;
  constexpr std::uint64_t kReference = 0x1000, kSoft = 0x1100, kItem = 0x1200;
  HprofWriter dump;
  dump.basics();
  const std::uint64_t object = HprofWriter::kObject;
  dump.klass({.id = kReference,
              .name = "java/lang/ref/Reference",
              .super = object,
              .fields = {{"referent"}}});
  dump.klass({.id = kSoft, .name = "java/lang/ref/SoftReference", .super = kReference});
  dump.klass({.id = kItem, .name = "shop/Item", .super = object, .fields = {{"a"}, {"b"}}});
  for (const std::uint64_t root : {kItem, kSoft, kReference}) dump.root(0x05, root);
  dump.instance(0x2000, kItem, {reference(0x2100), reference(0x2200)});
  dump.instance(0x2100, kSoft, {reference(0x2300)});
  dump.instance(0x2200, kItem, {reference(0x2300), reference(0)});
  dump.instance(0x2300, kItem, {reference(0), reference(0)});
  const auto bytes = dump.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string written(const ScratchDirectory& directory, const char* name, const std::string& bytes) {
  directory.write(name, bytes);
  return directory.file(name);
}

nlohmann::json rows_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_command(arguments);
  REQUIRE_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
  return nlohmann::json::parse(outcome.out).at("answers").at(0).at("rows");
}

nlohmann::json row_of(const nlohmann::json& rows, const std::string& object) {
  for (const auto& row : rows)
    if (row.at("object") == object) return row;
  return {};
}

}  // namespace

TEST_CASE("from roots: golden, the seed's example") {
  const ScratchDirectory directory;
  const std::string dump = written(directory, "example.txt", text_dump(false));
  std::vector<std::string> asked = {
      "analyze",         dump, "--from-roots",    "--root-of", "0x160", "--root-of", "#11",
      "--keeping-alive", "B",  "--keeping-alive", "A"};
  check_golden("from_roots_80", run_command(asked).out);
  asked.emplace_back("--json");
  check_golden("from_roots_json", run_command(asked).out);
}

TEST_CASE("from roots: PHD, text and a snapshot of the example give the very same answers") {
  const ScratchDirectory directory;
  const std::string text = written(directory, "example.txt", text_dump(true));
  const std::string phd = written(directory, "example.phd", phd_dump());
  const std::string snapshot = directory.file("example.hfs");
  REQUIRE(
      run_command({"analyze", phd, "-o", directory.file("x.hfr"), "--snapshot", snapshot}).code ==
      ExitCode::kDone);
  for (const char* links : {"", "--strong-only", "--class-references"})
    for (const char* form : {"", "--json"}) {
      const auto answer = [&](const char* command, const std::string& file) {
        std::vector<std::string> asked = {command,     file,    "--from-roots",    "--top", "12",
                                          "--root-of", "0x1b0", "--keeping-alive", "0x110"};
        for (const std::string option : {links, form})
          if (!option.empty()) asked.push_back(option);
        const Outcome outcome = run_command(asked);
        CHECK_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
        return outcome.out;
      };
      const std::string from_phd = answer("analyze", phd);
      CHECK(from_phd.find("J @ 0x190") != from_phd.npos);
      CHECK(answer("report", snapshot) == from_phd);
      // A text dump does not say that an object refers to its class object, so these are no links there.
      if (std::string_view(links) != "--class-references")
        CHECK(answer("analyze", text) == from_phd);
    }
}

TEST_CASE("from roots: --depth and --top leave out what is summed") {
  const ScratchDirectory directory;
  const std::string dump = written(directory, "example.txt", text_dump(false));
  const auto all = rows_of({"analyze", dump, "--from-roots"});
  CHECK(all.size() == 12 + 4);  // F to C, K to B, L to K and B
  const auto roots = rows_of({"analyze", dump, "--from-roots", "--depth", "1"});
  REQUIRE(roots.size() == 2);
  CHECK(roots[0].at("object") == "A @ 0x100");
  CHECK(roots[0].at("max_depth") == 6);
  CHECK(roots[0].at("subtree_bytes") == 104);
  CHECK(roots[1].at("link") == "artificial root");
  const auto one = rows_of({"analyze", dump, "--from-roots", "--top", "1"});
  REQUIRE(one.size() == 2);
  CHECK(one[1].at("object") == "1 further root");
  CHECK(one[1].at("subtree_bytes") == 40);
  CHECK(one[1].at("descendants") == 1);
  CHECK(one[1].at("shallow_bytes").is_null());
  const auto three = rows_of({"analyze", dump, "--from-roots", "--top", "3"});  // before K
  CHECK(three.size() == 5);
  CHECK(row_of(three, "C @ 0x120").at("depth") == 2);
  CHECK(row_of(three, "1 further object").at("subtree_bytes") == 16);  // I with J
  const auto way = rows_of({"analyze", dump, "--root-of", "G", "--top", "3"});
  REQUIRE(way.size() == 4);
  CHECK(way[1].at("object") == "B @ 0x110");
  CHECK(way[2].at("object") == "4 objects left out");
  CHECK(way[3].at("object") == "G @ 0x160");
}

TEST_CASE(
    "from roots: a soft link owns what it meets first, and is marked; --strong-only is without") {
  const ScratchDirectory directory;
  const std::string dump = written(directory, "soft.hprof", soft_dump());
  const auto all = rows_of({"analyze", dump, "--from-roots"});
  const std::string second = "shop.Item @ 0x2300";
  CHECK(row_of(all, second).at("link") == "soft");
  CHECK(row_of(all, "java.lang.ref.SoftReference @ 0x2100").at("descendants") == 1);
  const auto way = rows_of({"analyze", dump, "--root-of", "0x2300"});
  REQUIRE(way.size() == 3);
  CHECK(way[2].at("link") == "soft");
  const auto strong = rows_of({"analyze", dump, "--root-of", "0x2300", "--strong-only"});
  REQUIRE(strong.size() == 3);
  CHECK(strong[1].at("object") == "shop.Item @ 0x2200");
  CHECK(strong[2].at("link") == "");
  const auto kept = rows_of({"analyze", dump, "--keeping-alive", "0x2000"});
  CHECK(kept[0].at("kept_objects") == 3);
  CHECK(kept[1].at("class") == "shop.Item");
  CHECK(kept[1].at("reachable_objects") == 2);
}

TEST_CASE("from roots: what cannot be asked is one line") {
  const ScratchDirectory directory;
  const std::string dump = written(directory, "example.txt", text_dump(false));
  const auto refused = [&](const std::vector<std::string>& options, const std::string& said) {
    std::vector<std::string> asked = {"analyze", dump};
    asked.insert(asked.end(), options.begin(), options.end());
    check_refusal(run_command(asked), ExitCode::kWrongUsage, {said});
  };
  refused({"--root-of", "0x99"}, "--root-of 0x99: there is no object at this address");
  refused({"--keeping-alive", "#12"}, "--keeping-alive #12: there is no object");
  refused({"--keeping-alive", "no.Such"}, "matches no object");
  refused({"--strong-only"}, "--strong-only requires --from-roots, --root-of or --keeping-alive");
  refused({"--class-references", "--suspects", "mat"}, "--class-references requires");
  refused({"--from-roots", "--section", "tree"}, "--from-roots");
  refused({"--from-roots", "--html", directory.file("x.html")}, "--from-roots");
}
