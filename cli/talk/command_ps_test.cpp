#include "cli/talk/command_ps.h"

#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/talk/process_list.h"
#include "cli/text/golden_for_test.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome run(const PsCommand& command) {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  const ExitCode code = run_ps(command, surroundings);
  return {code, out.str(), err.str()};
}

ProcessRow row(std::uint32_t pid, VmKind vm, MainKind kind, const char* main, AgentState agent) {
  ProcessRow row;
  row.target.process.pid = pid;
  row.target.process.inner_pid = pid;
  row.target.process.effective_user = 1000;
  std::strcpy(row.target.process.name, "java");
  row.target.vm = vm;
  row.target.command_line = {kind, main, {}};
  row.user = "alice";
  row.agent = agent;
  return row;
}

// One of each kind, one of them in a container.
ProcessList some_of_each() {
  ProcessList list;
  list.rows = {
      row(7, VmKind::kHotSpot, MainKind::kClass, "shop.Main", AgentState::kListens),
      row(42, VmKind::kStarting, MainKind::kJar, "/opt/shop/shop.jar", AgentState::kNone),
      row(4242, VmKind::kCoreClr, MainKind::kAssembly, "/srv/shop.dll", AgentState::kLoaded),
      row(70'000, VmKind::kNone, MainKind::kUnknown, "", AgentState::kUnknown)};
  list.rows[1].container = "0123456789ab";
  list.rows[1].target.process.inner_pid = 1;
  list.closed = 3;
  return list;
}

}  // namespace

TEST_CASE("ps: golden") {
  check_golden("ps_80", process_list_text(some_of_each(), false, 80, false));
  check_golden("ps_json", process_list_json(some_of_each()));
  check_golden("ps_none_80", process_list_text({}, false, 80, false));
}

TEST_CASE("ps: names cannot act on the terminal") {
  ProcessList list = some_of_each();
  list.rows[0].target.command_line.main =
      "evil.\x1b]0;owned\x07\u202E\n" + std::string(10'000, 'x');
  list.rows[0].user = "\x1b[2J";
  std::strcpy(list.rows[3].target.process.name, "\x1b[31m");
  const std::string text = process_list_text(list, true, 80, false);
  for (const char* forbidden : {"\x1b", "\x07", "\u202E"}) CHECK(text.find(forbidden) == text.npos);
  CHECK(text.size() < 1'000);
  const auto json = nlohmann::json::parse(process_list_json(list));
  CHECK(json["processes"][0]["main"] == list.rows[0].target.command_line.main);
}

TEST_CASE("one process: no VM in it, or no process at all") {
  const Outcome own = run({.pid = platforms::process_id()});
  CHECK(own.code == ExitCode::kRefused);
  CHECK(own.out.empty());
  CHECK(own.err.find("no Java or .NET VM") != std::string::npos);
  CHECK(run({.pid = platforms::dead_pid_for_test()}).code == ExitCode::kWrongUsage);
}

TEST_CASE("all processes, as JSON and as text") {
  const Outcome json = run({.json = true, .all = true});
  CHECK(json.code == ExitCode::kDone);
  const auto document = nlohmann::json::parse(json.out);
  CHECK(document["schema_version"] == 1);
  CHECK(document["processes"].is_array());
  CHECK(document["processes_closed"].is_number());
  CHECK(run({}).code == ExitCode::kDone);
}

TEST_CASE("nowhere to write to") {
  class Full : public std::streambuf {
  } full;
  std::ostream out(&full);
  std::ostringstream err;
  Surroundings surroundings{out, err};
  CHECK(run_ps({.json = true}, surroundings) == ExitCode::kRefused);
  CHECK(err.str().find("cannot write") != std::string::npos);
}
