#include "cli/talk/command_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cli/command_line.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::AnswerKind;
using control::Command;

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome run(FakeAgent& agent, const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  const ExitCode code = run_command_line(arguments, surroundings, agent.door());
  return {code, out.str(), err.str()};
}

// Takes every=..., refuses the rest, and tells what is in force.
void obey(const control::Request& request, FakePeer& peer) {
  if (request.command == Command::kStatus) {
    const control::NamedText options[] = {{"on", "off"}, {"every", "5m"}};
    control::Answer answer;
    answer.kind = AnswerKind::kStatus;
    answer.status.options = options;
    peer.answer(answer);
  } else if (request.command == Command::kSet && !request.options.starts_with("every=")) {
    peer.answer(refusal(control::RefusalKind::kWrongUsage, "colour=: there is no such option"));
  } else {
    peer.answer(done(request.command == Command::kCancel ? "one dump given up" : "gone"));
  }
}

}  // namespace

TEST_CASE("set: prints what is in force; what is wrong is the agent's line and exit code 2") {
  FakeAgent agent(obey);
  const Outcome set = run(agent, {"set", "shop", "every=5m"});
  CHECK(set.code == ExitCode::kDone);
  CHECK(set.out == "on=off\nevery=5m\n");
  check_golden("set", set.out);
  CHECK(set.err.empty());
  const Outcome wrong = run(agent, {"set", "shop", "colour=red"});
  CHECK(wrong.code == ExitCode::kWrongUsage);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.starts_with("holdfast set: process "));
  CHECK(wrong.err.ends_with("colour=: there is no such option\n"));
}

TEST_CASE("set: a process without an agent gets an idle one, but not for a slip") {
  FakeAgent agent(obey);
  agent.present = false;
  CHECK(run(agent, {"set", "shop", "colour=red"}).code == ExitCode::kWrongUsage);
  CHECK_FALSE(agent.present);
  CHECK(run(agent, {"set", "shop", "cooldown=soon"}).code == ExitCode::kWrongUsage);
  CHECK_FALSE(agent.present);
  for (const char* at_start_only : {"memory=100m", "dir=/tmp", "on=oom,memory=100m"}) {
    CHECK(run(agent, {"set", "shop", at_start_only}).code == ExitCode::kWrongUsage);
    CHECK_FALSE(agent.present);
  }
  CHECK(agent.heard().empty());
  run(agent, {"set", "shop", "cooldown=5m", "--library", "/opt/l.so"});
  CHECK(agent.present);
  CHECK(agent.wishes.options.starts_with("on=off,dir="));
  CHECK(agent.wishes.library == "/opt/l.so");
}

TEST_CASE("cancel and detach: one order each, and what the agent says to it") {
  FakeAgent agent(obey);
  check_golden("cancel", run(agent, {"cancel", "shop"}).out);
  check_golden("detach", run(agent, {"detach", "shop"}).out);
  CHECK(agent.heard() == std::vector<Command>{Command::kCancel, Command::kDetach});
  agent.present = false;
  for (const char* name : {"cancel", "detach"}) {
    const Outcome outcome = run(agent, {name, "shop"});
    CHECK(outcome.code == ExitCode::kRefused);
    CHECK(outcome.err.find("has no agent") != std::string::npos);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
  }
  CHECK(run(agent, {"cancel"}).code == ExitCode::kWrongUsage);
  CHECK(run(agent, {"set", "shop"}).code == ExitCode::kWrongUsage);
}
