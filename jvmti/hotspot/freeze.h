// One freeze: everything that the child shall know is laid out, then the VM stops, roots are taken down and the child is made.
// Why apart from what the child does: a dump and the self-check freeze alike and read differently.
// Shape:  Freeze holds the catalog, its local references and the picture; it must outlive the call, not the child.
// Zone:   capture; a Body runs in the child.
// Errors: kRefused (detail: errno) when the system gives no child, kUnsupported when the VM's callback is not what we know,
//         kOutOfBudget, the VM's.
#pragma once

#include <optional>

#include "common/vm_adapter.h"
#include "jvmti/class_catalog.h"
#include "jvmti/dump_environment.h"
#include "jvmti/heap_walk.h"
#include "jvmti/hotspot/frozen_picture.h"
#include "jvmti/hotspot/frozen_roots_stopped.h"
#include "jvmti/tracking/object_tracker.h"

namespace holdfast::jvmti {

class SelfCheck;

struct FreezeTools {
  const HeapLayout& layout;
  std::span<const std::uint64_t> kept_roots;  // in place of those that are skipped
  CaptureMemory& memory;
  const FrozenWork& work;
  PictureUse use;
  bool skip_vm_roots;                // the VM is not asked for its own
  bool code_among_vm_roots = false;  // frozen_catalog.h
  const AgeLayout* ages = nullptr;   // nullptr: not wanted
  ObjectTracker* tracker = nullptr;  // likewise
  // Where roots stand in memory, as far as it is proved. Complete: the walk over roots may be cut after roots_limit_ns.
  RootLayout roots = {};
  std::uint64_t roots_limit_ns = UINT64_MAX;
  const AgeLayout* places = nullptr;     // where a guess cannot lead; nullptr: not known
  const SweepLayout* sweep = nullptr;    // nullptr: what is not reached is not wanted
  const SelfCheck* unchecked = nullptr;  // made in the dump's child: no self-check has passed yet
};

class Freeze {
 public:
  // What the child does with the picture; answers its exit status.
  using Body = int (*)(Freeze& freeze) noexcept;

  Freeze(const CaptureThread& thread, const FreezeTools& tools) noexcept
      : thread_(thread), tools_(tools) {}

  // Names, handles, layouts; the application runs.
  Result<void> prepare(Notes& notes) noexcept;
  // Stops the VM. `context` is the body's own.
  Result<void> make_child(Body body, void* context, FrozenChild& out) noexcept;
  // The application runs again: names of methods and the pause go to the child.
  void tell_child(FrozenChild& out) noexcept;

  // -- in the child --
  FrozenPicture& picture() noexcept { return picture_; }
  const FreezeTools& tools() const noexcept { return tools_; }
  void* context() noexcept { return context_; }
  HeapCatalog& heap() noexcept { return heap_; }
  // After make_child(): all roots were told.
  bool walked_all() const noexcept { return !picture_.cut; }
  // Waits for what tell_child() tells, bounded. kDeadline when the parent never does.
  Result<void> hear_parent(Capture& capture) noexcept;

 private:
  static int run_child(void* freeze) noexcept;
  Result<void> commit_root_columns() noexcept;
  Result<void> find_capture_thread() noexcept;
  std::uint32_t pack_method_names() noexcept;
  void unpack_method_names(Catalog& catalog) noexcept;

  CaptureThread thread_;
  FreezeTools tools_;
  DumpEnvironment dump_;
  std::optional<CatalogHandles> handles_;
  HeapCatalog heap_;
  FrozenPicture picture_;
  FreeRegions free_regions_;
  bool leaves_regions_out_ = false;
  FreezeState* state_ = nullptr;  // while the VM is stopped, and in the child
  std::uint64_t prepare_ns_ = 0;
  Body body_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace holdfast::jvmti
