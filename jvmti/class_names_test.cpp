#include "jvmti/class_names.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast::jvmti;

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
