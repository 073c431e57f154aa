// The frozen rung on CoreCLR: from a request to a child that reads the heap beside the application.
// Why: the application stops for its stacks and one clone, milliseconds, and no collection is made.
// Shape:  once: read_format(), then prove(): a child compares it with the API (self_check.h). freeze() for each dump: threads and static fields
//         listed, unloads closed, suspension, clone; then the child is told the names of what it has found, and unloads are open again.
// Zone:   capture, on a thread that the runtime does not know.
// Errors: refusal() says why the rung is off. A picture that contradicts itself is forgiven once, until one is sound again (forbid()).
#pragma once

#include "clrprofiler/coreclr/background_collection.h"
#include "clrprofiler/frozen/picture_source.h"
#include "clrprofiler/simple_dump.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

class FrozenHeap {
 public:
  // False: the rung is off.
  bool read_format(ProfilerInfo& info) noexcept;
  void prove(ProfilerInfo& info, CaptureMemory& memory, const FrozenWork& work) noexcept;
  // Empty when a picture can be taken.
  const char* refusal() const noexcept { return refusal_.text; }
  void forbid(const char* why) noexcept;
  // As far as the format is proved.
  BackgroundCollection background() const noexcept {
    return BackgroundCollection(open_ ? format_.layout.gc.background_state : 0);
  }
  // `out`: the heap's figures are there already.
  Result<void> freeze(const CountTools& tools, const CapturePlan& plan, CaptureMemory& memory,
                      const FrozenWork& work, FrozenChild& out, Notes& notes) noexcept;

 private:
  static constexpr std::uint32_t kMostFailures = 2;  // one after the other

  HeapFormat format_;
  RuntimeRefusal refusal_{"the agent is not ready yet"};
  bool open_ = false;
  std::uint32_t failures_ = 0;
};

}  // namespace holdfast::clr
