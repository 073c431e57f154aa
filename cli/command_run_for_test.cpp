#include "cli/command_run_for_test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cli/command_line.h"

namespace holdfast::cli {

Outcome run_command(const std::vector<std::string>& arguments, RunAt at) {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  surroundings.out_is_terminal = at.terminal;
  surroundings.utf8 = at.utf8;
  const ExitCode code = run_command_line(arguments, surroundings);
  return {code, out.str(), err.str()};
}

void check_refusal(const Outcome& outcome, ExitCode code, const std::vector<std::string>& said) {
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(outcome.err.starts_with("holdfast"));
  for (const std::string& words : said)
    CHECK_MESSAGE(outcome.err.find(words) != std::string::npos, outcome.err);
}

}  // namespace holdfast::cli
