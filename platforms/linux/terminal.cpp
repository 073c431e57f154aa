#include "platforms/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace holdfast::platforms {

TerminalFacts standard_output_terminal() noexcept {
  TerminalFacts facts;
  facts.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (facts.is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    facts.columns = size.ws_col;
  return facts;
}

bool standard_error_is_terminal() noexcept { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace holdfast::platforms
