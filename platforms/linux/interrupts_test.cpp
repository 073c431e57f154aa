#include "platforms/interrupts.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "platforms/process_for_tests.h"

using namespace holdfast::platforms;

namespace {

bool readable(int descriptor) {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

}  // namespace

TEST_CASE("interrupts: each signal is told once, in its order, and nothing ends") {
  Interrupts interrupts;
  REQUIRE(interrupts.open() == 0);
  CHECK_FALSE(readable(interrupts.descriptor()));
  CHECK(interrupts.take() == Interrupt::kNone);
  for (const int number : {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGTSTP}) ::raise(number);
  CHECK(readable(interrupts.descriptor()));
  CHECK(interrupts.take() == Interrupt::kResized);
  for (int i = 0; i < 3; ++i) CHECK(interrupts.take() == Interrupt::kEnd);
  CHECK(interrupts.take() == Interrupt::kStop);
  CHECK(interrupts.take() == Interrupt::kNone);
}

TEST_CASE("interrupts: the end is wanted from its signal on, with what else came") {
  Interrupts interrupts;
  REQUIRE(interrupts.open() == 0);
  ::raise(SIGWINCH);
  CHECK_FALSE(interrupts.end_wanted());
  ::raise(SIGINT);
  ::raise(SIGWINCH);
  CHECK(interrupts.end_wanted());
  CHECK_FALSE(readable(interrupts.descriptor()));
  CHECK(interrupts.end_wanted());
  interrupts.close();
  REQUIRE(interrupts.open() == 0);
  CHECK_FALSE(interrupts.end_wanted());
}

TEST_CASE("interrupts: one at a time; closed, signals do what they did") {
  Interrupts first, second;
  REQUIRE(first.open() == 0);
  CHECK(second.open() == EBUSY);
  first.close();
  CHECK(second.open() == 0);
  second.close();
  CHECK(second.take() == Interrupt::kNone);
  const int status = run_in_child([] {
    ::signal(SIGINT, SIG_DFL);
    Interrupts inside;
    if (inside.open() != 0) return 1;
    ::raise(SIGINT);
    inside.close();
    ::raise(SIGINT);
    return 2;
  });
  CHECK(status == 200 + SIGINT);
}

TEST_CASE("interrupts: what was ignored stays ignored") {
  const int status = run_in_child([] {
    ::signal(SIGHUP, SIG_IGN);
    Interrupts inside;
    if (inside.open() != 0) return 1;
    ::raise(SIGHUP);
    return inside.take() == Interrupt::kNone ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("interrupts: a flood that nobody reads blocks nobody") {
  Interrupts interrupts;
  REQUIRE(interrupts.open() == 0);
  for (int i = 0; i < 100'000; ++i) ::raise(SIGWINCH);
  CHECK(interrupts.take() == Interrupt::kResized);
}
