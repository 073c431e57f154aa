#include "platforms/own_program.h"

#include <doctest/doctest.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/fault_points.h"
#include "platforms/local_stream.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::platforms;

namespace {

ProgramPlan plan_of(const char* const* words) {
  ProgramPlan plan;
  plan.words = words;
  return plan;
}

std::string all_output(OwnProgram& program) {
  std::string text;
  char buffer[256];
  while (wait_for_stream(program.output(), StreamWait::kReadable, 10'000) == 0) {
    const auto bytes = program.read_output(buffer, sizeof buffer);
    if (bytes <= 0) break;
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
  return text;
}

}  // namespace

TEST_CASE("own program: output, errors, environment and directory are as planned") {
  const ScratchDirectory scratch;
  scratch.write("errors", "a file of the user's");
  const char* const words[] = {"/bin/sh", "-c", "echo $NAME; pwd; cat; echo wrong >&2", nullptr};
  const char* const environment[] = {"NAME=holdfast", nullptr};
  ProgramPlan plan = plan_of(words);
  plan.environment = environment;
  plan.directory = scratch.path();
  plan.keeps_errors = true;
  OwnProgram program;
  REQUIRE(program.start(plan) == 0);
  const std::string text = all_output(program);
  CHECK(text.starts_with("holdfast\n/"));
  CHECK(comes_true([&] { return !program.running(); }));
  char wrong[16] = {};
  CHECK(program.read_errors(wrong, sizeof wrong, 0) == 6);
  CHECK(std::string_view(wrong) == "wrong\n");
  CHECK(program.read_errors(wrong, sizeof wrong, 6) == 0);
  CHECK(scratch.count() == 1);
}

TEST_CASE("own program: what cannot be run is an error, and nothing runs") {
  const char* const words[] = {"/no/such/program", nullptr};
  OwnProgram program;
  CHECK(program.start(plan_of(words)) == ENOENT);
  CHECK_FALSE(program.running());
  CHECK(start_and_leave(words) == ENOENT);
}

TEST_CASE("own program: a signal while it starts hides no error") {
  const char* const words[] = {"/no/such/program", nullptr};
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};  // without SA_RESTART
  REQUIRE(::sigaction(SIGALRM, &action, &before) == 0);
  int lost = 0;
  for (int i = 1; i <= 400; ++i) {  // one signal each: fork() begins again at every one
    const itimerval once{{0, 0}, {0, 10 * i}}, never{};
    OwnProgram program;
    ::setitimer(ITIMER_REAL, &once, nullptr);
    if (program.start(plan_of(words)) != ENOENT) ++lost;
    ::setitimer(ITIMER_REAL, &once, nullptr);
    if (start_and_leave(words) != ENOENT) ++lost;
    ::setitimer(ITIMER_REAL, &never, nullptr);
  }
  CHECK(lost == 0);
  ::sigaction(SIGALRM, &before, nullptr);
}

#ifdef HF_FAULT_POINTS
TEST_CASE("own program: a fork that fails is an error, the second one too") {
  const char* const words[] = {"/bin/true", nullptr};
  for (const std::uint32_t after : {0U, 1U}) {
    const FaultScope fault(FaultPoint::kFork, {.after = after, .times = 1, .error = EAGAIN});
    CHECK(start_and_leave(words) == EAGAIN);
  }
  OwnProgram program;
  const FaultScope fault(FaultPoint::kFork, {.after = 0, .times = 1, .error = EAGAIN});
  CHECK(program.start(plan_of(words)) == EAGAIN);
}
#endif

TEST_CASE("own program: its streams are right where ours are closed") {
  const int status = run_in_child([] {
    close_standard_streams_for_test();
    const char* const words[] = {"/bin/sh", "-c", "cat; echo seen; echo wrong >&2", nullptr};
    ProgramPlan plan = plan_of(words);
    plan.keeps_errors = true;
    OwnProgram program;
    if (program.start(plan) != 0) return 1;
    if (program.output() <= 2) return 2;
    if (all_output(program) != "seen\n") return 3;
    char wrong[16] = {};
    return program.read_errors(wrong, sizeof wrong, 0) == 6 ? 0 : 4;
  });
  CHECK(status == 0);
}

TEST_CASE("own program: standard input stays open until we end") {
  const char* const words[] = {"/bin/sh", "-c", "trap '' TERM; cat; echo over", nullptr};
  ProgramPlan plan = plan_of(words);
  plan.keeps_input = true;
  OwnProgram program;
  REQUIRE(program.start(plan) == 0);
  CHECK(wait_for_stream(program.output(), StreamWait::kReadable, 50) == EAGAIN);
  CHECK(program.running());
  program.end(10'000);  // which closes it: this program does not heed SIGTERM
  CHECK_FALSE(program.running());
}

TEST_CASE("own program: ends by SIGTERM in time, else by SIGKILL") {
  constexpr std::uint64_t kSoonNs = 10'000'000'000;
  const ScratchDirectory scratch;
  const std::string tidy = std::string("trap 'touch ") + scratch.file("tidied") +
                           "; exit' TERM; echo; while :; do sleep 0.01; done";
  const char* const words[] = {"/bin/sh", "-c", tidy.c_str(), nullptr};
  OwnProgram program;
  REQUIRE(program.start(plan_of(words)) == 0);
  REQUIRE(wait_for_stream(program.output(), StreamWait::kReadable, 10'000) == 0);
  program.end(10'000);
  CHECK(scratch.has("tidied"));

  const char* const deaf[] = {"/bin/sh", "-c", "trap '' TERM; echo; while :; do sleep 1; done",
                              nullptr};
  REQUIRE(program.start(plan_of(deaf)) == 0);
  REQUIRE(wait_for_stream(program.output(), StreamWait::kReadable, 10'000) == 0);
  const std::uint32_t pid = program.pid();
  const std::uint64_t began = monotonic_ns();
  program.end(100);
  CHECK_FALSE(process_alive(pid));
  CHECK(monotonic_ns() - began < kSoonNs);
}

TEST_CASE("own program: what a wrapper has started ends with it") {
  const char* const words[] = {"/bin/sh", "-c", "sleep 600 & echo $!; wait", nullptr};
  const char* const gone[] = {"/bin/sh", "-c", "sleep 600 & echo $!", nullptr};
  for (const char* const* wrapper : {words, gone}) {
    OwnProgram program;
    REQUIRE(program.start(plan_of(wrapper)) == 0);
    char number[32] = {};
    REQUIRE(wait_for_stream(program.output(), StreamWait::kReadable, 10'000) == 0);
    REQUIRE(program.read_output(number, sizeof number - 1) > 0);
    const auto child = static_cast<std::uint32_t>(std::atoi(number));
    CHECK(program.includes(child));
    CHECK_FALSE(program.includes(process_id()));
    if (wrapper == gone) CHECK(comes_true([&] { return !program.running(); }));
    program.end();
    CHECK(comes_true([&] { return !process_alive(child); }));
  }
}

TEST_CASE("own program: ends when it is told to, and with the process that started it") {
  const char* const words[] = {"/bin/sleep", "600", nullptr};
  OwnProgram program;
  REQUIRE(program.start(plan_of(words)) == 0);
  const std::uint32_t pid = program.pid();
  CHECK(program.running());
  program.end();
  CHECK_FALSE(process_alive(pid));

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  run_in_child([&] {  // which ends without a word to its program
    OwnProgram abandoned;
    if (abandoned.start(plan_of(words)) != 0) return 1;
    const std::uint32_t number = abandoned.pid();
    if (::write(ends[1], &number, sizeof number) != sizeof number) return 1;
    ::_exit(0);
  });
  std::uint32_t orphan = 0;
  REQUIRE(::read(ends[0], &orphan, sizeof orphan) == sizeof orphan);
  CHECK(comes_true([&] { return !process_alive(orphan); }));
  ::close(ends[0]);
  ::close(ends[1]);
}
