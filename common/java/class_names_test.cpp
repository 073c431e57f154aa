#include "common/java/class_names.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast::java;

namespace {

std::string name_of(std::string_view signature) {
  ClassName name;
  name_from_signature(signature, name);
  return std::string(name.view());
}

}  // namespace

TEST_CASE("classes, arrays and primitives are written as in source") {
  CHECK(name_of("Lshop/Session;") == "shop.Session");
  CHECK(name_of("LMain;") == "Main");
  CHECK(name_of("[I") == "int[]");
  CHECK(name_of("[[Z") == "boolean[][]");
  CHECK(name_of("[[Ljava/lang/Object;") == "java.lang.Object[][]");
  CHECK(name_of("Lshop/Session$Entry;") == "shop.Session$Entry");
}

TEST_CASE("hidden classes read as jcmd prints them") {
  CHECK(name_of("Lshop/App$$Lambda$1.0x00007f8cfc003978;") ==
        "shop.App$$Lambda$1/0x00007f8cfc003978");
  CHECK(name_of("[Lshop/App$$Lambda.0x01;") == "shop.App$$Lambda/0x01[]");
}

TEST_CASE("what is no signature is kept, and nothing overflows") {
  CHECK(name_of("") == "");
  CHECK(name_of("[") == "[]");
  CHECK(name_of("L") == "L");
  CHECK(name_of("odd") == "odd");
  CHECK(name_of("L" + std::string(20000, 'x') + ";").size() == ClassName::kMaxNameBytes);
  CHECK(name_of(std::string(9000, '[') + "I").size() == ClassName::kMaxNameBytes);
}

TEST_CASE("names of Class.getName() lose nothing but the letters of arrays") {
  const auto named = [](std::string_view from) {
    ClassName name;
    name_from_class_name(from, name);
    return std::string(name.view());
  };
  CHECK(named("shop.Session") == "shop.Session");
  CHECK(named("shop.App$$Lambda/0x00007f8cfc003978") == "shop.App$$Lambda/0x00007f8cfc003978");
  CHECK(named("I") == "I");  // a class may be called so
  CHECK(named("[I") == "int[]");
  CHECK(named("[[Ljava.lang.String;") == "java.lang.String[][]");
  CHECK(named("[") == "[]");
  CHECK(named("[L") == "L[]");
  CHECK(named("") == "");
  CHECK(element_of_class_name("[[Lshop.Session;") == "shop.Session");
  CHECK(element_of_class_name("[J") == "J");
  CHECK(element_of_class_name("shop.Session") == "shop.Session");
}
