// The stack of the thread that allocates, in the runtime's event of it.
// Why a walk: the events of a session inside the process come without their stacks (numStackFrames is 0 on .NET 8, 9 and 10), unlike those
//      that are written to a file.
// Shape:  managed frames alone, the top first, at most AllocationSample::kMaxFrames. 0.7 us, and 0.1 us a frame.
// Zone:   event, on the allocating thread: the one thread whose stack the runtime walks without a standstill. Needs
//         COR_PRF_ENABLE_STACK_SNAPSHOT.
// Errors: no frames: the runtime refused it, or there are none.
// Source: ICorProfilerInfo2::DoStackSnapshot of thread 0.
#pragma once

#include "clrprofiler/accounts/sample_ring.h"

namespace holdfast::clr {

inline HRESULT HF_COM take_allocating_frame(FunctionID function, UINT_PTR, COR_PRF_FRAME_INFO,
                                            ULONG32, BYTE*, void* context) noexcept {
  auto& sample = *static_cast<AllocationSample*>(context);
  if (function == 0) return S_OK;  // a stretch of native code
  if (sample.frame_count == AllocationSample::kMaxFrames) {
    sample.stack_cut = true;
    return S_FALSE;  // enough
  }
  sample.frames[sample.frame_count++] = function;
  return S_OK;
}

inline void take_allocating_stack(ICorProfilerInfo& info, AllocationSample& sample) noexcept {
  constexpr ThreadID kCallingThread = 0;
  sample.frame_count = 0;
  sample.stack_cut = false;
  info.DoStackSnapshot(kCallingThread, &take_allocating_frame, COR_PRF_SNAPSHOT_DEFAULT, &sample,
                       nullptr, 0);
}

}  // namespace holdfast::clr
