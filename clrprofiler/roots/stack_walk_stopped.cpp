#include "clrprofiler/roots/stack_walk_stopped.h"

#include <cstring>

#include "platforms/clock.h"

namespace holdfast::clr {
namespace {

struct OneStack {
  StackWalk& walk;
  StackOfThread& stack;
  std::uint32_t most_frames;
};

// In the register context that the runtime hands out; 0 where that is not known.
std::uint64_t stack_pointer_in(const BYTE* registers, ULONG32 bytes) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t kStackPointer = 0x98;
  std::uint64_t pointer = 0;
  if (registers != nullptr && bytes >= kStackPointer + sizeof pointer)
    std::memcpy(&pointer, registers + kStackPointer, sizeof pointer);
  return pointer;
#else
  static_cast<void>(registers);
  static_cast<void>(bytes);
  return 0;
#endif
}

HRESULT take_frame(FunctionID function, UINT_PTR, COR_PRF_FRAME_INFO, ULONG32 register_bytes,
                   BYTE* registers, void* context) noexcept {
  auto& [walk, stack, most_frames] = *static_cast<OneStack*>(context);
  if (function == 0) return S_OK;
  if (stack.frames == most_frames || walk.used == walk.functions.size()) {
    stack.cut = true;
    return S_FALSE;  // enough
  }
  if (!walk.pointers.empty())
    walk.pointers[walk.used] = stack_pointer_in(registers, register_bytes);
  walk.functions[walk.used++] = function;
  ++stack.frames;
  return S_OK;
}

bool has_frame(const StackWalk& walk, ThreadID thread) noexcept {
  constexpr std::uint64_t kNone = ~std::uint64_t{0}, kLeast = 1 << 16;
  if (walk.frame_offset == 0) return false;
  std::uint64_t frame = 0;
  std::memcpy(&frame, reinterpret_cast<const void*>(thread + walk.frame_offset), sizeof frame);
  return frame != kNone && frame > kLeast;
}

}  // namespace

void walk_stacks_stopped(ICorProfilerInfo& info, StackWalk& walk) noexcept {
  for (StackOfThread& stack : walk.threads) {
    stack.first = walk.used;
    stack.frames = 0;
    stack.cut = stack.newcomer;
    if (stack.gone || stack.newcomer) continue;
    const bool late = platforms::monotonic_ns() >= walk.deadline_ns;
    walk.unwalked_threads += late ? 1 : 0;
    stack.cut = late;
    if (late && (walk.pointers.empty() || has_frame(walk, stack.thread))) continue;
    OneStack one{walk, stack, late ? 1 : StackWalk::kMostFrames};
    // A thread without managed frames answers a failure.
    info.DoStackSnapshot(stack.thread, &take_frame, COR_PRF_SNAPSHOT_REGISTER_CONTEXT, &one,
                         nullptr, 0);
    walk.cut_stacks += stack.cut ? 1 : 0;
  }
}

}  // namespace holdfast::clr
