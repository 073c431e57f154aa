#include "clrprofiler/roots/stack_walk_stopped.h"

#include "platforms/clock.h"

namespace holdfast::clr {
namespace {

struct OneStack {
  StackWalk& walk;
  StackOfThread& stack;
};

HRESULT take_frame(FunctionID function, UINT_PTR, COR_PRF_FRAME_INFO, ULONG32, BYTE*,
                   void* context) noexcept {
  auto& [walk, stack] = *static_cast<OneStack*>(context);
  if (function == 0) return S_OK;
  if (stack.frames == StackWalk::kMostFrames || walk.used == walk.functions.size()) {
    stack.cut = true;
    return S_FALSE;  // enough
  }
  walk.functions[walk.used++] = function;
  ++stack.frames;
  return S_OK;
}

}  // namespace

void walk_stacks_stopped(ICorProfilerInfo& info, StackWalk& walk) noexcept {
  for (StackOfThread& stack : walk.threads) {
    stack.first = walk.used;
    stack.frames = 0;
    stack.cut = false;
    if (platforms::monotonic_ns() >= walk.deadline_ns) {
      ++walk.unwalked_threads;
      continue;
    }
    OneStack one{walk, stack};
    // A thread without managed frames answers a failure.
    info.DoStackSnapshot(stack.thread, &take_frame, COR_PRF_SNAPSHOT_REGISTER_CONTEXT, &one,
                         nullptr, 0);
    walk.cut_stacks += stack.cut ? 1 : 0;
  }
}

}  // namespace holdfast::clr
