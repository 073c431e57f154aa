#include "platforms/raw_stderr.h"

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace holdfast::platforms {

namespace {

// Keeps a SIGPIPE of ours from the application: a reader of stderr that went away must not end it.
// Why not MSG_NOSIGNAL: stderr is a pipe or a file, not a socket.
class PipeSignalHeld {
 public:
  PipeSignalHeld() noexcept {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  void take() noexcept {
    const timespec at_once{};
    if (!was_pending_) ::sigtimedwait(&pipe_, nullptr, &at_once);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

void write_stderr_line(std::string_view line) noexcept {
  char newline = '\n';
  const iovec parts[2] = {{const_cast<char*>(line.data()), line.size()}, {&newline, 1}};
  const int kept = errno;  // callers stand inside other people's calls
  PipeSignalHeld signal;
  if (::writev(STDERR_FILENO, parts, 2) < 0 && errno == EPIPE) signal.take();
  errno = kept;
}

}  // namespace holdfast::platforms
