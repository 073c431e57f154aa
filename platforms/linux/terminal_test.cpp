#include "platforms/terminal.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

using namespace holdfast::platforms;

TEST_CASE("a file is no terminal and has no width") {
  const int kept = ::dup(STDOUT_FILENO);
  const int file = ::open("/dev/null", O_WRONLY);
  ::dup2(file, STDOUT_FILENO);
  const TerminalFacts facts = standard_output_terminal();
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  ::close(file);
  CHECK_FALSE(facts.is_terminal);
  CHECK(facts.columns == 0);
}
