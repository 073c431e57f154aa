#include "clrprofiler/roots/static_owners.h"

#include <doctest/doctest.h>

#include "analysis/lab/test_arena.h"
#include "clrprofiler/roots/fake_process.h"
#include "clrprofiler/roots/module_fields.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr ModuleID kShop = 0x7000;
constexpr ModuleID kLibrary = 0x6000;

struct Search {
  FakeProcess runtime;
  std::vector<StaticSlot> slots;
  std::vector<StaticOwner> owners;
  OwnerFigures figures;

  void run(std::vector<ClassID> classes = {}) {
    analysis::lab::TestArena memory;
    owners.assign(slots.size(), StaticOwner{});
    const auto found = find_static_owners(runtime.info(), slots, classes, owners, memory.arena());
    REQUIRE(found.ok());
    figures = *found;
    CHECK(runtime.loads == 0);
    CHECK(runtime.references == 1);  // the interface itself
    CHECK(memory.arena().used_bytes() == 0);
  }
};

FakeStaticField object_field(std::u16string name, std::uint64_t address = 0) {
  return {std::move(name), fdStatic, {0x06, ELEMENT_TYPE_CLASS, 0x09}, address};
}

}  // namespace

TEST_CASE("owners: the class whose field lies in the slot, of several that have one of the name") {
  Search search;
  search.runtime.modules = {
      {kShop,
       0,
       {{0x100, 0, {object_field(u"s_other", 0x9000), object_field(u"entries", 0x9008)}, 0},
        {0x200, 0, {object_field(u"entries", 0x9010)}, 0},
        {0x300, 0, {object_field(u"entries")}, 0}}},
      {kLibrary, 0, {{0x400, 0, {object_field(u"entries", 0x9018)}, 0}}}};
  search.slots = {{0x9018, 0x50, u"entries"}, {0x9008, 0x40, u"entries"}, {0x9999, 0x30, u"lost"}};
  search.run({0x100, 0x200, 0x300, 0x400, 0x555});
  CHECK(search.owners[0].class_id == 0x400);
  CHECK(search.owners[0].module == kLibrary);
  CHECK(search.owners[1].class_id == 0x100);
  CHECK(search.owners[1].module == kShop);
  CHECK(search.owners[1].type == 0x02000002);
  CHECK(search.owners[2].proof == OwnerProof::kNone);
  CHECK(search.figures.by_address == 2);
  CHECK(search.figures.unknown == 1);
}

TEST_CASE("owners: a struct's address lies in its box, behind the method table") {
  Search search;
  search.runtime.modules = {
      {kShop,
       0,
       {{0x100, 0, {{u"s_when", fdStatic, {0x06, ELEMENT_TYPE_VALUETYPE, 5}, 0x5008}}, 0}}}};
  search.slots = {{0x9000, 0x5000, u"s_when"}};
  search.run({0x100});
  CHECK(search.owners[0].proof == OwnerProof::kAddress);
}

TEST_CASE("owners: base classes, and the classes of compiled methods") {
  Search search;
  search.runtime.modules = {{kShop,
                             0,
                             {{0x100, 0x200, {}, 0},
                              {0x200, 0, {object_field(u"s_base", 0x9000)}, 0},
                              {0x300, 0, {object_field(u"s_base", 0x9008)}, 0},
                              {0x400, 0, {object_field(u"s_base", 0x9010)}, 0}}}};
  search.runtime.compiled = {0, 0x100, 0x300, 0x300};
  search.slots = {{0x9000, 1, u"s_base"}, {0x9008, 1, u"s_base"}, {0x9010, 1, u"s_base"}};
  search.run({0x100});
  CHECK(search.owners[0].class_id == 0x200);
  CHECK(search.owners[1].class_id == 0x300);
  CHECK(search.owners[2].proof == OwnerProof::kElimination);  // the only class that is left
  CHECK(search.owners[2].type == 0x02000005);
  CHECK(search.owners[2].class_id == 0);
}

TEST_CASE("owners: base classes that go round in a circle end") {
  Search search;
  search.runtime.modules = {{kShop, 0, {{0x100, 0x200, {}, 0}, {0x200, 0x100, {}, 0}}}};
  search.slots = {{0x9000, 1, u"s_none"}};
  search.run({0x100, 0x200, 0x100});
  CHECK(search.figures.classes_asked == 2);
  CHECK(search.figures.unknown == 1);
}

TEST_CASE("owners: by elimination only where nothing else is possible") {
  const auto eliminated = [](auto change) {
    Search search;
    search.runtime.modules = {{kShop, 0, {{0, 0, {object_field(u"s_only")}, 0}}},
                              {kLibrary, 0, {}}};
    search.slots = {{0x9000, 1, u"s_only"}};
    std::vector<ClassID> classes;
    change(search, search.runtime.modules[0].types[0], classes);
    search.run(classes);
    return search.owners[0].proof == OwnerProof::kElimination;
  };
  using Classes = std::vector<ClassID>;
  CHECK(eliminated([](Search&, FakeStaticType&, Classes&) {}));
  CHECK_FALSE(eliminated([](Search& s, FakeStaticType&, Classes&) {  // two classes
    s.runtime.modules[1].types = {{0, 0, {object_field(u"s_only")}, 0}};
  }));
  CHECK_FALSE(eliminated([](Search& s, FakeStaticType&, Classes&) {
    s.slots.push_back({0x9008, 1, u"s_only"});
  }));
  CHECK_FALSE(
      eliminated([](Search&, FakeStaticType& type, Classes&) { type.generic_parameters = 1; }));
  CHECK_FALSE(
      eliminated([](Search&, FakeStaticType& type, Classes& classes) {  // its slot is another
        type.class_id = 0x100;
        type.fields[0].address = 0x8000;
        classes = {0x100};
      }));
  CHECK(eliminated([](Search&, FakeStaticType& type, Classes& classes) {  // not initialised
    type.class_id = 0x100;
    classes = {0x100};
  }));
  CHECK_FALSE(eliminated([](Search&, FakeStaticType& type, Classes&) {
    type.fields[0].attributes = fdStatic | fdLiteral;
  }));
  CHECK_FALSE(
      eliminated([](Search&, FakeStaticType& type, Classes&) { type.fields[0].attributes = 0; }));
  CHECK_FALSE(eliminated([](Search&, FakeStaticType& type, Classes&) {
    type.fields[0].signature = {0x06, ELEMENT_TYPE_I4};
  }));
  CHECK_FALSE(eliminated([](Search& s, FakeStaticType&, Classes&) {
    s.runtime.modules[0].flags = COR_PRF_MODULE_COLLECTIBLE;
  }));
  CHECK_FALSE(eliminated(
      [](Search& s, FakeStaticType&, Classes&) { s.runtime.modules[0].has_metadata = false; }));
}

TEST_CASE("owners: beside collectible modules nobody asks for compiled methods") {
  Search search;
  search.runtime.modules = {{kShop, 0, {{0x300, 0, {object_field(u"s_a", 0x9008)}, 0}}},
                            {kLibrary, COR_PRF_MODULE_COLLECTIBLE, {}}};
  search.runtime.compiled = {0x300};
  search.slots = {{0x9008, 1, u"s_a"}};
  search.run();
  CHECK(search.owners[0].proof == OwnerProof::kElimination);
  CHECK(search.figures.collectible_modules == 1);
  CHECK(search.figures.classes_asked == 0);
}

TEST_CASE("owners: generic classes are not asked, names that are too long are no names") {
  Search search;
  const std::u16string longest(StaticField::kMostNameUnits, u'x');
  search.runtime.modules = {{kShop,
                             0,
                             {{0x100, 0, {object_field(u"s_g", 0x9000)}, 2},
                              {0x200, 0, {object_field(longest, 0x9008)}, 0}}}};
  search.slots = {{0x9000, 1, u"s_g"}, {0x9008, 1, longest}};
  search.run({0x100, 0x200});
  CHECK(search.figures.unknown == 2);
}

TEST_CASE("owners: many slots, many fields") {
  Search search;
  FakeStaticModule module{kShop, 0, {}};
  constexpr std::uint64_t kTypes = 300;
  constexpr std::uint64_t kFields = 40;
  std::vector<ClassID> classes;
  std::vector<std::u16string> names;
  for (std::uint64_t f = 0; f < kFields; ++f)
    names.push_back(u"s_" + std::u16string(1, static_cast<char16_t>(u'A' + f)));
  for (std::uint64_t t = 0; t < kTypes; ++t) {
    FakeStaticType type{0x1000 + 16 * t, 0, {}, 0};
    for (std::uint64_t f = 0; f < kFields; ++f) {
      const std::uint64_t address = 0x100000 + 8 * (t * kFields + f);
      type.fields.push_back(object_field(names[f], address));
      if ((t + f) % 3 != 0) search.slots.push_back({address, 0x50, names[f]});
    }
    classes.push_back(type.class_id);
    module.types.push_back(type);
  }
  search.runtime.modules = {module};
  search.run(classes);
  CHECK(search.figures.by_address == search.slots.size());
  for (std::size_t i = 0; i < search.slots.size(); ++i)
    REQUIRE(search.owners[i].class_id ==
            0x1000 + 16 * ((search.slots[i].slot - 0x100000) / 8 / kFields));
}

namespace {

bool holds(std::span<const std::uint8_t> signature) {
  return field_holds(signature) != FieldHolds::kNoObject;
}

}  // namespace

TEST_CASE("field signatures: objects and boxes, not numbers, whatever stands before the type") {
  using Bytes = std::vector<std::uint8_t>;
  CHECK(holds(Bytes{6, ELEMENT_TYPE_STRING}));
  CHECK(holds(Bytes{6, ELEMENT_TYPE_SZARRAY, ELEMENT_TYPE_I4}));
  CHECK(holds(Bytes{6, ELEMENT_TYPE_GENERICINST, ELEMENT_TYPE_CLASS, 5, 1, 8}));
  CHECK(holds(Bytes{6, ELEMENT_TYPE_CMOD_REQD, 0x81, 0x02, ELEMENT_TYPE_OBJECT}));
  CHECK(holds(Bytes{6, ELEMENT_TYPE_CMOD_OPT, 0xC0, 1, 2, 3, ELEMENT_TYPE_CMOD_REQD, 9,
                    ELEMENT_TYPE_CLASS, 5}));
  CHECK(field_holds(Bytes{6, ELEMENT_TYPE_GENERICINST, ELEMENT_TYPE_VALUETYPE, 5, 1, 8}) ==
        FieldHolds::kBox);
  CHECK(field_holds(Bytes{6, ELEMENT_TYPE_VALUETYPE, 5}) == FieldHolds::kBox);
  CHECK(field_holds(Bytes{6, ELEMENT_TYPE_CLASS, 5}) == FieldHolds::kReference);
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_GENERICINST}));
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_BOOLEAN}));
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_PTR, ELEMENT_TYPE_CLASS}));
  CHECK_FALSE(holds(Bytes{7, ELEMENT_TYPE_CLASS}));
  CHECK_FALSE(holds(Bytes{}));
  CHECK_FALSE(holds(Bytes{6}));
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_CMOD_REQD}));
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_CMOD_REQD, 0x81}));
  CHECK_FALSE(holds(Bytes{6, ELEMENT_TYPE_CMOD_REQD, 9}));
}

TEST_CASE("owners: little memory is told, and nothing is left behind") {
  FakeProcess runtime;
  runtime.modules = {{kShop, 0, {}}};
  analysis::lab::TestArena memory(64u << 10);
  std::vector<StaticSlot> slots{{0x9000, 1, u"s_a"}};
  std::vector<StaticOwner> owners(1);
  const auto found = find_static_owners(runtime.info(), slots, {}, owners, memory.arena());
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::kOutOfBudget);
  CHECK(runtime.references == 1);
}
