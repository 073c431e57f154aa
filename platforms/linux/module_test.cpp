#include "platforms/module.h"

#include <doctest/doctest.h>

using namespace holdfast::platforms;

TEST_CASE("symbols of loaded libraries are found, and nothing is loaded to find them") {
  CHECK(loaded_symbol("libc.so.6", "malloc") != nullptr);
  CHECK(loaded_symbol("libc.so.6", "no_such_symbol_in_libc") == nullptr);
  CHECK(loaded_symbol("libjvm.so", "gHotSpotVMStructs") == nullptr);
}
