// The functions on the stacks of all threads, while the runtime is suspended.
// Why before the collection: inside it the runtime walks no other thread's stack, and in a suspension of ours it cannot collect.
// Shape:  FunctionIDs, thread by thread, the leaf first, into memory that is there; runs of unmanaged frames are left out. Of a stack
//         the topmost kMostFrames are kept. Measured 0.05 ms for 14 frames; what is not done at the deadline is not walked, but for its leaf
//         where stack pointers are wanted and the thread has no Frame: without either it is unknown where the stack begins. Threads
//         without one run managed code, and there are no more of those than processors.
// Zone:   stopped.
// Errors: none; what is missing is counted.
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/com.h"

namespace holdfast::clr {

struct StackOfThread {
  ThreadID thread = 0;      // the runtime's own
  std::uint32_t os_id = 0;  // 0: not started, or ended
  std::uint32_t first = 0;  // into the functions
  std::uint32_t frames = 0;
  bool cut = false;   // there are more
  bool gone = false;  // it had ended before the runtime was suspended: nothing may be asked of it
  bool newcomer = false;  // it has begun since the threads were listed, and is not walked
};

struct StackWalk {
  static constexpr std::uint32_t kMostFrames = 1u << 14;  // of one stack

  std::span<StackOfThread> threads;
  std::span<std::uint64_t> functions;
  std::span<std::uint64_t>
      pointers;  // as long as `functions`: of each frame the stack pointer; or empty
  std::uint64_t deadline_ns = 0;
  // In the runtime's own thread, where its topmost Frame is named; 0: not known. A thread that has one needs no leaf.
  std::uint64_t frame_offset = 0;
  // Found:
  std::uint32_t used = 0;  // of functions
  std::uint32_t cut_stacks = 0;
  std::uint32_t unwalked_threads = 0;
};

void walk_stacks_stopped(ICorProfilerInfo& info, StackWalk& walk) noexcept;

}  // namespace holdfast::clr
