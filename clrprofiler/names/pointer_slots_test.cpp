#include "clrprofiler/names/pointer_slots.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "clrprofiler/names/names_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

using Signature = std::vector<std::uint8_t>;
const Signature kString = {0x06, ELEMENT_TYPE_STRING};
const Signature kInt = {0x06, ELEMENT_TYPE_I4};

struct SlotBench : NamesBench {
  StringTable strings;
  std::optional<AskedStructs> structs;
  SlotReader slots;
  SlotBench() {
    auto made = StringTable::make(memory.catalog_arena(), 64, 4096);
    if (!made) std::abort();
    strings = *made;
    open();
    structs.emplace(reader.info());
    if (!slots.open(reader, *structs, memory.work_arena())) std::abort();
  }
  Signature struct_of(ClassID type) {
    return {0x06, ELEMENT_TYPE_VALUETYPE,
            static_cast<std::uint8_t>((runtime.class_at(type).token & 0xFFu) << 2u)};
  }
  std::string read(ClassID id) {
    const auto found = slots.read(id, strings);
    if (!found) return "error";
    std::string text;
    for (const PointerSlot& slot : *found)
      text += std::to_string(slot.offset) + ":" + std::string(strings.view(slot.name)) + " ";
    return text;
  }
};

}  // namespace

TEST_CASE("fields of a class and of what it derives from") {
  SlotBench b;
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID special = b.runtime.get("shop.Special");
  b.runtime.class_at(special).parent = order;
  b.runtime.add_field(order, "id_", kString, 8);
  b.runtime.add_field(order, "count_", kInt, 24);
  b.runtime.add_field(order, "Everything", kString, 0, fdStatic);
  b.runtime.add_field(order, "<Next>k__BackingField", kString, 16);
  b.runtime.add_field(special, "<>4__this", kString, 32);
  b.runtime.lay_out(special, 48, {{8, 2}, {32, 1}});
  CHECK(b.read(special) == "8:id_ 16:Next 32:<>4__this ");
}

TEST_CASE("structs inside objects, boxes and arrays of structs") {
  SlotBench b;
  const ClassID deep = b.runtime.get("shop.Deep");
  const ClassID inner = b.runtime.get("shop.Inner");
  const ClassID order = b.runtime.get("shop.Order");
  b.runtime.class_at(deep).parent = b.runtime.class_at(inner).parent =
      b.runtime.get("System.ValueType");
  b.runtime.add_field(deep, "long_", kInt, 0);
  b.runtime.add_field(deep, "text", kString, 8);
  b.runtime.add_field(inner, "x", kString, 0);
  b.runtime.add_field(inner, "deep", b.struct_of(deep), 8);
  b.runtime.add_field(order, "own", kString, 8);
  b.runtime.add_field(order, "in", b.struct_of(inner), 16);
  b.runtime.lay_out(order, 56, {{32, 1}, {16, 1}, {8, 1}});
  CHECK(b.read(order) == "32:in.deep.text 16:in.x 8:own ");
  b.runtime.lay_out(inner, 40, {{8, 1}, {24, 1}});
  CHECK(b.read(inner) == "8:x 24:deep.text ");
  const ClassID array = b.runtime.get("shop.Inner[]");
  b.runtime.lay_out(array, 24, {{1, 8}, {1, 0}}, 24);
  CHECK(b.read(array) == "0:x 16:deep.text ");
}

TEST_CASE("structs whose type is an argument, generic or of another module") {
  SlotBench b;
  const ClassID value = b.runtime.get("System.ValueType");
  const ClassID text = b.runtime.get("System.String");
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID pair = b.runtime.get("System.Pair`2<System.String,shop.Order>");
  b.runtime.class_at(pair).parent = value;
  b.runtime.add_field(pair, "key", {0x06, 0x13, 0x00}, 0);
  b.runtime.add_field(pair, "value", {0x06, 0x13, 0x01}, 8);
  b.runtime.module_at(b.runtime.module_named("shop")).references[0x01000001] = u"System.Pair`2";
  b.runtime.add_field(order, "pair", {0x06, 0x15, 0x11, 0x05, 0x02, 0x0E, 0x12, 0x04}, 8);
  CHECK(b.runtime.class_at(order).token == 0x02000001);
  b.runtime.lay_out(order, 40, {{8, 2}});
  CHECK(b.read(order) == "8:pair.key 16:pair.value ");

  const ClassID box = b.runtime.get("shop.Box`1<System.Pair`2<System.String,shop.Order>>");
  b.runtime.add_field(box, "item", {0x06, 0x13, 0x00}, 8);
  b.runtime.lay_out(box, 40, {{8, 2}});
  CHECK(b.read(box) == "8:item.key 16:item.value ");
  const ClassID plain = b.runtime.add_class({.module = b.runtime.class_at(box).module,
                                             .token = b.runtime.class_at(box).token,
                                             .arguments = {text}});
  b.runtime.lay_out(plain, 24, {{8, 1}});
  CHECK(b.read(plain) == "8:item ");
}

TEST_CASE("what cannot be told still has the outer field's name, or none") {
  SlotBench b;
  const ClassID inner = b.runtime.get("shop.Inner");
  const ClassID order = b.runtime.get("shop.Order");
  b.runtime.add_field(inner, "x", kString, 0);
  b.runtime.add_field(order, "in", b.struct_of(inner), 8);
  b.runtime.lay_out(order, 40, {{8, 2}});
  CHECK(b.read(order) == "8:in.x 16:in.x ");
  b.runtime.fail("GetClassFromTokenAndTypeArgs", CORPROF_E_DATAINCOMPLETE);
  CHECK(b.read(order) == "8:in 16:in ");
  for (const char* call : {"GetFieldProps", "GetClassLayout", "GetClassIDInfo2"}) {
    CAPTURE(call);
    b.runtime.failing.clear();
    b.runtime.fail(call, CORPROF_E_DATAINCOMPLETE);
    CHECK(b.read(order) == "8: 16: ");
  }
  b.runtime.failing.clear();
  b.runtime.lay_out(order, 40, {{8, 4}});
  CHECK(b.read(order) == "error");
}

TEST_CASE("a struct that contains itself, as only broken metadata has it") {
  SlotBench b;
  const ClassID loop = b.runtime.get("shop.Loop");
  b.runtime.add_field(loop, "self", b.struct_of(loop), 0);
  b.runtime.lay_out(loop, 24, {{8, 1}});
  b.runtime.class_at(loop).parent = loop;
  CHECK(b.read(loop).starts_with("8:self.self.self"));
}

TEST_CASE("slots are the fields of a catalog") {
  SlotBench b;
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID cart = b.runtime.get("shop.Cart");
  b.runtime.add_field(order, "id", kString, 16);
  b.runtime.add_field(order, "tag", kString, 24);
  b.runtime.add_field(cart, "orders", kString, 8);
  b.runtime.lay_out(order, 40, {{8, 3}});
  b.runtime.lay_out(cart, 24, {{8, 1}});
  b.runtime.class_at(order).parent = cart;
  const std::vector<ClassID> ids = {order, b.runtime.get("shop.Order[]"), cart,
                                    b.runtime.get("System.String")};
  b.runtime.lay_out(ids[1], 24, {{1, 0}}, 8);
  Catalog catalog;
  REQUIRE(fill_classes(b.reader, ids, field_name_room(ids), b.memory, catalog).ok());
  REQUIRE(fill_fields(b.slots, ids, b.memory, catalog).ok());
  CHECK(catalog.strings.dropped() == 0);
  CHECK(catalog.field_name(ClassId{0}, 0) == "orders");
  CHECK(catalog.field_name(ClassId{0}, 1) == "id");
  CHECK(catalog.field_name(ClassId{0}, 2) == "tag");
  CHECK(catalog.field_name(ClassId{0}, 3).empty());
  CHECK(catalog.field_name(ClassId{2}, 0) == "orders");
  CHECK(catalog.classes[1].field_count == 0);
  CHECK(catalog.classes[3].field_count == 0);
}

TEST_CASE("names of properties' fields") {
  CHECK(field_display_name("<Items>k__BackingField") == "Items");
  CHECK(field_display_name("<>k__BackingField") == "<>k__BackingField");
  CHECK(field_display_name("<order>5__2") == "<order>5__2");
  CHECK(field_display_name("items_") == "items_");
  CHECK(field_display_name("") == "");
}
