#include "platforms/process_for_tests.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace holdfast::platforms {

ChildForTest::ChildForTest(Body body, void* context) noexcept {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body(context));
  if (child < 0) std::abort();
  pid_ = static_cast<std::uint32_t>(child);
}

int ChildForTest::wait() noexcept {
  int status = 0;
  if (!running_ || ::waitpid(static_cast<pid_t>(pid_), &status, 0) < 0) return -1;
  running_ = false;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

void ChildForTest::kill() noexcept {
  if (!running_) return;
  ::kill(static_cast<pid_t>(pid_), SIGKILL);
  wait();
}

std::uint32_t dead_pid_for_test() noexcept {
  ChildForTest child([](void*) { return 0; }, nullptr);
  child.wait();
  return child.pid();
}

void limit_file_size_for_test(std::uint64_t bytes) noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

void limit_descriptors_for_test(std::uint64_t count) noexcept {
  const rlimit limit{count, count};
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t use_up_descriptors_for_test(std::uint64_t left) noexcept {
  constexpr rlim_t kMost = 1'000'000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, kMost);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const int wanted = static_cast<int>(limit.rlim_cur - left);
  int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (file >= 0 && file < wanted) file = ::dup(file);
  return static_cast<std::uint64_t>(std::max(file, 0));
}

bool mount_disk_for_test(const char* path, std::uint64_t bytes) noexcept {
  char size[32];
  std::snprintf(size, sizeof size, "size=%llu", static_cast<unsigned long long>(bytes));
  return ::mount("tmpfs", path, "tmpfs", 0, size) == 0;
}

void unmount_disk_for_test(const char* path) noexcept { ::umount(path); }

bool give_away_for_test(const char* path) noexcept {
  constexpr uid_t kSomebody = 4711;
  return ::geteuid() == 0 && ::chown(path, kSomebody, kSomebody) == 0;
}

void stop_sending_for_test(int connection) noexcept { ::shutdown(connection, SHUT_WR); }

std::uint64_t open_descriptors_for_test() noexcept {
  std::uint64_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.path().empty() ? 0 : 1;
  return count - 1;  // the directory's own
}

bool closes_on_exec_for_test(int descriptor) noexcept {
  return (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0;
}

bool enter_other_numbers_for_test() noexcept { return ::unshare(CLONE_NEWPID) == 0; }

bool become_other_user_for_test() noexcept {
  constexpr uid_t kNobody = 65534;
  return ::geteuid() == 0 && ::setgroups(0, nullptr) == 0 &&
         ::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0;
}

bool signal_pending_for_test() noexcept {
  sigset_t pending;
  ::sigpending(&pending);
  for (int signal = 1; signal < 32; ++signal)
    if (::sigismember(&pending, signal) == 1) return true;
  return false;
}

std::uint32_t set_file_mask_for_test(std::uint32_t mask) noexcept { return ::umask(mask); }

void close_standard_streams_for_test() noexcept {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) ::close(descriptor);
}

int unblocked_signals_for_test() noexcept {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  int count = 0;
  for (int signal = 1; signal < 32; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP && ::sigismember(&mask, signal) == 0) ++count;
  return count;
}

}  // namespace holdfast::platforms
