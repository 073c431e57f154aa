#include "cli/report/report_filter.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/command_run_for_test.h"
#include "cli/output_file.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/report/section_list.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Outcome run(const TemporaryFile& file, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"report", file.path()});
  return run_command(arguments);
}

void check_refused(const TemporaryFile& file, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& said) {
  check_refusal(run(file, arguments), ExitCode::kWrongUsage, said);
}

TreeNodeView node(std::uint32_t id, std::uint32_t parent, std::string_view name,
                  std::uint64_t retained) {
  TreeNodeView view;
  view.id = id;
  view.parent = parent;
  view.object = ObjectView{id, name, "app", "", 8, retained};
  view.retained_bytes = retained;
  return view;
}

// a.Top { b.Map { a.Row, b.Map { a.Leaf } } }, c.Other
ReportView tree_view() {
  ReportView view;
  view.tree = {node(0, kNoRow, "a.Top", 100), node(1, 0, "b.Map", 90),
               node(2, 1, "a.Row", 40),       node(3, 1, "b.Map", 30),
               node(4, 3, "a.Leaf", 20),      node(5, kNoRow, "c.Other", 10)};
  view.tree[5].object->class_name = "java.lang.Class";
  view.tree[5].object->class_object_of = "c.Other";
  return view;
}

// "0 1>0 2>1": shown nodes with their parents.
std::string shown(ReportView view, const ReportFilter& filter) {
  apply_filter(view, filter);
  std::string text;
  for (const TreeNodeView& row : view.tree) {
    if (!row.shown) continue;
    text += (text.empty() ? "" : " ") + std::to_string(row.id);
    if (row.parent != kNoRow) text += '>' + std::to_string(row.parent);
  }
  return text;
}

}  // namespace

TEST_CASE("report filter: the dominator tree") {
  const ReportView view = tree_view();
  CHECK(shown(view, {}) == "0 1>0 2>1 3>1 4>3 5");
  CHECK(shown(view, {.depth = 2}) == "0 1>0 5");
  CHECK(shown(view, {.under = "3"}) == "3 4>3");
  CHECK(shown(view, {.under = "#1", .depth = 2}) == "1 2>1 3>1");
  CHECK(shown(view, {.under = "b.Map"}) == "1 2>1 3>1 4>3");  // the topmost, with what is below
  CHECK(shown(view, {.classes = {"a.Row"}}) == "0 1>0 2>1");  // with those above
  CHECK(shown(view, {.classes = {"c.Other"}}) == "5");        // a class object is its class
  CHECK(shown(view, {.skip = {"b.*"}}) == "0 2>0 4>0 5");     // two in a row are passed over
  CHECK(shown(view, {.skip = {"a.Top", "c.*"}}) == "1 2>1 3>1 4>3");
  CHECK(shown(view, {.skip = {"java.*"}}) == "0 1>0 2>1 3>1 4>3 5");
  CHECK(shown(view, {.classes = {"a.*"}, .skip = {"b.*"}, .under = "1", .depth = 1}) == "2 4");
}

TEST_CASE("report filter: rows that go are in the rest") {
  ReportView view = tree_view();
  ClassView row;
  row.name = "a.Row";
  row.instances = 5;
  view.classes = {row, row};
  view.classes[1].name = "b.Map";
  view.classes_total = 9;
  view.rest_of_classes.instances = 100;
  apply_filter(view, {.classes = {"a.*"}});
  CHECK(view.classes.size() == 1);
  CHECK(view.rest_of_classes.instances == 105);
  CHECK(view.classes_total == 9);
}

TEST_CASE("report filter: ages of the classes that are wanted, the others in the rest") {
  ReportView view;
  AgesView& ages = view.ages.emplace();
  ages.ranges = {{AgeRangeKind::kCollections, 0, 0}, {AgeRangeKind::kTenured}};
  ages.classes = {{"a.Row", "", {1, 2}, {8, 16}, 1}, {"b.Map", "", {4, 8}, {32, 64}, 1}};
  ages.rest_of_classes = {"", "", {100, 0}, {800, 0}, 1};
  ClassView row;
  row.name = "a.Row";
  view.classes = {row};
  apply_filter(view, {.classes = {"a.*"}});
  REQUIRE(view.ages->classes.size() == 1);
  CHECK(view.ages->classes[0].class_name == "a.Row");
  CHECK(view.ages->rest_of_classes.objects == std::vector<std::uint64_t>{104, 8});
  CHECK(view.ages->rest_of_classes.bytes == std::vector<std::uint64_t>{832, 64});
}

TEST_CASE(
    "report filter: cuts by what they cut or where, hidden and important objects by their class") {
  const auto filtered = [](const ReportFilter& filter) {
    ReportView view;
    const ObjectView map{1, "b.Map", "app", "", 8, 90}, row{2, "a.Row", "app", "", 8, 40};
    view.reachable.emplace().hidden = {map, row};
    view.cuts.emplace().most_references = {{map, 5, 1, false}, {row, 2, 1, false}};
    CutView cut;
    cut.referrer = map;
    cut.reference.object = row;
    CutView root;
    root.reference.object = map;
    root.root.emplace();
    view.cuts->cuts = {cut, root};
    apply_filter(view, filter);
    return std::to_string(view.reachable->hidden.size()) + ' ' +
           std::to_string(view.cuts->most_references.size()) + ' ' +
           std::to_string(view.cuts->cuts.size());
  };
  CHECK(filtered({}) == "2 2 2");
  CHECK(filtered({.classes = {"b.*"}}) == "1 1 2");
  CHECK(filtered({.classes = {"a.*"}}) == "1 1 1");
  CHECK(filtered({.skip = {"b.*"}}) == "1 1 1");  // what goes is not skipped, whoever holds it
  CHECK(filtered({.skip = {"a.*"}}) == "1 1 1");
}

TEST_CASE("report filter: who holds classes by what is held, not by who holds it") {
  const TemporaryFile file(sample_file({}));
  const std::string text = run(file, {"--class", "shop.Session", "--section", "holders"}).out;
  CHECK(text.find("4,812 references of 4,812") != std::string::npos);
  CHECK(text.find("byte[]") == std::string::npos);
  const std::string of_class = run(file, {"--class", "shop.Session"}).out;
  CHECK(of_class.find("HOLDERS") != std::string::npos);
  const std::string nothing =
      run(file, {"--class", "java.lang.String", "--section", "holders"}).out;
  CHECK(nothing.find("nothing to say about holders") != std::string::npos);
}

TEST_CASE("report filter: an empty list of what a filter left is no news about the heap") {
  const TemporaryFile file(sample_file({}));
  const std::string text =
      run(file, {"--class", "java.lang.String", "--section", "cuts,reachable"}).out;
  CHECK(text.find("No single reference") == std::string::npos);
  CHECK(text.find("hide nothing") == std::string::npos);
  CHECK(text.find("nothing to say about cuts") != std::string::npos);
}

TEST_CASE("report filter: what matches nothing is refused, and the nearest name is told") {
  const TemporaryFile file(sample_file({}));
  check_refused(file, {"--class", "shop.Sesion"},
                {"no class of this report matches 'shop.Sesion'", "530 classes",
                 "the nearest name is shop.Session"});
  check_refused(file, {"--class", "shop.*", "--class", "\x1b[2J"}, {"'\\u001b[2J'"});
  check_refused(file, {"--under", "shop.Sesion"}, {"no node", "nearest name is shop.Session"});
  check_refused(file, {"--under", "6"}, {"nodes 0 to 5"});
  check_refused(file, {"--under", "99999999999999999999999"}, {"nodes 0 to 5"});
  check_refused(file, {"--section", "suspect"}, {"suspect", "suspects", "tree", "origin"});
  check_refused(file, {"--section", "tree", "--paths-to", "x"}, {"--section", "--paths-to"});
  CHECK(run(file, {"--skip", "no.such.*"}).code == ExitCode::kDone);
  const TemporaryFile simple(sample_file({.simple = true}));
  check_refused(simple, {"--under", "0"}, {"no dominator tree"});
}

TEST_CASE("report filter: one memory account, whole, in text and JSON") {
  const TemporaryFile file(sample_file({.accounts = true}));
  check_golden("account_100", run(file, {"--account", "shop.*", "--width", "100"}).out);
  const TemporaryFile exact(sample_file({.accounts = true, .exact_accounts = true}));
  check_golden("account_exact_80", run(exact, {"--account", "shop.*"}).out);
  const auto json = nlohmann::json::parse(
      run(file, {"--account", "shop.search.*", "--section", "accounts", "--json"}).out);
  CHECK(json["accounts"]["accounts"].size() == 1);
  CHECK(json["accounts"]["accounts"][0]["account"] == "shop.search.*");
  CHECK(json["accounts"]["pairs"].size() == 2);
  CHECK(json["accounts"]["classes"].size() == 1);
  check_refused(file, {"--account", "shop.serch.*"},
                {"no account of this report is called 'shop.serch.*'",
                 "there are: shop.*, shop.search.*, (unaccounted), shop.export.* and 2 more"});
  check_refused(file, {"--account", "shop.*", "--class", "x"}, {"--account", "--class"});
  check_refused(file, {"--account", ""}, {"--account"});
  const TemporaryFile without(sample_file({}));
  check_refused(without, {"--account", "shop.*"}, {"no memory accounts", "accounts="});
}

TEST_CASE("report filter: golden") {
  const TemporaryFile file(sample_file({}));
  check_golden("class_80", run(file, {"--class", "shop.*"}).out);
  check_golden("skip_80", run(file, {"--skip", "java.*", "--section", "verdict,classes,tree"}).out);
  const TemporaryFile aging(sample_file({.aging = true}));
  check_golden("class_aging_80",
               run(aging, {"--class", "shop.ImportRow", "--section", "aging"}).out);
  check_golden("under_80", run(file, {"--under", "java.util.*", "--depth", "2"}).out);
}

TEST_CASE("report sections: each alone is what it is in the whole, in text and JSON") {
  const TemporaryFile file(
      sample_file({.accounts = true, .ages = true, .aging = true, .collections = true}));
  const std::string whole = run(file, {}).out;
  std::string joined;
  for (const Section& section : all_sections()) {
    const std::string name(section.name);
    const Outcome outcome = run(file, {"--section", name});
    CHECK(outcome.code == ExitCode::kDone);
    CHECK_FALSE(outcome.out.starts_with('\n'));
    CHECK_MESSAGE(whole.find(outcome.out) != std::string::npos, name);
    joined += (joined.empty() ? "" : ",") + name;
    const auto json = nlohmann::json::parse(run(file, {"--json", "--section", name}).out);
    CHECK(json.size() == section.json_keys.size() + 1);
    for (const std::string_view key : section.json_keys)
      CHECK_MESSAGE(json.contains(std::string(key)), key);
  }
  CHECK(run(file, {"--section", joined}).out == whole);
  CHECK(run(file, {"--section", "tree", "--section", "classes"}).out ==
        run(file, {"--section", "classes,tree"}).out);
  CHECK(run(file, {"--json", "--section", joined}).out == run(file, {"--json"}).out);
  const TemporaryFile simple(sample_file({.simple = true}));
  CHECK(run(simple, {"--section", "suspects"}).out.find("nothing to say about suspects") !=
        std::string::npos);
}

TEST_CASE("report filter: the verdict stays that of the whole report") {
  const TemporaryFile file(sample_file({}));
  const auto json = nlohmann::json::parse(run(file, {"--json", "--skip", "shop.*"}).out);
  CHECK(json["verdict"].get<std::string>().starts_with("4,812 shop.Session"));
  CHECK(json["suspects"].size() == 1);
  CHECK(json["suspects"][0]["rank"] == 2);
  CHECK(run(file, {"--skip", "shop.*"}).out.find("SUSPECT 2 of 2") != std::string::npos);
}

TEST_CASE("report filter: no line is wider than the page") {
  const TemporaryFile file(sample_file({.session_class = "evil.\x1b" + std::string(10'000, 'x')}));
  for (const char* width : {"40", "79", "120"}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--class", "evil.*"}, {"--depth", "1"}, {"--top", "2"}}) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"--width", width});
      std::istringstream lines(run(file, all).out);
      for (std::string line; std::getline(lines, line);)
        CHECK_MESSAGE(display_width(line) <= std::stoul(width), line);
    }
  }
}
