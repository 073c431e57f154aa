// Are standard output and standard error terminals, and how wide is the first?
// Shape:  one system call.   Zone: offline.   Errors: none; not a terminal, or 0 columns when the width is unknown.
#pragma once

namespace holdfast::platforms {

struct TerminalFacts {
  bool is_terminal = false;
  unsigned columns = 0;
};
TerminalFacts standard_output_terminal() noexcept;
bool standard_error_is_terminal() noexcept;

}  // namespace holdfast::platforms
