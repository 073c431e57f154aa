#include "cli/attach/attach_turn.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "platforms/process.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

platforms::OtherProcess own_process() {
  platforms::OtherProcess process;
  platforms::read_other_process(platforms::process_id(), process);
  return process;
}

}  // namespace

TEST_CASE("one at a time, until the first is done; nothing is left of it") {
  const platforms::OtherProcess process = own_process();
  const std::uint64_t open_before = platforms::open_descriptors_for_test();
  {
    AttachTurn first;
    REQUIRE(first.take(process, Patience(0)).good());
    const std::uint64_t start_ns = platforms::monotonic_ns();
    AttachTurn second;
    const AttachOutcome refusal = second.take(process, Patience(100 * kMillisecond));
    CHECK(refusal.code == ExitCode::kRefused);
    CHECK(refusal.text.starts_with("another command is loading an agent into process "));
    CHECK(platforms::monotonic_ns() - start_ns >= 100 * kMillisecond);
  }
  CHECK(platforms::open_descriptors_for_test() == open_before);
  AttachTurn third;
  CHECK(third.take(process, Patience(0)).good());
}

TEST_CASE("a turn is waited for, and one whose owner was killed is free") {
  const platforms::OtherProcess process = own_process();
  platforms::ChildForTest holder(
      [](void* raw) -> int {
        AttachTurn turn;
        turn.take(*static_cast<platforms::OtherProcess*>(raw), Patience(0));
        ::usleep(300'000);
        return 0;
      },
      const_cast<platforms::OtherProcess*>(&process));
  ::usleep(100'000);
  AttachTurn ours;
  CHECK_FALSE(ours.take(process, Patience(0)).good());
  CHECK(ours.take(process, Patience(20'000 * kMillisecond)).good());
}

TEST_CASE("of a process that is gone there is no turn to wait for") {
  platforms::OtherProcess gone = own_process();
  gone.pid = platforms::dead_pid_for_test();
  AttachTurn turn;
  CHECK(turn.take(gone, Patience(0)).good());
}
