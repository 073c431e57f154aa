// From the frozen heap to what a dump wants of it: the trace first, then a graph in memory, a graph in windows, or counts.
// Why two passes: the first finds out what is alive and how much of it there is, so that the second fills exact columns in the
//      order of addresses, which reads memory forward. What is numbered by address needs no renumbering afterwards.
// Shape:  O(objects + references). Scratch: 3.2 % of the heap's range where touched, 8 B a pending object, shapes. A graph: 12 B an
//         object + 6 B a reference + 24 B a root. In windows: analysis/graph_window.h.
// Zone:   child. The heap must be there until the last call but that of the catalog and the roots.
// Errors: kInconsistent: what was read contradicts itself, so the layout cannot be trusted. kOutOfBudget: fill(): the graph does
//         not fit, and everything but that still works.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/snapshot_stream.h"
#include "common/cancel.h"
#include "common/capture_memory.h"
#include "common/snapshot/snapshot_fill.h"
#include "common/vm_adapter.h"
#include "jvmti/hotspot/frozen_catalog.h"
#include "jvmti/hotspot/heap_sweep.h"
#include "jvmti/hotspot/heap_trace.h"
#include "jvmti/hotspot/object_ages.h"
#include "jvmti/hotspot/root_memory.h"
#include "jvmti/method_names.h"
#include "jvmti/tracking/object_book.h"

namespace holdfast::jvmti {

struct FrozenPicture {
  const HeapLayout* layout = nullptr;
  FrozenCatalog catalog;
  Column<RawRoot> roots;
  Column<std::uint64_t> addresses;
  HeapFigures heap_before;
  // The walk over roots was cut: what it did not come to is found in memory.
  const RootLayout* root_layout = nullptr;
  bool cut = false;
  bool stacks_walked = false;
  const AgeLayout* ages = nullptr;     // nullptr: not wanted
  const AgeLayout* places = nullptr;   // the same, for what holds no object; nullptr: not known
  const SweepLayout* sweep = nullptr;  // nullptr: what is not reached is not wanted
};

class PictureReader {
 public:
  PictureReader(FrozenPicture& picture, CaptureMemory& memory) noexcept;

  // Everything else comes after it.
  Result<void> trace(const CancelToken& cancel) noexcept;
  // `methods` numbers the methods that roots name; their names come later.
  Result<void> fill(const MethodNames& methods, Capture& out) noexcept;
  // Classes counted, catalog numbered, no graph.
  Result<void> count(const MethodNames& methods, Capture& out) noexcept;
  std::span<const RootRecord> roots() const noexcept { return records_; }
  const TraceCounts& counts() const noexcept { return trace_counts_; }
  // With a cut: what nothing but words on stacks leads to.
  void tell_doubts(Capture& out) const noexcept;
  // After trace(): what stands in the heap besides, where it is much. Ends at its deadline; without memory or layout it answers nothing.
  void sweep(std::uint64_t until_ns, Capture& out) noexcept;
  // After trace(): which of these, that handles lead to, are in the picture; by number. Numbers begin with the heap's first object.
  Result<std::span<const TrackedObject>> find_tracked(
      std::span<const NumberedObject> objects) noexcept;
  // Of what the picture has; also when the heap is given back, as long as trace()'s memory is there.
  Address address_of(ObjectId object) const noexcept {
    return object_at(marks_.place_of(object.value));
  }
  Address heap_start() const noexcept { return view_.layout().heap_start; }
  // After count(): the graph, window after window.
  Result<void> stream(analysis::SnapshotStream& out) noexcept;

 private:
  bool is_own(const RawRoot& root) const noexcept;
  bool is_late(const RawRoot& root) const noexcept;
  template <class Keep>
  Result<void> sift_roots(HeapTrace& trace, Keep keep) noexcept;
  Result<void> add_roots(HeapTrace& trace) noexcept;
  Result<void> add_late_roots(HeapTrace& trace) noexcept;
  Result<void> add_unwalked_roots(HeapTrace& trace, RootReader& reader) noexcept;
  Result<void> add_unwalked_thread(HeapTrace& trace, RootReader& reader,
                                   const VmThread& thread) noexcept;
  Result<void> add_classes_that_stay(HeapTrace& trace) noexcept;
  Result<void> add_stack_words(HeapTrace& trace, RootReader& reader) noexcept;
  Result<void> add_sure_root(HeapTrace& trace, Address object, const RawRoot& root) noexcept;
  Result<void> number_threads() noexcept;
  ThreadId thread_of(Address object) const noexcept;
  Result<void> push_root(Address object, RootKind kind) noexcept;
  Result<void> check_sums() noexcept;
  Result<void> add_builtin_class_roots() noexcept;
  const ClassShape* class_behind(Address object) noexcept;
  bool is_marked(Address object) const noexcept;
  ObjectId number_of(Address object) const noexcept;
  Result<void> number_catalog(const MethodNames& methods) noexcept;
  bool has_bytecode(std::uint64_t method_handle) noexcept;
  void sift_code_constants() noexcept;
  void resolve_roots(const MethodNames& methods) noexcept;
  void leave_fillers_out(UnreachedObjects& found, std::span<ClassCount> rows) const noexcept;
  Result<void> open_parts(FilledParts& parts, RootReader& reader) noexcept;
  bool open_ages(ObjectAges& ages, Capture& out) noexcept;
  void count_ages(Capture& out) noexcept;
  template <class Add>
  void for_each_reference(Address object, const ClassShape& shape, Add add) noexcept;
  Address object_at(std::uint64_t place) const noexcept {
    return view_.layout().heap_start + place * GrowingMarkTable::kPlaceBytes;
  }

  FrozenPicture& picture_;
  CaptureMemory& memory_;
  HeapView view_;
  ClassShapes shapes_;
  ObjectReferences references_;
  GrowingMarkTable marks_;
  TraceCounts trace_counts_;
  std::uint32_t objects_ = 0;
  struct ThreadPlace {
    Address object;
    ThreadId id;
  };
  std::span<ThreadPlace> thread_places_;  // by address; with a cut
  std::uint32_t stacks_in_memory_ = 0;
  TraceCounts sure_counts_;  // before words on stacks were followed
  bool late_roots_ = false;  // from here on the VM's own roots count as any other
  std::span<const RootRecord> records_;
  ReadablePages pages_;
};

}  // namespace holdfast::jvmti
