#include "cli/talk/command_ps.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "platforms/process.h"
#include "platforms/process_for_tests.h"

namespace holdfast::cli {
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

}  // namespace

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

}  // namespace holdfast::cli
