#include "clrprofiler/names/function_names.h"

#include <doctest/doctest.h>

#include "clrprofiler/names/names_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct FunctionBench : NamesBench {
  StringTable strings;
  FunctionBench() {
    auto made = StringTable::make(memory.catalog_arena(), 64, 4096);
    if (!made) std::abort();
    strings = *made;
    open();
  }
  std::string frame(FunctionID function) {
    const MethodRow row = name_function(reader, function, strings);
    return std::string(strings.view(row.class_name)) + "|" + std::string(strings.view(row.name));
  }
};

}  // namespace

TEST_CASE("functions have a class and a name") {
  FunctionBench b;
  CHECK(b.frame(b.runtime.add_function(b.runtime.get("shop.Cart"), "Add")) == "shop.Cart|Add");
  CHECK(b.frame(b.runtime.add_function(b.runtime.get("shop.Cart+'<Main>d__0'"), "MoveNext")) ==
        "shop.Cart.<Main>d__0|MoveNext");
  CHECK(b.frame(b.runtime.add_function(b.runtime.get("List`1<shop.Order>"), "<Sort>g__Less|3_0")) ==
        "List<shop.Order>|<Sort>g__Less|3_0");
}

TEST_CASE("generic code without exact arguments is written open") {
  FunctionBench b;
  const FunctionID add = b.runtime.add_function(b.runtime.get("List`1+Entry<shop.Order>"), "Add");
  b.runtime.functions[add - 1].type = 0;
  CHECK(b.frame(add) == "List<>.Entry|Add");
  const FunctionID parse = b.runtime.add_function(b.runtime.get("shop.Json"), "Parse");
  b.runtime.functions[parse - 1].arguments = {1, 2};
  CHECK(b.frame(parse) == "shop.Json|Parse<,>");
}

TEST_CASE("dynamic methods") {
  FunctionBench b;
  FakeFunction function;
  function.dynamic = true;
  function.dynamic_name = u"lambda_method\u2603";
  CHECK(b.frame(b.runtime.add_function(function)) == "(dynamic method)|lambda_method\u2603");
  b.runtime.fail("GetDynamicFunctionInfo", E_INVALIDARG);
  CHECK(b.frame(b.runtime.add_function(function)) == "(dynamic method)|(method without a name)");
}

TEST_CASE("functions that the runtime does not tell") {
  FunctionBench b;
  const FunctionID add = b.runtime.add_function(b.runtime.get("shop.Cart"), "Add");
  b.runtime.fail("GetMethodProps", CLDB_E_INDEX_NOTFOUND);
  CHECK(b.frame(add) == "shop.Cart|(method 0x06000001)");
  b.runtime.fail("GetFunctionInfo2", CORPROF_E_DATAINCOMPLETE);
  CHECK(b.frame(add) == "|(method without a name)");
}
