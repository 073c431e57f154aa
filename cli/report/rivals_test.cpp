#include "cli/report/rivals.h"

#include <doctest/doctest.h>

#include "cli/report/verdict.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

ObjectView object(std::uint32_t number, std::string_view name, std::uint64_t retained) {
  return {number, name, "app", "", 16, retained};
}

SuspectView suspect(std::size_t rank, const ObjectView& holder, std::uint64_t retained) {
  SuspectView view;
  view.rank = rank;
  view.class_name = rank == 1 ? "shop.Session" : "shop.Cache";
  view.loader = "app";
  view.instances = 100;
  view.retained_bytes = retained;
  view.confidence_percent = 70;
  view.holder = holder;
  StepView step;
  step.object = holder;
  view.path.steps = {step};
  return view;
}

}  // namespace

TEST_CASE("rivals: nothing else explains it") {
  ReportView view;
  view.suspects = {suspect(1, object(1, "shop.Table", 61 * kMega), 60 * kMega),
                   suspect(2, object(2, "shop.Cache", 9 * kMega), 9 * kMega)};
  CHECK(rivals_of(view, view.suspects[0], kFullNames).empty());
  CHECK(rivals_of(view, view.suspects[1], kFullNames).empty());
}

TEST_CASE("rivals: other ways to what is behind the holder's field") {
  ReportView view;
  view.suspects = {suspect(1, object(1, "shop.Table", 61 * kMega), 60 * kMega)};
  PathView way;
  way.root = Root::kThread;
  way.thread = "worker";
  way.steps.resize(3);
  way.steps[1].object.class_name = "shop.Index";
  way.steps[1].object.loader = "app";
  way.steps[2].via = Via::kInstanceField;
  way.steps[2].field = "byName";
  view.suspects[0].others.push_back(way);
  way.steps[2].via = Via::kStaticField;
  way.steps[2].declaring_class = "shop.Index";
  view.suspects[0].others.push_back(way);
  const auto rivals = rivals_of(view, view.suspects[0], kFullNames);
  REQUIRE(rivals.size() == 2);
  CHECK(rivals[0] == "also held by field shop.Index.byName, from thread \"worker\"");
  CHECK(rivals[1] == "also held by static field shop.Index.byName");
}

TEST_CASE("rivals: suspects above, below and at the same object") {
  ReportView view;
  view.suspects = {suspect(1, object(1, "shop.Table", 61 * kMega), 60 * kMega),
                   suspect(2, object(2, "shop.Cache", 9 * kMega), 9 * kMega)};
  StepView above;
  above.object = *view.suspects[1].holder;
  view.suspects[0].path.steps.insert(view.suspects[0].path.steps.begin(), above);
  CHECK(rivals_of(view, view.suspects[0], kFullNames) ==
        std::vector<std::string>{"suspect 2 (shop.Cache, 9.0 MB, confidence 70 %) lies above, on "
                                 "this path: it may be what holds all this"});
  CHECK(rivals_of(view, view.suspects[1], kFullNames)[0].find("shop.Session, 60.0 MB") !=
        std::string::npos);
  CHECK(rivals_of(view, view.suspects[1], kFullNames)[0].find("lies below") != std::string::npos);
  view.suspects[1].holder->number = 1;
  CHECK(rivals_of(view, view.suspects[0], kFullNames)[0].find("below the same object") !=
        std::string::npos);
  view.suspects[0].holder->number = view.suspects[1].holder->number = kNoRow;  // nobody knows
  view.suspects[0].path.steps.clear();
  CHECK(rivals_of(view, view.suspects[0], kFullNames).empty());
}

TEST_CASE("rivals: what the same object holds beside, and who else holds the class") {
  ReportView view;
  view.suspects = {suspect(1, object(1, "shop.Table", 61 * kMega), 40 * kMega)};
  CHECK(rivals_of(view, view.suspects[0], kFullNames) ==
        std::vector<std::string>{"the same shop.Table holds 21.0 MB beside them"});
  TreeNodeView table, sessions, rows;
  table.object = *view.suspects[0].holder;
  sessions.id = 1;
  sessions.parent = 0;
  sessions.group_class = "shop.Session";
  sessions.retained_bytes = 40 * kMega;
  rows.id = 2;
  rows.parent = 0;
  rows.group_class = "shop.Row";
  rows.instances = 1234;
  rows.retained_bytes = 20 * kMega;
  view.tree = {table, sessions, rows};
  ClassView all;
  all.name = "shop.Session";
  all.loader = "app";
  all.instances = 111;
  view.classes = {all};
  CHECK(rivals_of(view, view.suspects[0], kFullNames) ==
        std::vector<std::string>{
            "the same shop.Table holds 21.0 MB beside them, 20.0 MB of it by 1,234 shop.Row"});
  view.classes[0].instances = 130;
  CHECK(rivals_of(view, view.suspects[0], 10).back() == "30 more …Session are held elsewhere");
}

TEST_CASE("rivals: what hangs below is not elsewhere, and classes of one name are one") {
  ReportView view;
  view.suspects = {suspect(1, object(1, "shop.Table", 61 * kMega), 60 * kMega)};
  view.classes.resize(2);
  view.classes[0].name = view.classes[1].name = "shop.Session";
  view.classes[0].loader = "plugins 1";
  view.classes[0].instances = 300;
  view.classes[1].instances = 200;
  REQUIRE(rivals_of(view, view.suspects[0], kFullNames).size() == 1);
  CHECK(rivals_of(view, view.suspects[0], kFullNames)[0] ==
        "400 more shop.Session are held elsewhere");
  view.suspects[0].instances_below = 500;
  CHECK(rivals_of(view, view.suspects[0], kFullNames).empty());
}
