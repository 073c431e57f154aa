#include "analysis/lab/delta/isolation.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace holdfast::analysis::lab {

namespace {

using Clock = std::chrono::steady_clock;

// What the parent's test framework or sanitizer would do about a crash is not wanted here: it prints, or answers for the child.
void become_plain_process(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGTERM, SIGINT})
    std::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
}

// noexcept: an exception that leaves the test ends the child.
[[noreturn]] void run_as_child(const std::function<bool()>& test, int answer,
                               pid_t parent) noexcept {
  become_plain_process(parent);
  const char letter = test() ? 't' : 'f';
  const ssize_t written = ::write(answer, &letter, 1);
  ::_exit(written == 1 ? 0 : 1);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 1'000'000));
}

// The letter; 0: the child closed its end without one, or the time was over.
char read_answer(int from, Clock::time_point deadline) {
  pollfd waiting{from, POLLIN, 0};
  while (::poll(&waiting, 1, milliseconds_until(deadline)) < 0) {
  }
  char letter = 0;
  return waiting.revents != 0 && ::read(from, &letter, 1) == 1 ? letter : '\0';
}

// False: it was still there at the deadline, and has been killed.
bool ended_by_itself(pid_t child, Clock::time_point deadline, int& status) {
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace

IsolatedAnswer run_isolated(const std::function<bool()>& test, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  int ends[2];
  std::fflush(nullptr);  // what is still buffered is not to be written twice
  const pid_t parent = ::getpid();
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child == 0) run_as_child(test, ends[1], parent);
  ::close(ends[1]);
  const char letter = read_answer(ends[0], deadline);
  ::close(ends[0]);
  int status = 0;
  const bool in_time = ended_by_itself(child, deadline, status);
  if (letter != 0) return {letter == 't' ? IsolatedEnd::kTrue : IsolatedEnd::kFalse, 0, 0};
  if (!in_time) return {IsolatedEnd::kHung, 0, 0};
  return {IsolatedEnd::kCrashed, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          WIFEXITED(status) ? WEXITSTATUS(status) : 0};
}

std::string text_of(const IsolatedAnswer& answer) {
  switch (answer.end) {
    case IsolatedEnd::kTrue:
      return "true";
    case IsolatedEnd::kFalse:
      return "false";
    case IsolatedEnd::kHung:
      return "not ended in time";
    default:
      if (answer.signal != 0) return "ended by signal " + std::to_string(answer.signal);
      return "left with exit code " + std::to_string(answer.exit_code);
  }
}

GraphTest ends_as(GraphTest test, IsolatedEnd wanted, std::chrono::milliseconds limit) {
  return [test = std::move(test), wanted, limit](LabGraph& graph) {
    return run_isolated([&] { return test(graph); }, limit).end == wanted;
  };
}

}  // namespace holdfast::analysis::lab
