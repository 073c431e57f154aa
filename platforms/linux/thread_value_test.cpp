#include "platforms/thread_value.h"

#include <doctest/doctest.h>

#include <thread>

using namespace holdfast;
using namespace holdfast::platforms;

TEST_CASE("each thread has its own value, 0 until it sets one") {
  ThreadValue value;
  REQUIRE(value.open());
  value.set(7);
  std::uintptr_t seen = 1, set = 0;
  std::thread([&] {
    seen = value.get();
    value.set(9);
    set = value.get();
  }).join();
  CHECK(seen == 0);
  CHECK(set == 9);
  CHECK(value.get() == 7);
  value.close();
}

TEST_CASE("while it is not open it is 0, and takes nothing") {
  ThreadValue value;
  value.set(7);
  CHECK(value.get() == 0);
  REQUIRE(value.open());
  CHECK(value.get() == 0);
  value.set(7);
  value.close();
  CHECK(value.get() == 0);
  value.close();
  REQUIRE(value.open());
  CHECK(value.get() == 0);  // of a key that was given back nothing is left
  value.close();
}
