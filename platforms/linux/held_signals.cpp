#include "platforms/held_signals.h"

#include <signal.h>

namespace holdfast::platforms {

namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t ending_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEndingSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

HeldSignals::HeldSignals() noexcept : blocked_before_(0) {
  const sigset_t ending = ending_signals();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  for (const int signal : kEndingSignals)
    if (sigismember(&before, signal) == 1) blocked_before_ |= std::uint64_t{1} << (signal - 1);
}

HeldSignals::~HeldSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEndingSignals)
    if ((blocked_before_ >> (signal - 1) & 1) == 0) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool HeldSignals::waiting() noexcept {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return false;
  for (const int signal : kEndingSignals)
    if (sigismember(&pending, signal) == 1) return true;
  return false;
}

void ignore_pipe_signal() noexcept { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace holdfast::platforms
