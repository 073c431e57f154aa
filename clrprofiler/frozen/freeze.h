// One freeze: what a child has to know is taken down, then the runtime is suspended, stacks are walked and the child is made.
// Why apart from what the child does: a dump and the self-check freeze alike and read differently.
// Shape:  must outlive the calls, not the child.
// Zone:   capture; `body` runs in the child.
// Errors: kRefused (detail: errno) when the system gives no child; those of Suspension; kOutOfBudget, the runtime's.
#pragma once

#include "clrprofiler/ages/age_recorder.h"
#include "clrprofiler/frozen/picture_source.h"
#include "common/notes.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

struct FreezeTools {
  ProfilerInfo& info;
  const HeapFormat& format;
  CaptureMemory& memory;
  const FrozenWork& work;
  PictureUse use;
  HeapFigures heap_before = {};  // as far as the parent knows
  AgeRecorder* ages = nullptr;   // nullptr: nobody wants ages
  Notes* notes = nullptr;        // the child's are a copy
  std::uint64_t most_stack_ns = UINT64_MAX;
};

class Freeze {
 public:
  // What the child does; answers its exit status.
  using Body = int (*)(Freeze& freeze) noexcept;
  // What is done while the application stands still, before the child is made.
  using Stopped = void (*)(void* context) noexcept;

  explicit Freeze(const FreezeTools& tools) noexcept : tools_(tools) {}

  // The application runs.
  Result<void> prepare() noexcept;
  // Suspends the runtime. `context` is that of both.
  Result<void> make_child(Body body, Stopped stopped, void* context, FrozenChild& out) noexcept;

  // -- in the child --
  const FreezeTools& tools() const noexcept { return tools_; }
  const PictureSource& source() const noexcept { return source_; }
  void* context() noexcept { return context_; }
  std::uint64_t prepare_ns() const noexcept { return prepare_ns_; }

 private:
  static int run_child(void* freeze) noexcept;

  const FreezeTools& tools_;
  PictureSource source_;
  std::uint64_t prepare_ns_ = 0;
  Body body_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace holdfast::clr
