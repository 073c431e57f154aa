#include "platforms/raw_stderr.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "platforms/thread.h"

using namespace holdfast::platforms;

namespace {

// Runs `body` in a child whose stderr is a pipe; what it wrote there, and how it ended.
struct Outcome {
  std::string text;
  int status = 0;
};
template <class Body>
Outcome with_stderr_piped(Body&& body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::_exit(body());
  }
  ::close(ends[1]);
  Outcome outcome;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    outcome.text.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, &outcome.status, 0);
  return outcome;
}

}  // namespace

TEST_CASE("one line, with its end; errno stays") {
  const Outcome outcome = with_stderr_piped([] {
    errno = 77;
    write_stderr_line("holdfast: hello");
    write_stderr_line("");
    return errno == 77 ? 0 : 1;
  });
  CHECK(outcome.text == "holdfast: hello\n\n");
  CHECK(WEXITSTATUS(outcome.status) == 0);
}

TEST_CASE(
    "a stderr that nobody reads, or that is closed, ends nobody and leaves no signal behind") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    write_stderr_line("to nobody");
    ::close(STDERR_FILENO);
    write_stderr_line("to nowhere");
    sigset_t pending;
    ::sigpending(&pending);
    ::_exit(::sigismember(&pending, SIGPIPE) == 0 ? 0 : 1);
  }
  ::close(ends[0]);
  ::close(ends[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("an application's own pending SIGPIPE stays pending") {
  const pid_t child = ::fork();
  if (child == 0) {
    sigset_t pipe_only;
    ::sigemptyset(&pipe_only);
    ::sigaddset(&pipe_only, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
    ::raise(SIGPIPE);
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(2);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    write_stderr_line("to nobody");
    sigset_t pending;
    ::sigpending(&pending);
    ::_exit(::sigismember(&pending, SIGPIPE) == 1 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
}
