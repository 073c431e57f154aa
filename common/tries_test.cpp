#include "common/tries_for_test.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

using namespace holdfast;

TEST_CASE("tries: all of them, or a tenth, and never fewer than every kind needs") {
  CHECK(tries_of(1000, true) == 1000);
  CHECK(tries_of(1000, false) == 100);
  CHECK(tries_of(60, false) == 20);
  CHECK(tries_of(5, false) == 5);
}

TEST_CASE("tries: an optimised build tries all, another one all when it is asked") {
#if defined(NDEBUG)
  CHECK(all_tries());
#else
  const char* const asked = std::getenv("HF_ALL_TRIES");
  CHECK(all_tries() == (asked != nullptr && std::string_view(asked) == "1"));
#endif
  CHECK(tries(1000) == (all_tries() ? 1000 : 100));
}
