#include "platforms/process_for_tests.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include "platforms/process.h"

using namespace holdfast::platforms;

TEST_CASE("a child answers, is killed, and is gone afterwards") {
  CHECK(run_in_child([] { return 42; }) == 42);
  CHECK(run_in_child([] { return ::raise(SIGKILL); }) == 200 + SIGKILL);
  const auto wait_for_ever = [](void*) -> int {
    while (true) ::pause();
  };
  ChildForTest child(wait_for_ever, nullptr);
  CHECK(process_alive(child.pid()));
  child.kill();
  CHECK_FALSE(process_alive(child.pid()));
  CHECK_FALSE(process_alive(dead_pid_for_test()));
}
