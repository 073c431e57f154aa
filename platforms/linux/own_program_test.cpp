#include "platforms/own_program.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "platforms/comes_true_for_test.h"
#include "platforms/local_stream.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

namespace holdfast::platforms {
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
  const std::string errors = scratch.file("errors");
  const char* const words[] = {"/bin/sh", "-c", "echo $NAME; pwd; cat; echo wrong >&2", nullptr};
  const char* const environment[] = {"NAME=holdfast", nullptr};
  ProgramPlan plan = plan_of(words);
  plan.environment = environment;
  plan.directory = scratch.path();
  plan.errors = errors.c_str();
  OwnProgram program;
  REQUIRE(program.start(plan) == 0);
  const std::string text = all_output(program);
  CHECK(text.starts_with("holdfast\n/"));
  CHECK(comes_true([&] { return !program.running(); }));
  CHECK(scratch.read("errors") == "wrong\n");
}

TEST_CASE("own program: what cannot be run is an error, and nothing runs") {
  const char* const words[] = {"/no/such/program", nullptr};
  OwnProgram program;
  CHECK(program.start(plan_of(words)) == ENOENT);
  CHECK_FALSE(program.running());
  CHECK(start_and_leave(words) == ENOENT);
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

}  // namespace holdfast::platforms
