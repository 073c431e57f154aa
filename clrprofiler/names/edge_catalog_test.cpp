#include "clrprofiler/names/edge_catalog.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/names/names_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("each class's edges have names, where its layout tells them") {
  NamesBench b;
  b.open();
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID orders = b.runtime.get("shop.Order[]");
  const ClassID entries = b.runtime.get("shop.Entry[]");
  const ClassID plugin = b.runtime.get("shop.Plugin");
  const ClassID broken = b.runtime.get("shop.Broken");
  b.runtime.add_field(order, "id", {0x06, ELEMENT_TYPE_STRING}, 8);
  b.runtime.add_field(order, "next", {0x06, ELEMENT_TYPE_OBJECT}, 16);
  b.runtime.lay_out(order, 32, {{8, 2}});
  b.runtime.lay_out(orders, 24, {{1, 0}}, 8);
  b.runtime.class_at(orders).words[FakeClass::kTable - 1] = 1;
  b.runtime.lay_out(entries, 24, {{2, 8}}, 24);
  b.runtime.class_at(plugin).words[FakeClass::kTable] |= 0x00200000;
  b.runtime.lay_out(broken, 24, {{8, 9}});
  const std::vector<ClassID> ids = {order, orders, entries, plugin, broken};
  Catalog catalog;
  REQUIRE(fill_classes(b.reader, ids, field_name_room(ids), b.memory, catalog).ok());
  const auto before = b.memory.work_arena().used_bytes();
  AskedStructs structs(b.reader.info());
  const auto edges = fill_edges(b.reader, structs, ids, b.memory, catalog);
  REQUIRE(edges.ok());
  CHECK(b.memory.work_arena().used_bytes() == before);
  REQUIRE(edges->size() == ids.size() + 1);
  CHECK((*edges)[0].kind == EdgeNames::Kind::kUnknown);

  const RowNames of_order((*edges)[1], 4, 2);
  CHECK(catalog.field_name(ClassId{0}, of_order.label(1).index()) == "next");
  const RowNames of_orders((*edges)[2], 3 + 5, 5);
  CHECK(of_orders.label(4) == RefLabel::element(4));
  const RowNames of_entries((*edges)[3], 3 + 2 * 3, 4);
  CHECK(of_entries.label(3) == RefLabel::element(1));
  const RowNames of_plugin((*edges)[4], 3, 1);
  CHECK(of_plugin.label(0) == special(SpecialRef::kClassLoader));
  CHECK((*edges)[5].kind == EdgeNames::Kind::kUnknown);
}
