#include "clrprofiler/names/class_rows.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/names/names_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("classes and loaders of a catalog") {
  NamesBench b;
  const ClassID object = b.runtime.get("System.Object");
  const ClassID order = b.runtime.get("shop.Order");
  const ClassID special = b.runtime.get("shop.Special");
  b.runtime.class_at(order).parent = object;
  b.runtime.class_at(special).parent = order;
  b.runtime.add_module("Plugin", "/app/Plugin.dll",
                       COR_PRF_MODULE_DISK | COR_PRF_MODULE_COLLECTIBLE);
  b.runtime.add_module("Rules", "", COR_PRF_MODULE_DYNAMIC | COR_PRF_MODULE_COLLECTIBLE);
  b.runtime.add_module("Emitted", "", COR_PRF_MODULE_DYNAMIC);
  const std::vector<ClassID> ids = {special,
                                    order,
                                    b.runtime.get("shop.Order[]"),
                                    b.runtime.get("System.String"),
                                    b.runtime.get("Plugin!plugin.Rule"),
                                    b.runtime.get("Rules!R"),
                                    b.runtime.get("Emitted!E"),
                                    0};
  b.open();
  Catalog catalog;
  const auto before = b.memory.work_arena().used_bytes();
  REQUIRE(fill_classes(b.reader, ids, {10, 100}, b.memory, catalog).ok());
  CHECK(b.memory.work_arena().used_bytes() == before);
  CHECK(catalog.strings.dropped() == 0);
  REQUIRE(catalog.class_count() == ids.size());

  const auto loader = [&](std::uint32_t c) {
    return catalog.strings.view(catalog.loaders[catalog.classes[c].loader.value].name);
  };
  constexpr std::string_view kExpected[][2] = {
      {"shop.Special", "shop"},
      {"shop.Order", "shop"},
      {"shop.Order[]", "shop"},
      {"string", "platform"},
      {"plugin.Rule", "Plugin (collectible)"},
      {"R", "Rules (dynamic, collectible)"},
      {"E", "Emitted (dynamic)"},
      {"(class that was being loaded or unloaded)", "(unknown module)"},
  };
  for (std::uint32_t c = 0; c < ids.size(); ++c) {
    CHECK(catalog.class_name(ClassId{c}) == kExpected[c][0]);
    CHECK(loader(c) == kExpected[c][1]);
  }
  CHECK(catalog.classes[0].superclass == ClassId{1});
  CHECK_FALSE(catalog.classes[1].superclass.valid());  // System.Object has no instances
  CHECK(catalog.classes[2].flags == kClassArray);
  CHECK(catalog.classes[3].flags == kClassPlatform);
  CHECK(catalog.classes[4].flags == 0);
  CHECK(catalog.loaders[0].builtin);
  CHECK(catalog.loaders[catalog.classes[1].loader.value].builtin);
  CHECK_FALSE(catalog.loaders[catalog.classes[4].loader.value].builtin);
}

TEST_CASE("metadata is asked for once a module and given back") {
  NamesBench b;
  b.open();
  CHECK(b.runtime.calls["GetModuleMetaData"] == 0);
  for (int i = 0; i < 100; ++i) b.name("shop.C" + std::to_string(i) + "[]");
  CHECK(b.runtime.calls["GetModuleMetaData"] == 2);  // and the core library's
  CHECK(b.runtime.open_handles() == 2);
  b.modules.close();
  CHECK(b.runtime.open_handles() == 0);
}

TEST_CASE("modules that the runtime tells nothing of") {
  for (const char* call : {"GetModuleInfo2", "GetAssemblyInfo", "EnumModules"}) {
    CAPTURE(call);
    NamesBench b;
    b.runtime.fail(call, CORPROF_E_UNSUPPORTED_CALL_SEQUENCE);
    const std::vector<ClassID> ids = {b.runtime.get("System.String"), b.runtime.get("shop.Order")};
    b.open();
    Catalog catalog;
    REQUIRE(fill_classes(b.reader, ids, {}, b.memory, catalog).ok());
    CHECK(catalog.class_name(ClassId{1}) == "shop.Order");
    const auto name = catalog.strings.view(catalog.loaders[catalog.classes[1].loader.value].name);
    const bool has_name = std::string_view(call) != "GetModuleInfo2";
    CHECK(name == (has_name ? "shop" : "(module without a name)"));
    CHECK(((catalog.classes[0].flags & kClassPlatform) != 0) == has_name);
  }
}

TEST_CASE("an old runtime has no flags of modules") {
  NamesBench b;
  b.runtime.version = 2;
  b.runtime.fail("GetModuleInfo2", E_NOTIMPL);
  b.open();
  CHECK(b.reader.read(b.runtime.get("System.String")).flags == kClassPlatform);
}

TEST_CASE("more modules than there is room for") {
  NamesBench b;
  b.open();
  CHECK(b.name("shop.Order") == "shop.Order");
  for (std::uint32_t i = 0; i < Modules::kMoreModules + 10; ++i)
    b.name("m" + std::to_string(i) + "!m.C");
  CHECK(b.modules.left_out() > 0);
  const ClassID late = b.runtime.get("late!m.C");
  CHECK(b.name(late) == "(class 0x02000001 of (unknown module))");
  Catalog catalog;
  REQUIRE(fill_classes(b.reader, std::vector<ClassID>{late}, {}, b.memory, catalog).ok());
  CHECK(catalog.strings.view(catalog.loaders[catalog.classes[0].loader.value].name) ==
        "(unknown module)");
  CHECK(b.name("shop.Order") == "shop.Order");  // was there before
}

TEST_CASE("memory that is too small for the names") {
  NamesBench b;
  b.open();
  std::vector<ClassID> ids;
  const ModuleID shop = b.runtime.module_named("shop");
  for (int i = 0; i < 9000; ++i) {
    FakeClass type;
    type.module = shop;
    type.token = b.runtime.add_type(shop, std::u16string(1000, u'n') + char16_t(0x4E00 + i));
    ids.push_back(b.runtime.append_class(type));
  }
  Catalog catalog;
  CHECK_FALSE(fill_classes(b.reader, ids, {}, b.memory, catalog).ok());
  Catalog smaller;
  b.memory.catalog_arena().reset();
  CHECK(fill_classes(b.reader, std::span(ids).first(1000), {}, b.memory, smaller).ok());
}
