#include "platforms/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>

namespace holdfast::platforms {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};
constexpr std::size_t kSignalCount = std::size(kSignals);

std::atomic<int> writing{-1};  // the handler's end; relaxed: the handler is installed after it
struct sigaction before[kSignalCount];

// A full pipe drops the signal: whoever does not read 64 KB of them does not read the next either.
void note_signal(int number) {
  const int kept = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const auto written =
      ::write(writing.load(std::memory_order_relaxed), &byte, sizeof byte);
  errno = kept;
}

void install(std::size_t index) noexcept {
  const int number = kSignals[index];
  ::sigaction(number, nullptr, &before[index]);
  if (before[index].sa_handler == SIG_IGN && number != SIGWINCH) return;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

int Interrupts::open() noexcept {
  if (writing.load(std::memory_order_relaxed) != -1) return EBUSY;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  reading_ = ends[0];
  end_taken_ = false;
  writing.store(ends[1], std::memory_order_relaxed);
  for (std::size_t i = 0; i < kSignalCount; ++i) install(i);
  return 0;
}

void Interrupts::close() noexcept {
  if (reading_ == -1) return;
  for (std::size_t i = 0; i < kSignalCount; ++i) ::sigaction(kSignals[i], &before[i], nullptr);
  ::close(writing.exchange(-1, std::memory_order_relaxed));
  ::close(reading_);
  reading_ = -1;
}

Interrupt Interrupts::take() noexcept {
  unsigned char number = 0;
  if (reading_ == -1 || ::read(reading_, &number, sizeof number) != 1) return Interrupt::kNone;
  if (number == SIGWINCH) return Interrupt::kResized;
  if (number == SIGTSTP) return Interrupt::kStop;
  end_taken_ = true;
  return Interrupt::kEnd;
}

bool Interrupts::end_wanted() noexcept {
  for (Interrupt came = take(); came != Interrupt::kNone; came = take())
    if (came == Interrupt::kStop) stop_process();
  return end_taken_;
}

void Interrupts::stop_process() noexcept { ::raise(SIGSTOP); }

}  // namespace holdfast::platforms
