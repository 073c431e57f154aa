// A child process that owns a copy-on-write picture of this process' memory at one instant, and nothing else of it.
// Why not fork(): libc runs other people's at-fork handlers, and one that waits for a lock of a thread that the VM has stopped
//      wedges the process for good. A raw clone runs nothing of anybody's.
// Shape:  one clone without shared memory, exit signal 0: the application's waitpid(-1) and SIGCHLD never see the child, and
//         only poll_child() reaps it. Before `body` runs the child has blocked every signal but SIGALRM and SIGCONT and reset all of them,
//         closed every inherited descriptor (also 0 to 2), and is the first to go when memory runs out. It leaves no core file and ends
//         with its parent, unless the plan lets it outlive the parent and the parent has said so.
//         It runs at the priority of the thread that made it until `body` calls lower_current_thread(): a child
//         that still holds pages of the application shall be quick rather than polite. Where the kernel can (5.9), it never holds an
//         inherited descriptor at all, so a connection or a port that the parent closes is closed.
//         About 90 system calls of the child's; the parent pays one clone and two changes of its signal mask.
// Zone:   prepare_children: load. spawn_child: stopped. poll_child, kill_child: any of the parent's.
//         `body` runs in zone child: no libc service that takes a lock, no allocation, no thread-local, no VM.
// Errors: spawn_child: -errno (EAGAIN: a limit on processes; ENOMEM: memory or strict overcommit; EPERM: a sandbox;
//         EINVAL: the plan). A child that could not set itself up ends with kChildUnfit.
// Source: clone(2), close_range(2), prctl(2), waitpid(2) on __WALL.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

inline constexpr int kChildUnfit = 125;  // exit status: `body` was never run

struct ChildPlan {
  const char* name = "";        // at most 15 bytes: what ps shows
  std::byte* stack = nullptr;   // committed memory of the caller's, used by the child alone
  std::size_t stack_bytes = 0;  // at least kMinChildStackBytes
  std::uint32_t watchdog_seconds =
      0;  // the child is ended after so much time, whatever it does; 0: never
  int (*body)(void* argument) noexcept = nullptr;  // returns the exit status
  void* argument = nullptr;
  // In memory that parent and child share. While it is false the child ends with its parent; once it is true the child goes on alone, for
  // at most kAloneSeconds. nullptr: the child dies with the thread that made it.
  const std::atomic<bool>* may_outlive = nullptr;
  void (*clean_up)() noexcept =
      nullptr;  // in the child, before its watchdog or its parent's end ends it
};
inline constexpr std::uint32_t kAloneSeconds = 600;
inline constexpr std::size_t kMinChildStackBytes = 16 * 1024;

// Asks once what the kernel offers, which must not be tried while the VM is stopped. Without it children still work, but hold
// the parent's descriptors until they run for the first time.
void prepare_children() noexcept;

// The child's number, or -errno. Copies the address space; never runs an at-fork handler.
// Without `may_outlive` the death signal is bound to the calling thread: the child dies when that thread does.
std::int64_t spawn_child(const ChildPlan& plan) noexcept;

// kLost: somebody else reaped it, or it never was ours.
enum class ChildState : std::uint8_t { kRunning, kExited, kKilled, kLost };
struct ChildEnd {
  ChildState state;
  int status;                // exit status, or the signal that ended it
  std::uint64_t cpu_ns = 0;  // of its whole life, in both modes; once it has ended
};

// Never blocks. An end is told once: it takes the child's number back.
ChildEnd poll_child(std::int64_t pid) noexcept;
// At once and without a chance to object. Does nothing to a process that is not our child.
void kill_child(std::int64_t pid) noexcept;
// Stops it where it is, and lets it go on. Likewise only our child.
void hold_child(std::int64_t pid) noexcept;
void resume_child(std::int64_t pid) noexcept;

}  // namespace holdfast::platforms
