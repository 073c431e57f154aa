// What tests do to processes: run something in a child, kill it, take away its disk or descriptors.
// Why here: only this folder may know the system, tests included.
// Zone:   tests.   Errors: false, or the test ends.
#pragma once

#include <cstdint>

namespace holdfast::platforms {

// A child process made by fork. Destruction kills it.
class ChildForTest {
 public:
  using Body = int (*)(void* context);
  ChildForTest(Body body, void* context) noexcept;
  ~ChildForTest() { kill(); }
  ChildForTest(const ChildForTest&) = delete;
  ChildForTest& operator=(const ChildForTest&) = delete;
  std::uint32_t pid() const noexcept { return pid_; }
  int wait() noexcept;  // its exit status, or 200 + the signal that ended it
  void kill() noexcept;

 private:
  std::uint32_t pid_;
  bool running_ = true;
};

// What `body()` answers in a child of its own, because it changes what the whole process may do.
template <class Body>
int run_in_child(Body body) noexcept {
  return ChildForTest([](void* raw) -> int { return (*static_cast<Body*>(raw))(); }, &body).wait();
}

// A number that was a process's and is none any more.
std::uint32_t dead_pid_for_test() noexcept;
// The calling process' files may be this long; the signal for it is blocked, as on our own threads.
void limit_file_size_for_test(std::uint64_t bytes) noexcept;
void limit_descriptors_for_test(std::uint64_t count) noexcept;
// Raises the limit as far as it goes (at most 1 million) and opens files until few are left; how many.
std::uint64_t use_up_descriptors_for_test(std::uint64_t left) noexcept;
// A file system of its own at `path`; false where we may not mount one.
bool mount_disk_for_test(const char* path, std::uint64_t bytes) noexcept;
void unmount_disk_for_test(const char* path) noexcept;
// Makes a file somebody else's; false where we may not.
bool give_away_for_test(const char* path) noexcept;
// Ends one direction of a connection: the peer reads an end, and may still answer.
void stop_sending_for_test(int connection) noexcept;
// Descriptors that the process has open.
std::uint64_t open_descriptors_for_test() noexcept;
bool closes_on_exec_for_test(int descriptor) noexcept;
// What the calling process forks from now on is in a process namespace of its own, with our /proc; false where we may not.
bool enter_other_numbers_for_test() noexcept;
// Makes the calling process another user's, for good; false where we may not.
bool become_other_user_for_test() noexcept;
bool signal_pending_for_test() noexcept;  // any, for the calling thread or its process
std::uint32_t set_file_mask_for_test(std::uint32_t mask) noexcept;  // the one before
// Closes descriptors 0, 1 and 2.
void close_standard_streams_for_test() noexcept;
// Signals that the calling thread does not block though it could.
int unblocked_signals_for_test() noexcept;

}  // namespace holdfast::platforms
