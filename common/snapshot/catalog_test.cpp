#include "common/snapshot/catalog.h"

#include <doctest/doctest.h>

#include <vector>

#include "common/reservation.h"

using namespace holdfast;

TEST_CASE("a slot finds the declaring class up the chain") {
  Ledger ledger{1u << 20};
  Reservation reservation;
  REQUIRE(reservation.open(1u << 20).ok());
  Result<Arena> arena = reservation.take_arena(1u << 20, ledger, MemoryCategory::kCatalog);
  REQUIRE(arena.ok());
  Result<StringTable> strings = StringTable::make(*arena, 8, 64);
  REQUIRE(strings.ok());

  Catalog catalog;
  catalog.strings = *strings;
  // Top { a }; Middle extends Top { b, c } with 3 interface fields; Leaf extends Middle { d } with 4.
  std::vector<StringId> fields;
  for (const char* name : {"a", "b", "c", "d"}) fields.push_back(catalog.strings.intern(name));
  std::vector<ClassRow> rows(3);
  rows[0].field_count = 1;
  rows[1].superclass = ClassId{0};
  rows[1].first_field = 1;
  rows[1].field_count = 2;
  rows[1].chain_offset = 1;
  rows[1].interface_field_count = 3;
  rows[2].superclass = ClassId{1};
  rows[2].first_field = 3;
  rows[2].field_count = 1;
  rows[2].chain_offset = 3;
  rows[2].interface_field_count = 4;
  rows[2].name = catalog.strings.intern("Leaf");
  catalog.classes = rows;
  catalog.fields = fields;

  CHECK(catalog.field_name(ClassId{0}, 0) == "a");
  CHECK(catalog.field_name(ClassId{1}, 3) == "a");
  CHECK(catalog.field_name(ClassId{1}, 5) == "c");
  CHECK(catalog.field_name(ClassId{2}, 4) == "a");
  CHECK(catalog.field_name(ClassId{2}, 6) == "c");
  CHECK(catalog.field_name(ClassId{2}, 7) == "d");
  CHECK(catalog.field_name(ClassId{2}, 2).empty());   // an interface's field
  CHECK(catalog.field_name(ClassId{2}, 99).empty());  // beyond all
  CHECK(catalog.field_name(ClassId{}, 0).empty());
  CHECK(catalog.class_name(ClassId{2}) == "Leaf");
  CHECK(catalog.class_name(ClassId{77}) == "(class loaded during the dump)");
}

TEST_CASE("catalog: hidden classes are known by their names") {
  for (const std::string_view name :
       {"java.lang.invoke.LambdaForm$MH/0x0000000040269400", "shop.Shop$$Lambda$14/791452441",
        "shop.Shop$$Lambda+0x00007f811c001200", "shop.Shop$$Lambda$2.1747585824"})
    CHECK(hidden_class_suffix(name) == name.find_last_of("/.+"));
  for (const std::string_view name : {"shop.Shop$1", "scala.$plus+", "shop.Shop", "Shop", "", "a/",
                                      "a/0x", "a/0xyz", "/0x12", "a.b1", "1", "byte[]"})
    CHECK(hidden_class_suffix(name) == std::string_view::npos);
}
