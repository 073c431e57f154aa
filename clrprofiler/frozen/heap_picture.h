// The whole heap of a child's picture: where it lies, what holds it, what is alive and how much of it there is.
// Shape:  open(), trace(), number(), then whatever reads objects (picture_graph.h), then release(). Scratch of the arena: marks, 16 B a handle
//         segment, 45 B a class, 16 B a dependent handle, 8 B a pending object, a bit for 8 bytes of the segments that doubtful words
//         lead to. Roots: 24 B each, in the caller's column: handles that hold, objects that wait for their finalizer, thread statics, static
//         variables, words on stacks.
// Zone:   child.
// Errors: kInconsistent: what is read contradicts itself; kOutOfBudget: memory= is too small for the trace or the roots.
#pragma once

#include "clrprofiler/coreclr/heap_trace.h"
#include "clrprofiler/coreclr/stack_words.h"
#include "clrprofiler/frozen/picture_source.h"
#include "clrprofiler/frozen/picture_statics.h"
#include "common/column.h"

namespace holdfast::clr {

enum class PictureRootKind : std::uint32_t {
  kHandle,          // id: 0
  kPinnedHandle,    // id: 0
  kFinalizer,       // id: 0
  kStaticVariable,  // id: the number of the field among statics(), or kUnknownStatic
  kStackWord,       // id: the stack's number << 32 | its frame's
  kThreadStatics,   // id: the stack's number, or ~0
  kThreadStatic,    // one value of those; id: the stack's number << 32 | its field among
                    // statics().of_threads(), or either kUnknownHalf
};
inline constexpr std::uint32_t kUnknownHalf = ~std::uint32_t{0};
inline constexpr std::uint64_t kUnknownStatic = ~std::uint64_t{0};

struct PictureRoot {
  Address object = 0;
  std::uint64_t id = 0;
  PictureRootKind kind = PictureRootKind::kHandle;
};

class HeapPicture {
 public:
  HeapPicture(const PictureSource& source, Arena& arena) noexcept
      : source_(source), layout_(source.format().layout), arena_(arena) {}

  Result<void> open(std::uint32_t most_classes) noexcept;
  // `roots`: gets them; nullptr: nobody wants them.
  Result<void> trace(Column<PictureRoot>* roots, const CancelToken& cancel) noexcept;
  // Objects get numbers by their addresses; answers how many there are.
  Result<std::uint32_t> number() noexcept { return heap_.number(); }
  // Nothing of the heap can be read any more.
  void release() noexcept;

  // Every segment's objects end where it does.
  Result<void> check_runs() noexcept;
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

  MarkedHeap& heap() noexcept { return heap_; }
  KnownClasses& classes() noexcept { return *classes_; }
  // By key; after the trace those whose key and value live.
  std::span<const DependentPair> dependents() const noexcept { return dependents_; }
  std::uint64_t used_bytes() const noexcept;
  const TraceCounts& counts() const noexcept { return trace_->counts(); }
  // Known after a trace with roots.
  const PictureStatics& statics() const noexcept { return statics_; }

 private:
  Result<void> read_dependents() noexcept;
  Result<void> add_exact_roots() noexcept;
  Result<void> add_handle(const Handle& handle) noexcept;
  Result<void> add_frozen() noexcept;
  Result<void> add_statics() noexcept;
  Result<void> add_statics_of(Address table) noexcept;
  Result<void> add_thread_statics() noexcept;
  Result<void> add_stack_words() noexcept;
  void drop_dead_dependents() noexcept;
  Result<void> add(const PictureRoot& root) noexcept;
  Result<void> keep(const PictureRoot& root) noexcept;
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
  Column<PictureRoot>* roots_ = nullptr;
};

}  // namespace holdfast::clr
