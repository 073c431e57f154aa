#include "cli/report/selection.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

ClassView class_row(std::string_view name, std::uint64_t instances, std::uint64_t shallow,
                    std::uint64_t retained) {
  ClassView row;
  row.name = name;
  row.instances = instances;
  row.shallow_bytes = shallow;
  row.retained_bytes = retained;
  return row;
}

TreeNodeView node(std::uint32_t id, std::uint32_t parent, std::uint64_t retained) {
  TreeNodeView view;
  view.id = id;
  view.parent = parent;
  view.retained_bytes = retained;
  return view;
}

}  // namespace

TEST_CASE("selection: the largest classes in the order asked for, and the sum of the rest") {
  ReportView view;
  view.classes = {class_row("a", 1, 30, 300), class_row("b", 3, 10, 300),
                  class_row("c", 2, 20, 900)};
  view.classes_total = 10;
  view.rest_of_classes = class_row("", 7, 5, 50);

  const ClassSelection by_retained = select_classes(view, ClassOrder::kRetained, 2);
  REQUIRE(by_retained.rows.size() == 2);
  CHECK(by_retained.rows[0]->name == "c");
  CHECK(by_retained.rows[1]->name == "a");  // a tie keeps the report's order
  CHECK(by_retained.rest.instances == 10);
  CHECK(by_retained.rest.shallow_bytes == 15);
  CHECK(by_retained.rest_count == 8);
  CHECK(select_classes(view, ClassOrder::kShallow, 1).rows[0]->name == "a");
  CHECK(select_classes(view, ClassOrder::kInstances, 1).rows[0]->name == "b");

  const ClassSelection all = select_classes(view, ClassOrder::kRetained, kAllRows);
  CHECK(all.rows.size() == 3);
  CHECK(all.rest.instances == 7);
}

TEST_CASE("selection: a tree node is only there with its parent") {
  ReportView view;
  view.tree = {node(0, kNoRow, 100), node(1, 0, 90), node(2, kNoRow, 95), node(3, 1, 80)};
  CHECK(select_tree(view, 2) == std::vector<std::uint32_t>{0, 2});
  CHECK(select_tree(view, 3) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(select_tree(view, kAllRows).size() == 4);
  view.tree[1].retained_bytes =
      10;  // smaller than its child: no honest report, but no orphan either
  CHECK(select_tree(view, 3) == std::vector<std::uint32_t>{0, 2});
}
