#include "cli/analyze/progress.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr const char* kClearLine = "\r\x1b[K";

std::string told(bool terminal, bool quiet, bool ends) {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  surroundings.err_is_terminal = terminal;
  {
    Progress progress(surroundings, quiet);
    progress.begin(100);
    progress.phase("reachable sizes");
    if (ends) progress.end();
  }
  CHECK(out.str().empty());
  return err.str();
}

}  // namespace

TEST_CASE("progress: a line that is gone in the end, once, whatever ends the command") {
  const std::string all = std::string(kClearLine) + "reachable sizes …" + kClearLine;
  CHECK(told(true, false, true) == all);
  CHECK(told(true, false, false) == all);
  CHECK(told(true, true, true).empty());
  CHECK(told(false, false, false).empty());
}
