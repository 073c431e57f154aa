#include "cli/compare/comparison.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "cli/compare/change_selection.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr ClassOrder kOrders[] = {ClassOrder::kRetained, ClassOrder::kShallow,
                                  ClassOrder::kInstances};

ClassView row(std::string_view name, std::string_view loader, std::uint64_t instances,
              std::uint64_t shallow, std::uint64_t retained = 0) {
  ClassView view;
  view.name = name;
  view.loader = loader;
  view.instances = instances;
  view.shallow_bytes = shallow;
  view.retained_bytes = retained;
  return view;
}

// A report with these rows; `rest` classes more, which together have `rest_instances` and `rest_bytes`.
ReportView make_report(std::vector<ClassView> rows, std::uint64_t rest = 0,
                       std::uint64_t rest_instances = 0, std::uint64_t rest_bytes = 0) {
  ReportView view;
  view.classes = std::move(rows);
  view.classes_total = view.classes.size() + rest;
  view.rest_of_classes.instances = rest_instances;
  view.rest_of_classes.shallow_bytes = rest_bytes;
  return view;
}

ReportView with_graph(ReportView view, std::uint64_t held_bytes) {
  view.graph.emplace();
  view.graph->held_bytes = held_bytes;
  const bool dominated = std::ranges::any_of(
      view.classes, [](const ClassView& row) { return row.retained_bytes > 0; });
  view.graph->dominator_depth = dominated ? 1 : 0;
  return view;
}

const RowChange& change_of(const Comparison& all, std::string_view name,
                           std::string_view loader = "app") {
  for (const RowChange& each : all.classes.rows)
    if (each.name == name && each.loader == loader) return each;
  FAIL("no row for ", std::string(name));
  return all.classes.rows.front();
}

std::int64_t shallow(const RowChange& row) {
  return change(row.before, row.after, ClassOrder::kShallow);
}
std::int64_t certain_shallow(const RowChange& row) {
  return certain_change(row.before, row.after, ClassOrder::kShallow);
}

}  // namespace

TEST_CASE("comparison: what both list is subtracted; loaders keep classes of one name apart") {
  const Comparison all = compare(make_report({row("A", "app", 3, 300), row("A", "boot", 5, 500)}),
                                 make_report({row("A", "app", 7, 700), row("A", "boot", 4, 400)}));
  CHECK(shallow(change_of(all, "A")) == 400);
  CHECK(shallow(change_of(all, "A", "boot")) == -100);
  CHECK(change(change_of(all, "A").before, change_of(all, "A").after, ClassOrder::kInstances) == 4);
  CHECK(all.before.instances == 8);
  CHECK(all.after.shallow_bytes == 1100);
  CHECK_FALSE(all.retained);
}

TEST_CASE("comparison: classes of one name in several loaders of one name are one row, counted") {
  const Comparison all =
      compare(make_report({row("P", "Plugin", 1, 10)}),
              make_report({row("P", "Plugin", 1, 10), row("P", "Plugin", 2, 20)}));
  const RowChange& both = change_of(all, "P", "Plugin");
  CHECK(both.before.definitions == 1);
  CHECK(both.after.definitions == 2);
  CHECK(shallow(both) == 20);
}

TEST_CASE("comparison: absent is new or gone where the list is whole") {
  const Comparison all =
      compare(make_report({row("Old", "app", 1, 10)}), make_report({row("New", "app", 2, 30)}));
  CHECK(change_of(all, "New").fresh());
  CHECK(change_of(all, "Old").gone());
  CHECK(certain_shallow(change_of(all, "New")) == 30);
  CHECK(certain_shallow(change_of(all, "Old")) == -10);
}

TEST_CASE("comparison: a class in the sum of the others is not gone, and bounded") {
  const Comparison all =
      compare(make_report({row("Big", "app", 9, 900), row("Small", "app", 1, 50)}),
              make_report({row("Big", "app", 9, 900), row("Other", "app", 8, 80)}, 3, 6, 60));
  const RowChange& small = change_of(all, "Small");
  CHECK_FALSE(small.gone());
  CHECK(small.after.presence == Presence::kUnlisted);
  CHECK(small.after.at_most.shallow_bytes == 60);  // all others together, less than the least row
  CHECK(small.after.at_most.instances == 6);
  CHECK(shallow(small) == -50);
  CHECK(certain_shallow(small) == 0);  // it may have as much as before
  CHECK(change_of(all, "Other").fresh());
}

TEST_CASE("comparison: what is certain of a class that was among the others") {
  const Comparison all = compare(make_report({row("A", "app", 1, 100)}, 5, 40, 400),
                                 make_report({row("A", "app", 1, 100), row("B", "app", 9, 950)}));
  const RowChange& b = change_of(all, "B");
  CHECK_FALSE(b.fresh());
  CHECK(b.before.at_most.shallow_bytes == 100);  // the writer lists the largest
  CHECK(shallow(b) == 950);
  CHECK(certain_shallow(b) == 850);
}

namespace {

// It has more loaders than it lists.
ReportView with_unlisted_loaders(ReportView view) {
  view.loaders_total = 600;
  return view;
}

}  // namespace

TEST_CASE("comparison: one class of a name whose loader one report does not list is that class") {
  const ReportView before = with_unlisted_loaders(make_report({row("A", "", 3, 300)}));
  const ReportView after = make_report({row("A", "plugin", 7, 700)});
  const Comparison all = compare(before, after);
  CHECK(all.classes.rows.size() == 1);
  CHECK(certain_shallow(change_of(all, "A", "plugin")) == 400);
  CHECK(certain_shallow(change_of(compare(after, before), "A", "plugin")) == -400);
  // Where all loaders are listed, a class without one is another.
  const Comparison apart = compare(make_report({row("A", "", 3, 300)}), after);
  CHECK(change_of(apart, "A", "plugin").fresh());
  CHECK(change_of(apart, "A", "").gone());
}

TEST_CASE("comparison: several classes of a name with unlisted loaders are neither new nor gone") {
  const Comparison all = compare(
      with_unlisted_loaders(make_report({row("A", "one", 1, 100), row("A", "", 3, 300)})),
      make_report({row("A", "one", 1, 100), row("A", "two", 4, 400), row("A", "three", 2, 200)}));
  const RowChange& two = change_of(all, "A", "two");
  CHECK_FALSE(two.fresh());
  CHECK(shallow(two) == 400);
  CHECK(certain_shallow(two) == 100);
  CHECK(certain_shallow(change_of(all, "A", "three")) == 0);
  const RowChange& unknown = change_of(all, "A", "");
  CHECK_FALSE(unknown.gone());
  CHECK(unknown.after.at_most.shallow_bytes == 600);
  CHECK(certain_shallow(unknown) == 0);
  CHECK(certain_shallow(change_of(all, "A", "one")) == 0);
}

TEST_CASE("comparison: retained sizes need both graphs") {
  const ReportView graph = with_graph(make_report({row("A", "app", 1, 10, 100)}), 100);
  const ReportView later = with_graph(make_report({row("A", "app", 1, 10, 400)}), 400);
  CHECK(compare(graph, later).retained);
  CHECK(change(change_of(compare(graph, later), "A").before,
               change_of(compare(graph, later), "A").after, ClassOrder::kRetained) == 300);
  CHECK_FALSE(compare(graph, make_report({})).retained);
  // A graph of which nobody asked for retained sizes.
  CHECK_FALSE(compare(graph, with_graph(make_report({row("A", "app", 1, 10)}), 400)).retained);
}

TEST_CASE("comparison: packages are summed up where a report has none") {
  ReportView with = make_report({row("a.X", "app", 1, 10), row("b.Y", "app", 2, 20)});
  with.packages = {SetView{"a", 1, 1, 10, 0, false}};
  const Comparison all =
      compare(with, make_report({row("a.X", "app", 3, 30), row("a.Z", "app", 1, 5)}));
  CHECK(all.packages_summed);
  REQUIRE(all.packages.rows.size() == 2);
  CHECK(all.packages.rows[0].name == "a");
  CHECK(shallow(all.packages.rows[0]) == 25);
  CHECK(all.packages.rows[0].after.definitions == 1);
  CHECK(shallow(all.packages.rows[1]) == -20);
}

namespace {

TreeNodeView node(std::uint32_t id, std::uint32_t parent, std::string_view group,
                  std::uint64_t instances, std::uint64_t retained, std::uint64_t rest_children = 0,
                  std::uint64_t rest_bytes = 0) {
  TreeNodeView view;
  view.id = id;
  view.parent = parent;
  view.group_class = group;
  view.instances = instances;
  view.retained_bytes = retained;
  view.rest_children = rest_children;
  view.rest_retained_bytes = rest_bytes;
  return view;
}

std::int64_t retained(const PathChange& path) {
  return change(path.before, path.after, ClassOrder::kRetained);
}

}  // namespace

TEST_CASE("comparison: trees are matched by the path of classes") {
  ReportView before = with_graph(make_report({}), 100);
  before.tree = {node(0, kNoRow, "Map", 1, 90), node(1, 0, "Entry", 5, 80, 3, 7),
                 node(2, kNoRow, "Cache", 1, 10)};
  ReportView after = with_graph(make_report({}), 200);
  after.tree = {node(0, kNoRow, "Cache", 1, 10), node(1, 0, "Entry", 1, 5),
                node(2, kNoRow, "Map", 1, 180),  node(3, 2, "Entry", 5, 100),
                node(4, 2, "Entry", 1, 60),      node(5, 3, "Value", 5, 90)};
  const Comparison all = compare(before, after);
  REQUIRE(all.tree.size() == 5);  // Map, Map/Entry, Cache, Cache/Entry, Map/Entry/Value
  CHECK(retained(all.tree[0]) == 90);
  CHECK(retained(all.tree[1]) == 80);  // the single one joins the group
  CHECK(all.tree[1].after.figures.instances == 6);
  CHECK(retained(all.tree[2]) == 0);
  CHECK(all.tree[3].before.presence == Presence::kAbsent);  // the cache had no children left over
  CHECK(all.tree[4].before.presence == Presence::kUnlisted);
  CHECK(all.tree[4].before.at_most.retained_bytes == 7);
  CHECK(certain_change(all.tree[4].before, all.tree[4].after, ClassOrder::kRetained) == 83);
}

TEST_CASE("comparison: below the roots, what no node retains may be an unlisted one") {
  ReportView before = with_graph(make_report({}), 100);
  before.tree = {node(0, kNoRow, "Map", 1, 60)};
  ReportView after = with_graph(make_report({}), 100);
  after.tree = {node(0, kNoRow, "Pool", 1, 100)};
  const Comparison all = compare(before, after);
  CHECK(all.tree[1].before.presence == Presence::kUnlisted);
  CHECK(all.tree[1].before.at_most.retained_bytes == 40);
  CHECK(all.tree[0].after.presence == Presence::kAbsent);  // the pool retains everything
}

// -- properties --

namespace {

// Reports of random classes, the largest listed and the others summed up, as the writer does it.
class RandomReports {
 public:
  explicit RandomReports(std::uint32_t seed) : random_(seed) {
    for (int i = 0; i < 60; ++i)
      names_.push_back("p" + std::to_string(i % 7) + ".C" + std::to_string(i));
  }
  ReportView next() {
    std::vector<ClassView> rows;
    for (const std::string& name : names_) {
      if (random_() % 5 == 0) continue;
      const std::uint64_t shallow = random_() % 100'000;
      rows.push_back(row(name, random_() % 3 == 0 ? "boot" : "app", random_() % 1000 + 1, shallow,
                         shallow + random_() % 50'000));
    }
    std::ranges::sort(rows, std::ranges::greater{}, &ClassView::retained_bytes);
    const std::size_t listed = random_() % 2 == 0 ? rows.size() : random_() % rows.size();
    ReportView view =
        make_report({rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(listed)});
    view.classes_total = rows.size();
    std::uint64_t held = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      held += rows[i].shallow_bytes;
      if (i < listed) continue;
      view.rest_of_classes.instances += rows[i].instances;
      view.rest_of_classes.shallow_bytes += rows[i].shallow_bytes;
    }
    truth_.push_back(rows);
    return with_graph(std::move(view), held);
  }
  // What this class really had in the nth report.
  std::uint64_t truth(std::size_t nth, const RowChange& row, ClassOrder which) const {
    for (const ClassView& each : truth_[nth])
      if (each.name == row.name && each.loader == row.loader)
        return figure({each.instances, each.shallow_bytes, each.retained_bytes}, which);
    return 0;
  }

 private:
  std::mt19937 random_;
  std::vector<std::string> names_;
  std::vector<std::vector<ClassView>> truth_;
};

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(b - a);
}

void check_sums(const Comparison& all, std::size_t top) {
  const ChangeSelection shown =
      select_changes(all.classes, ClassOrder::kRetained, top, NameFilter{{"*1*"}, {"*2"}});
  std::int64_t instances =
      difference(shown.before.figures.instances, shown.after.figures.instances);
  std::int64_t bytes =
      difference(shown.before.figures.shallow_bytes, shown.after.figures.shallow_bytes);
  for (const RowChange* each : shown.rows) {
    instances += change(each->before, each->after, ClassOrder::kInstances);
    bytes += shallow(*each);
  }
  CHECK(bytes == difference(all.before.shallow_bytes, all.after.shallow_bytes));
  std::int64_t package_bytes = difference(all.packages.before.figures.shallow_bytes,
                                          all.packages.after.figures.shallow_bytes);
  for (const RowChange& each : all.packages.rows) package_bytes += shallow(each);
  CHECK(package_bytes == bytes);
}

void check_mirrored(const Comparison& there, const Comparison& back) {
  REQUIRE(there.classes.rows.size() == back.classes.rows.size());
  std::map<std::pair<std::string_view, std::string_view>, const RowChange*> rows;
  for (const RowChange& each : back.classes.rows) rows[{each.name, each.loader}] = &each;
  for (const RowChange& each : there.classes.rows) {
    const RowChange& other = *rows.at({each.name, each.loader});
    for (const ClassOrder order : kOrders) {
      CHECK(change(each.before, each.after, order) == -change(other.before, other.after, order));
      CHECK(certain_change(each.before, each.after, order) ==
            -certain_change(other.before, other.after, order));
    }
    CHECK(each.fresh() == other.gone());
  }
}

}  // namespace

TEST_CASE("comparison: changes add up, turn round with the reports, and never claim too much") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    RandomReports reports(seed);
    const ReportView a = reports.next();
    const ReportView b = reports.next();
    const Comparison there = compare(a, b);
    check_sums(there, seed % 4 == 0 ? kAllRows : seed % 7);
    check_mirrored(there, compare(b, a));
    for (const RowChange& each : there.classes.rows) {
      for (const ClassOrder order : kOrders) {
        const std::int64_t real =
            difference(reports.truth(0, each, order), reports.truth(1, each, order));
        const std::int64_t certain = certain_change(each.before, each.after, order);
        CHECK((certain >= 0 || real <= certain));
        CHECK((certain <= 0 || real >= certain));
        if (each.fresh()) CHECK(reports.truth(0, each, order) == 0);
        if (each.gone()) CHECK(reports.truth(1, each, order) == 0);
      }
    }
  }
}

TEST_CASE("comparison: a lambda's class is the same in another process, whatever its address") {
  ReportView before = with_graph(make_report({row("shop.Window$$Lambda$2/0x00007f98c4001200", "app",
                                                  1000, 16'000, 4'000'000)}),
                                 5'000'000);
  ReportView after = with_graph(make_report({row("shop.Window$$Lambda$5/0x00007fc424001200", "app",
                                                 1000, 16'000, 4'000'000)}),
                                5'000'000);
  before.origin.pid = after.origin.pid = 1;
  CHECK(compare(before, after).classes.rows.size() == 2);  // one process: another class

  after.origin.pid = 2;
  const Comparison restarted = compare(before, after);
  REQUIRE(restarted.classes.rows.size() == 1);
  const RowChange& lambda = change_of(restarted, "shop.Window$$Lambda");
  CHECK(lambda.before.figures.instances == 1000);
  CHECK(lambda.after.figures.instances == 1000);
  CHECK(change(lambda.before, lambda.after, ClassOrder::kRetained) == 0);
}

TEST_CASE("comparison: a path through a lambda's class goes on in another process") {
  ReportView views[2];
  const std::string_view names[] = {"shop.Window$$Lambda$2/0x00007f98c4001200",
                                    "shop.Window$$Lambda$2/0x00007fc424001200"};
  for (std::uint32_t i = 0; i < 2; ++i) {
    views[i] = with_graph(make_report({row("shop.Window", "app", 1, 16, 5000)}), 5000);
    views[i].origin.pid = i + 1;
    TreeNodeView node;
    node.group_class = names[i];
    node.instances = 10;
    node.retained_bytes = 5000;
    views[i].tree = {node};
  }
  const Comparison all = compare(views[0], views[1]);
  REQUIRE(all.tree.size() == 1);
  CHECK(all.tree[0].class_name == "shop.Window$$Lambda");
  CHECK(all.tree[0].before.figures.retained_bytes == all.tree[0].after.figures.retained_bytes);
}
