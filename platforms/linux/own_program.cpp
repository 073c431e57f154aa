#include "platforms/own_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>

extern char** environ;

namespace holdfast::platforms {

namespace {

constexpr int kNotRun = 127;

// What a command has changed of its signals is not for the program.
void reset_signals() noexcept {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP})
    ::signal(number, SIG_DFL);
}

bool put(int descriptor, int wanted) noexcept {
  return descriptor >= 0 && ::dup2(descriptor, wanted) == wanted;
}

// In the child: says why on `trouble` and ends, or becomes the program.
[[noreturn]] void become(const ProgramPlan& plan, int output, int trouble) noexcept {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int errors = plan.errors == nullptr
                         ? nothing
                         : ::open(plan.errors, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  reset_signals();
  const bool ready =
      put(nothing, STDIN_FILENO) && put(output < 0 ? nothing : output, STDOUT_FILENO) &&
      put(errors, STDERR_FILENO) && (plan.directory == nullptr || ::chdir(plan.directory) == 0);
  if (ready)
    ::execve(plan.words[0], const_cast<char* const*>(plan.words),
             plan.environment == nullptr ? environ : const_cast<char* const*>(plan.environment));
  const int error = errno;
  [[maybe_unused]] const auto said = ::write(trouble, &error, sizeof error);
  ::_exit(kNotRun);
}

struct Pipe {
  Descriptor reading, writing;
};

int open_pipe(Pipe& pipe) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  pipe.reading = Descriptor(ends[0]);
  pipe.writing = Descriptor(ends[1]);
  return 0;
}

// What the child says is empty when it became the program: its end closes itself then.
int read_trouble(Pipe& trouble) noexcept {
  trouble.writing = Descriptor();
  int error = 0;
  const auto bytes = ::read(trouble.reading.get(), &error, sizeof error);
  return bytes == sizeof error ? error : 0;
}

void reap(::pid_t child) noexcept {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

int OwnProgram::start(const ProgramPlan& plan) noexcept {
  Pipe output, trouble;
  if (const int error = open_pipe(output); error != 0) return error;
  if (const int error = open_pipe(trouble); error != 0) return error;
  const ::pid_t parent = ::getpid();
  const ::pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNotRun);  // it has ended before the line above
    become(plan, output.writing.get(), trouble.writing.get());
  }
  pid_ = static_cast<std::uint32_t>(child);
  if (const int error = read_trouble(trouble); error != 0) {
    end();
    return error;
  }
  ::fcntl(output.reading.get(), F_SETFL, O_NONBLOCK);
  output_ = static_cast<Descriptor&&>(output.reading);
  return 0;
}

std::int64_t OwnProgram::read_output(void* out, std::size_t capacity) noexcept {
  const ::ssize_t bytes = ::read(output_.get(), out, capacity);
  return bytes < 0 ? -errno : bytes;
}

bool OwnProgram::running() noexcept {
  if (pid_ == 0) return false;
  const ::pid_t ended = ::waitpid(static_cast<::pid_t>(pid_), nullptr, WNOHANG);
  if (ended == 0) return true;
  pid_ = 0;
  return false;
}

void OwnProgram::end() noexcept {
  if (pid_ == 0) return;
  ::kill(static_cast<::pid_t>(pid_), SIGKILL);
  reap(static_cast<::pid_t>(pid_));
  pid_ = 0;
}

bool program_can_run(const char* path) noexcept {
  struct stat facts {};
  return ::stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && ::access(path, X_OK) == 0;
}

int make_temporary_directory(char* pattern) noexcept {
  return ::mkdtemp(pattern) == nullptr ? errno : 0;
}

int start_and_leave(const char* const* words) noexcept {
  Pipe trouble;
  if (const int error = open_pipe(trouble); error != 0) return error;
  const ::pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);  // its parent is then the system's first process
    ProgramPlan plan;
    plan.words = words;
    become(plan, -1, trouble.writing.get());
  }
  const int error = read_trouble(trouble);
  reap(child);
  return error;
}

}  // namespace holdfast::platforms
