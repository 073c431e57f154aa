#include "platforms/own_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>

#include "platforms/clock.h"
#include "platforms/fault_points.h"
#include "platforms/local_stream.h"

extern char** environ;

namespace holdfast::platforms {

namespace {

constexpr int kNotRun = 127;
constexpr unsigned kCloseOnExec = 1;  // MFD_CLOEXEC, for headers that have none

// What a command has changed of its signals is not for the program.
void reset_signals() noexcept {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP})
    ::signal(number, SIG_DFL);
}

// Below, it would be overwritten where the child's own are put, or be at its place already and close itself at execve().
Descriptor above_standard_streams(int descriptor) noexcept {
  if (descriptor < 0) return Descriptor(-errno);
  Descriptor low(descriptor);
  if (descriptor > STDERR_FILENO) return low;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return Descriptor(moved < 0 ? -errno : moved);
}

bool put(int descriptor, int wanted) noexcept {
  return descriptor >= 0 && ::dup2(descriptor, wanted) == wanted;
}

[[noreturn]] void end_with(int error, int trouble) noexcept {
  [[maybe_unused]] const auto said = ::write(trouble, &error, sizeof error);
  ::_exit(kNotRun);
}

// Of the child; below 0: none, and /dev/null is there.
struct Streams {
  int input = -1, output = -1, errors = -1;
};

// In the child: says why on `trouble` and ends, or becomes the program.
[[noreturn]] void become(const ProgramPlan& plan, const Streams& streams, int trouble) noexcept {
  const int nothing = above_standard_streams(::open("/dev/null", O_RDWR | O_CLOEXEC)).release();
  reset_signals();
  const bool ready = put(streams.input < 0 ? nothing : streams.input, STDIN_FILENO) &&
                     put(streams.output < 0 ? nothing : streams.output, STDOUT_FILENO) &&
                     put(streams.errors < 0 ? nothing : streams.errors, STDERR_FILENO) &&
                     (plan.directory == nullptr || ::chdir(plan.directory) == 0);
  if (ready)
    ::execve(plan.words[0], const_cast<char* const*>(plan.words),
             plan.environment == nullptr ? environ : const_cast<char* const*>(plan.environment));
  end_with(errno, trouble);
}

struct Pipe {
  Descriptor reading, writing;
};

int open_pipe(Pipe& pipe) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  pipe.reading = above_standard_streams(ends[0]);
  pipe.writing = above_standard_streams(ends[1]);
  return pipe.reading.valid() ? pipe.writing.error() : pipe.reading.error();
}

// Linux before 3.17 has no files in memory alone.
Descriptor unnamed_file(const char* directory) noexcept {
  const auto made = static_cast<int>(::syscall(SYS_memfd_create, "errors", kCloseOnExec));
  return above_standard_streams(made >= 0 ? made
                                          : ::open(directory == nullptr ? "." : directory,
                                                   O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
}

// What the child says is empty when it became the program: its end closes itself then.
int read_trouble(Pipe& trouble) noexcept {
  trouble.writing = Descriptor();
  int error = 0;
  ::ssize_t bytes = 0;
  do {
    bytes = ::read(trouble.reading.get(), &error, sizeof error);
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return errno;
  return bytes == sizeof error ? error : 0;
}

::pid_t fork_here() noexcept {
  const int error = fault_error(FaultPoint::kFork);
  if (error == 0) return ::fork();
  errno = error;
  return -1;
}

void reap(::pid_t child) noexcept {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

int OwnProgram::start(const ProgramPlan& plan) noexcept {
  Pipe input, output, trouble;
  Descriptor errors;
  if (const int error = open_pipe(output); error != 0) return error;
  if (const int error = open_pipe(trouble); error != 0) return error;
  if (const int error = plan.keeps_input ? open_pipe(input) : 0; error != 0) return error;
  if (plan.keeps_errors) {
    errors = unnamed_file(plan.directory);
    if (!errors.valid()) return errors.error();
  }
  const ::pid_t parent = ::getpid();
  const ::pid_t child = fork_here();
  if (child < 0) return errno;
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNotRun);  // it has ended before the line above
    become(plan, {input.reading.get(), output.writing.get(), errors.get()}, trouble.writing.get());
  }
  pid_ = static_cast<std::uint32_t>(child);
  if (const int error = read_trouble(trouble); error != 0) {
    end();
    return error;
  }
  ::fcntl(output.reading.get(), F_SETFL, O_NONBLOCK);
  input_ = static_cast<Descriptor&&>(input.writing);
  output_ = static_cast<Descriptor&&>(output.reading);
  errors_ = static_cast<Descriptor&&>(errors);
  return 0;
}

std::int64_t OwnProgram::read_output(void* out, std::size_t capacity) noexcept {
  const ::ssize_t bytes = ::read(output_.get(), out, capacity);
  return bytes < 0 ? -errno : bytes;
}

std::int64_t OwnProgram::read_errors(void* out, std::size_t capacity,
                                     std::uint64_t offset) const noexcept {
  const ::ssize_t bytes = ::pread(errors_.get(), out, capacity, static_cast<::off_t>(offset));
  return bytes < 0 ? -errno : bytes;
}

// It is not reaped here: until then neither its number nor its group's is given to another.
bool OwnProgram::running() noexcept {
  if (pid_ == 0) return false;
  siginfo_t ended{};
  return ::waitid(P_PID, pid_, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

bool OwnProgram::includes(std::uint32_t pid) const noexcept {
  return pid_ != 0 && ::getpgid(static_cast<::pid_t>(pid)) == static_cast<::pid_t>(pid_);
}

// A wrapper may end before what it started: the output is at its end when none of them is left that has it.
void OwnProgram::await_end(unsigned milliseconds) noexcept {
  constexpr unsigned kStepMs = 5;
  constexpr std::uint64_t kMillisecondNs = 1'000'000;
  const std::uint64_t until = monotonic_ns() + milliseconds * kMillisecondNs;
  bool open = true;
  while ((open || running()) && monotonic_ns() < until) {
    if (!open) {
      sleep_ns(kStepMs * kMillisecondNs);
    } else if (wait_for_stream(output_.get(), StreamWait::kReadable, kStepMs) == 0) {
      char unread[256];
      const std::int64_t bytes = read_output(unread, sizeof unread);
      open = bytes > 0 || bytes == -EAGAIN || bytes == -EINTR;
    }
  }
}

void OwnProgram::end(unsigned milliseconds) noexcept {
  if (pid_ == 0) return;
  const auto leader = static_cast<::pid_t>(pid_);
  if (milliseconds > 0) {
    ::kill(-leader, SIGTERM);
    input_ = Descriptor();
    await_end(milliseconds);
  }
  ::kill(-leader, SIGKILL);
  reap(leader);
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
  const ::pid_t child = fork_here();
  if (child < 0) return errno;
  if (child == 0) {
    ::setsid();
    const ::pid_t program = fork_here();
    if (program < 0) end_with(errno, trouble.writing.get());
    if (program > 0) ::_exit(0);  // the program's parent is then the system's first process
    ProgramPlan plan;
    plan.words = words;
    become(plan, {}, trouble.writing.get());
  }
  const int error = read_trouble(trouble);
  reap(child);
  return error;
}

}  // namespace holdfast::platforms
