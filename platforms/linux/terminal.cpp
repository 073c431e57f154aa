#include "platforms/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace holdfast::platforms {

namespace {

constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l";  // the alternate screen, no cursor
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
// What ends a process that did something wrong, or was told to by Ctrl-\.
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};
constexpr std::size_t kCrashCount = std::size(kCrashes);

std::atomic<bool> entered{false};
bool keys = false;  // standard input is a terminal, and `cooked` how it was
termios cooked{};   // both written before `entered` and the handlers
struct sigaction before[kCrashCount];

void say(const char* text, std::size_t bytes) noexcept {
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text, bytes);
}

// Only what a signal handler may call.
void restore() noexcept {
  if (!entered.exchange(false)) return;
  say(kLeave, sizeof kLeave - 1);
  if (keys) ::tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

// SA_RESETHAND: raised again, it ends the process as it would have.
void restore_and_die(int number) {
  restore();
  ::raise(number);
}

void take_keys() noexcept {
  keys = ::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &cooked) == 0;
  if (!keys) return;
  termios raw = cooked;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void catch_crashes() noexcept {
  struct sigaction action {};
  action.sa_handler = restore_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCrashCount; ++i) ::sigaction(kCrashes[i], &action, &before[i]);
}

}  // namespace

TerminalFacts standard_output_terminal() noexcept {
  TerminalFacts facts;
  facts.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (facts.is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
    facts.rows = size.ws_row;
  }
  return facts;
}

bool standard_error_is_terminal() noexcept { return ::isatty(STDERR_FILENO) == 1; }

int TerminalScreen::enter() noexcept {
  if (::isatty(STDOUT_FILENO) != 1) return ENOTTY;
  if (entered.load()) return EBUSY;
  static const int kAtExit = std::atexit(restore);
  static_cast<void>(kAtExit);
  take_keys();
  catch_crashes();
  entered.store(true);
  say(kEnter, sizeof kEnter - 1);
  return 0;
}

void TerminalScreen::leave() noexcept {
  if (!entered.load()) return;
  restore();
  for (std::size_t i = 0; i < kCrashCount; ++i) ::sigaction(kCrashes[i], &before[i], nullptr);
}

int TerminalScreen::key_descriptor() const noexcept {
  return entered.load() && keys ? STDIN_FILENO : -1;
}

// Asked first, so that "nothing yet" and "never again" are told apart.
int TerminalScreen::read_key() noexcept {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) != 1) return 0;
  unsigned char key = 0;
  const auto bytes = ::read(STDIN_FILENO, &key, sizeof key);
  if (bytes == 1) return key;
  return bytes < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : -1;
}

}  // namespace holdfast::platforms
