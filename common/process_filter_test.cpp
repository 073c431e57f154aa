#include "common/process_filter.h"

#include <doctest/doctest.h>

using namespace holdfast;

TEST_CASE("a process is wanted by the name of its executable or of what it runs") {
  struct Case {
    const char* only;
    const char* executable;
    const char* application;
    bool wanted;
  };
  for (const Case& c :
       {Case{"*", "java", "", true}, Case{"*", "", "", true}, Case{"shop", "dotnet", "shop", true},
        Case{"dotnet", "dotnet", "shop", true}, Case{"shop", "dotnet", "shopping", false},
        Case{"shop*", "dotnet", "shopping", true}, Case{"sh?p", "java", "shop", true},
        Case{"Shop", "java", "shop", false}, Case{"billing.jar+shop.*", "java", "shop.Main", true},
        Case{"billing.jar+shop.*", "java", "billing.jar", true},
        Case{"billing.jar+shop.*", "java", "", false}}) {
    CAPTURE(c.only);
    CAPTURE(c.application);
    CHECK(process_wanted(c.only, c.executable, c.application) == c.wanted);
  }
}

TEST_CASE("this process has a name") {
  Options options;
  CHECK(process_wanted(options, ""));
  OptionError error;
  REQUIRE(parse_options("only=common*_test", options, error));
  CHECK(process_wanted(options, ""));
  options = Options{};
  REQUIRE(parse_options("only=another", options, error));
  CHECK_FALSE(process_wanted(options, "shop"));
  CHECK(process_wanted(options, "another"));
}
