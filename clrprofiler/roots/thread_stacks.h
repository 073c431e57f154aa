// The managed threads with their names and the functions on their stacks, as of the moment before a collection.
// Why: the collection tells of each stack root the function that holds it, and nothing of its thread (root_frames.h).
// Shape:  take(): threads and memory, then the runtime suspended for as long as the walk takes, at most kMostPauseNs and what the last stack
//         needs. 40 B and 16 B of name a thread, 8 B a frame; kFrameRoom frames, touched beforehand.
//         Names are the system's (15 bytes): those of Thread.Name, unless the application named a thread that has not run yet.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC; not in a suspension (listing threads inside
//         one hangs on .NET 9). COR_PRF_ENABLE_STACK_SNAPSHOT is set. .NET Core 3 and later.
// Errors: the runtime's, Suspension's, kOutOfBudget. Without stacks roots have no frames, and nothing else is missing.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "clrprofiler/roots/stack_walk_stopped.h"
#include "common/arena.h"
#include "common/notes.h"
#include "common/snapshot/catalog.h"

namespace holdfast::clr {

class ThreadStacks {
 public:
  static constexpr std::uint32_t kMostThreads = 1u << 14;
  static constexpr std::uint32_t kNewcomers = 64;
  static constexpr std::uint32_t kFrameRoom = 1u << 17;  // 1 MB
  static constexpr std::uint64_t kMostPauseNs = 50'000'000;

  // Threads and frames live in `arena`.
  Result<void> take(ProfilerInfo& info, Arena& arena,
                    std::uint64_t most_ns = kMostPauseNs) noexcept;
  // The same in two halves, for who suspends the runtime for more: threads and memory, then, stopped, the walk, with stack pointers.
  Result<void> prepare(ProfilerInfo& info, Arena& arena) noexcept;
  Result<void> want_pointers(Arena& arena) noexcept;
  // Stopped, before the walk, by who knows the threads of that moment: begin, note each of them, end. Those that have ended meanwhile are not walked, which
  // would read freed memory; those that have begun are there, as far as kNewcomers, with a stack that nobody has walked.
  void begin_living_stopped() noexcept;
  void note_living_stopped(ThreadID thread) noexcept;
  void walk_stopped(ProfilerInfo& info, std::uint64_t most_ns) noexcept;
  void know_frames(std::uint64_t frame_offset) noexcept { walk_.frame_offset = frame_offset; }
  std::uint64_t frames_estimate() const noexcept;
  // Which stacks are known as far as their first frames alone; a few by name.
  void note_cuts(Notes& notes) const noexcept;

  std::span<const StackOfThread> threads() const noexcept { return walk_.threads; }
  // Of a thread among threads(); ~0: it is none of them. O(log threads).
  std::uint64_t number_of(ThreadID thread) const noexcept;
  std::span<const std::uint64_t> functions() const noexcept {
    return walk_.functions.first(walk_.used);
  }
  // Where they were wanted: of each function's frame.
  std::span<const std::uint64_t> pointers() const noexcept {
    return walk_.pointers.empty() ? walk_.pointers : walk_.pointers.first(walk_.used);
  }
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }
  std::uint32_t threads_left_out() const noexcept { return left_out_; }
  std::uint32_t unwalked_threads() const noexcept { return walk_.unwalked_threads; }
  std::uint32_t cut_stacks() const noexcept { return walk_.cut_stacks; }

  // Rows of the catalog, in the order of threads().
  Result<void> fill_catalog(Arena& arena, Catalog& catalog) const noexcept;

 private:
  using Name = char[16];
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;
  struct Listed {
    ThreadID thread = 0;
    std::uint32_t row = 0;
  };

  Result<void> list_threads(ProfilerInfo& info, Arena& arena) noexcept;
  Result<void> walk_suspended(ProfilerInfo& info, std::uint64_t most_ns) noexcept;

  StackWalk walk_;
  std::span<StackOfThread> rows_;  // with room for newcomers
  std::span<Listed> listed_;       // all threads, ours included, by id
  std::span<Name> names_;
  std::uint32_t left_out_ = 0;
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
