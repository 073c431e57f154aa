#include "platforms/terminal.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "platforms/process_for_tests.h"

using namespace holdfast::platforms;

namespace {

constexpr const char* kEntered = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeft = "\x1b[?25h\x1b[?1049l";

// A terminal of 100 columns and 30 rows; `body` has it as its standard input and output, in a process of its own.
struct Terminal {
  int ours = -1, theirs = -1;

  Terminal() {
    winsize size{30, 100, 0, 0};
    REQUIRE(::openpty(&ours, &theirs, nullptr, nullptr, &size) == 0);
  }
  ~Terminal() {
    ::close(ours);
    ::close(theirs);
  }
  template <class Body>
  int run(Body body) {
    return run_in_child([&] {
      ::dup2(theirs, STDIN_FILENO);
      ::dup2(theirs, STDOUT_FILENO);
      return body();
    });
  }
  std::string shown() const {
    std::string text;
    char buffer[256];
    pollfd watched{ours, POLLIN, 0};
    while (::poll(&watched, 1, 50) == 1 && (watched.revents & POLLIN) != 0) {
      const auto got = ::read(ours, buffer, sizeof buffer);
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }
  bool echoes() const {
    termios now{};
    ::tcgetattr(theirs, &now);
    return (now.c_lflag & ECHO) != 0 && (now.c_lflag & ICANON) != 0;
  }
};

}  // namespace

TEST_CASE("a file is no terminal, has no size and gets no screen") {
  const int kept = ::dup(STDOUT_FILENO);
  const int file = ::open("/dev/null", O_WRONLY);
  ::dup2(file, STDOUT_FILENO);
  const TerminalFacts facts = standard_output_terminal();
  TerminalScreen screen;
  const int refused = screen.enter();
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  ::close(file);
  CHECK_FALSE(facts.is_terminal);
  CHECK(facts.columns == 0);
  CHECK(facts.rows == 0);
  CHECK(refused == ENOTTY);
  CHECK(screen.key_descriptor() == -1);
}

TEST_CASE("a terminal has a size; a screen takes keys one by one and is left as it was") {
  Terminal terminal;
  CHECK(terminal.run([] {
    const TerminalFacts facts = standard_output_terminal();
    return facts.is_terminal && facts.columns == 100 && facts.rows == 30 ? 0 : 1;
  }) == 0);
  CHECK(terminal.run([&] {
    TerminalScreen screen, second;
    if (screen.enter() != 0 || terminal.echoes()) return 1;
    if (second.enter() != EBUSY) return 2;
    if (screen.read_key() != 0) return 3;
    if (::write(terminal.ours, "q", 1) != 1) return 4;
    pollfd watched{screen.key_descriptor(), POLLIN, 0};
    if (::poll(&watched, 1, 5'000) != 1 || screen.read_key() != 'q') return 5;
    return 0;
  }) == 0);
  // Around it stands what the test's own output had buffered when it was forked.
  CHECK(terminal.shown().find(std::string(kEntered) + kLeft) != std::string::npos);
  CHECK(terminal.echoes());
}

TEST_CASE("a crash, an abort and an exit give the terminal back") {
  for (const int number : {SIGSEGV, SIGABRT, SIGQUIT, 0}) {
    Terminal terminal;
    const int status = terminal.run([number] {
      for (const int each : {SIGSEGV, SIGABRT, SIGQUIT}) ::signal(each, SIG_DFL);
      static TerminalScreen screen;
      if (screen.enter() != 0) return 1;
      if (number == 0) std::exit(0);
      ::raise(number);
      return 2;
    });
    CHECK(status == (number == 0 ? 0 : 200 + number));
    // Around it stands what the test's own output had buffered when it was forked.
    CHECK(terminal.shown().find(std::string(kEntered) + kLeft) != std::string::npos);
    CHECK(terminal.echoes());
  }
}
