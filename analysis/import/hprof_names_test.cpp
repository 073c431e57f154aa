#include <doctest/doctest.h>

#include "analysis/import/hprof_classes.h"
#include "analysis/import/import_fixture.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("class names as a person writes them") {
  CHECK(source_class_name("java/lang/String") == "java.lang.String");
  CHECK(source_class_name("java.lang.String") == "java.lang.String");  // old dumps
  CHECK(source_class_name("[I") == "int[]");
  CHECK(source_class_name("[[Z") == "boolean[][]");
  CHECK(source_class_name("[Ljava/lang/String;") == "java.lang.String[]");
  CHECK(source_class_name("[[[Lshop/Cart$Item;") == "shop.Cart$Item[][][]");
  CHECK(source_class_name("shop/Main$$Lambda/0x00007f12") == "shop.Main$$Lambda.0x00007f12");
  CHECK(source_class_name("I") == "I");  // a class of that name
  CHECK(source_class_name("") == "");
  CHECK(source_class_name("[") == "[]");
  CHECK(source_class_name("[L;") == "L;[]");
  CHECK(source_class_name("[Q") == "Q[]");
  CHECK(source_class_name(std::string(300, '[')).size() == 45 + 2 * 255);
}

TEST_CASE("a class without a name is called by its identifier") {
  lab::HprofWriter dump;
  dump.basics();
  dump.klass({.id = 0x2A0, .name = "", .super = lab::HprofWriter::kObject});
  const std::vector<std::byte> file = dump.finish();
  const ImportedDump ours(file, own_options());
  CHECK(ours.snapshot().catalog.class_name(ClassId{2}) == "class @ 0x2a0");
}
