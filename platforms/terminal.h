// Terminals: are standard output and standard error some, how large; and a whole screen of one's own, with single keys.
// Shape:  TerminalScreen: the alternate screen and no cursor on standard output; keys come unechoed and one by one where standard input
//         is a terminal too, Ctrl-C and Ctrl-Z stay signals. One for the whole process. It is left by leave(), by destruction, at
//         exit(), and when a signal such as SIGSEGV or SIGABRT ends the process.
// Zone:   offline.   Errors: enter() answers an errno value, 0 when it worked. Not a terminal: 0 columns and rows.
#pragma once

namespace holdfast::platforms {

struct TerminalFacts {
  bool is_terminal = false;
  unsigned columns = 0;  // 0: unknown
  unsigned rows = 0;
};
TerminalFacts standard_output_terminal() noexcept;
bool standard_error_is_terminal() noexcept;

class TerminalScreen {
 public:
  TerminalScreen() = default;
  ~TerminalScreen() { leave(); }
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  int enter() noexcept;
  void leave() noexcept;
  // Readable: read_key() has something. -1: no keys come.
  int key_descriptor() const noexcept;
  int read_key() noexcept;  // a byte; 0: none is there; -1: the terminal is gone
};

}  // namespace holdfast::platforms
