// The whole heap of a child's picture: where it lies, what holds it, what is alive, written down like a walk of the runtime's.
// Why written down and not made a graph at once: the names of classes come from the runtime, and until they do the heap's memory shall be
//      given back.
// Shape:  open(), trace(), then record() or count(), then release(). Scratch of the arena: marks, 16 B a handle segment, 41 B a class,
//         16 B a dependent handle, 8 B a pending object, a bit for 8 bytes of the segments that doubtful words lead to.
//         Roots of the recording: handles that hold, objects that wait for their finalizer, thread statics; by a kind of their own
//         (PictureRoot) thread statics, static variables and words on stacks.
// Zone:   child.
// Errors: kInconsistent: what is read contradicts itself; kOutOfBudget: memory= is too small for the trace. Of the recording: its trouble.
#pragma once

#include "clrprofiler/coreclr/heap_trace.h"
#include "clrprofiler/coreclr/stack_words.h"
#include "clrprofiler/frozen/picture_source.h"
#include "clrprofiler/frozen/picture_statics.h"
#include "clrprofiler/heap/heap_recorder_stopped.h"

namespace holdfast::clr {

// Beside EventRootKind.
enum class PictureRoot : std::uint32_t {
  kStaticVariable = 0x100,  // id: the number of the field among statics(), or kUnknownStatic
  kStackWord,               // id: the stack's number << 32 | its frame's
  kThreadStatics,           // id: the stack's number, or ~0
};
inline constexpr std::uint64_t kUnknownStatic = ~std::uint64_t{0};

class HeapPicture {
 public:
  HeapPicture(const PictureSource& source, Arena& arena) noexcept
      : source_(source), layout_(source.format().layout), arena_(arena) {}

  Result<void> open(std::uint32_t most_classes) noexcept;
  // `recorder`: gets the roots, between its start and its end; nullptr: nobody wants them.
  Result<void> trace(HeapRecorder* recorder, const CancelToken& cancel) noexcept;
  void record(HeapRecorder& recorder) noexcept;
  void count(ClassTable& table) noexcept;
  // Nothing of the heap can be read any more.
  void release() noexcept;

  // Every segment's objects end where it does.
  Result<void> check_runs() noexcept;
  const KnownClasses& classes() const noexcept { return *classes_; }
  std::span<const HeapSegment> segments() const noexcept { return heap_.segments(); }
  Address type_of(Address object) const noexcept { return class_of(layout_, object); }
  std::uint64_t bytes_of(Address object) const noexcept {
    return clr::bytes_of(layout_, object, type_of(object));
  }
  // visit(target), the one to the load context first.
  template <class Visit>
  void for_each_reference(Address object, Visit visit) noexcept {
    const Address type = type_of(object);
    if (const Address context = classes_->context_of(classes_->find(type)); context != 0)
      visit(context);
    for_each_slot(object, type, bytes_of(object), [&](Address slot) {
      if (const auto target = load<Address>(slot); target != 0) visit(target);
    });
  }

  std::uint64_t used_bytes() const noexcept;
  const TraceCounts& counts() const noexcept { return trace_->counts(); }
  // Known after a trace with a recorder.
  const PictureStatics& statics() const noexcept { return statics_; }

 private:
  struct Root {
    Address object;
    std::uint64_t id;
    std::uint32_t kind;
    std::uint32_t flags = 0;
  };

  Result<void> read_dependents() noexcept;
  Result<void> add_exact_roots() noexcept;
  Result<void> add_handle(const Handle& handle) noexcept;
  Result<void> add_frozen() noexcept;
  void add_statics() noexcept;
  void add_statics_of(Address table) noexcept;
  Result<void> add_stack_words() noexcept;
  Result<void> add(const Root& root) noexcept;
  void record_object(HeapRecorder& recorder, Address object) noexcept;
  std::uint64_t number_of_stack(Address thread) const noexcept;

  const PictureSource& source_;
  const RuntimeLayout& layout_;
  Arena& arena_;
  std::optional<LoadContexts> contexts_;
  std::optional<KnownClasses> classes_;
  std::optional<ObjectStarts> starts_;
  std::optional<HeapTrace> trace_;
  MarkedHeap heap_;
  std::span<const AddressRange> gaps_;
  std::span<const Address> handle_segments_;
  std::span<DependentPair> dependents_;
  PictureStatics statics_;
  HeapRecorder* recorder_ = nullptr;
};

}  // namespace holdfast::clr
