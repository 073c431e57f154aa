#include "jvmti/command.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE("a command overrides only what it names") {
  const Command command = read_command("dump=extended");
  REQUIRE(command.kind == CommandKind::kDump);
  CHECK(command.request.trigger == Trigger::kCommand);
  CHECK(command.request.kind == DumpKind::kExtended);
  CHECK(command.request.capture == CaptureChoice::kAuto);
  CHECK(command.request.pause_limit_ns == 0);
  CHECK_FALSE(command.request.snapshot);

  const Command all = read_command("dump=simple,capture=walk,pause=10s");
  REQUIRE(all.kind == CommandKind::kDump);
  CHECK(all.request.kind == DumpKind::kSimple);
  CHECK(all.request.capture == CaptureChoice::kWalk);
  CHECK(all.request.pause_limit_ns == 10'000'000'000);

  const Command pause = read_command("pause=2s");
  REQUIRE(pause.kind == CommandKind::kDump);
  CHECK(pause.request.kind == DumpKind::kAuto);
}

TEST_CASE("help is a command, nothing and load-time options are not") {
  CHECK(read_command("help").kind == CommandKind::kHelp);
  CHECK(read_command("").kind == CommandKind::kBad);
  const Command dir = read_command("dump=simple,dir=/tmp");
  CHECK(dir.kind == CommandKind::kBad);
  CHECK(std::string_view(dir.error.text).find("dir=") == 0);
  CHECK(read_command("memory=1g").kind == CommandKind::kBad);
}

TEST_CASE("a wrong command names key, value and what is allowed") {
  const Command command = read_command("dump=huge");
  CHECK(command.kind == CommandKind::kBad);
  const std::string_view text = command.error.text;
  CHECK(text.find("dump=huge") != std::string_view::npos);
  CHECK(text.find("extended") != std::string_view::npos);
}

TEST_CASE("jcmd takes '=' for itself, so ':' is read as well, and what jcmd cut is explained") {
  const Command command = read_command("dump:extended,capture:walk,pause:2s");
  REQUIRE(command.kind == CommandKind::kDump);
  CHECK(command.request.kind == DumpKind::kExtended);
  CHECK(command.request.capture == CaptureChoice::kWalk);
  CHECK(command.request.pause_limit_ns == 2'000'000'000);
  for (const char* cut : {"dump", "dump=simple,capture"}) {
    const Command bad = read_command(cut);
    CHECK(bad.kind == CommandKind::kBad);
    CHECK(std::string_view(bad.error.text).find("jcmd") != std::string_view::npos);
  }
  CHECK(read_command(std::string(1000, 'x')).kind == CommandKind::kBad);
}

TEST_CASE("detach stands alone") {
  CHECK(read_command("detach").kind == CommandKind::kDetach);
  CHECK(read_command("detach,dump=simple").kind == CommandKind::kBad);
}
