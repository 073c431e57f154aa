// What stands in the frozen heap beside what the trace reached, by class: one look at each part that holds something, from its
// start to where it is filled.
// Why checked step by step: what nothing reaches may be anything. Its class may be gone, or a thread is about to write there. An
//      object counts only where its class is one that the trace knows, and where it ends at or before the next reached object. What
//      does not fit is skipped up to that object, and counted as not read.
// Shape:  parts: regions that are filled (G1), four spaces (Serial, Parallel); room in allocation buffers of threads is left out.
//         O(objects of those parts): 18 ns each and 0.2 ms for each MB; 16 B a class and 16 B a thread. One system call for each
//         64 KB asks whether they can be read. It ends at its deadline, and the rest is not read.
// Zone:   read_sweep_layout(): capture. The rest: child.
// Errors: kUnsupported: the VM does not say which parts of its heap are filled. kOutOfBudget.
// Source: HotSpot, gc/shared/{threadLocalAllocBuffer,collectedHeap}.hpp; figures in docs/decisions/102-heap-states.md.
#pragma once

#include <span>

#include "common/arena.h"
#include "common/snapshot/growing_mark_table.h"
#include "common/vm_adapter.h"
#include "jvmti/hotspot/heap_use.h"
#include "jvmti/hotspot/object_ages.h"
#include "jvmti/hotspot/object_references.h"
#include "jvmti/hotspot/root_memory.h"

namespace holdfast::jvmti {

struct SweepLayout {
  HeapUse spaces;
  // Allocation buffers; `buffer` 0: not known.
  std::uint32_t buffer = 0;  // Thread -> its buffer
  std::uint32_t top = 0;     // buffer -> where the next object will be
  std::uint32_t end =
      0;  // the last word of it that says where the buffer ends, but for the reserve
  std::uint64_t reserve_bytes = 0;
};

SweepLayout read_sweep_layout(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept;

// Which parts of the heap are filled. Behind their ends, and in what is left of allocation buffers, stands what a collection has left
// or what the VM fills gaps with: it still looks like objects.
class FilledParts {
 public:
  struct Part {
    Address start = 0;
    Address end = 0;
  };
  FilledParts(const HeapView& view, const AgeLayout* places) noexcept
      : view_(view), regions_(view.layout(), places), regional_(is_regional(places)) {}

  // `layout` may be nullptr: then spaces and buffers are not known. Errors: kOutOfBudget.
  Result<void> open(const SweepLayout* layout, RootReader& threads, Arena& arena) noexcept;
  // Not an object, whatever it looks like.
  bool holds_nothing(Address object) const noexcept;
  const ObjectAges* regions() const noexcept { return regional_ ? &regions_ : nullptr; }
  std::span<const Part> spaces() const noexcept { return std::span(spaces_, space_count_); }
  std::span<const Part> buffers() const noexcept { return buffers_; }  // by address

 private:
  static bool is_regional(const AgeLayout* places) noexcept {
    return places != nullptr && places->why_not[0] == '\0' && places->young == YoungPlace::kRegions;
  }
  void read_spaces(const HeapUse& use) noexcept;
  Result<void> find_buffers(const SweepLayout& layout, RootReader& threads, Arena& arena) noexcept;

  const HeapView& view_;
  ObjectAges regions_;
  bool regional_;
  static constexpr std::size_t kMostSpaces = 4;
  Part spaces_[kMostSpaces];
  std::size_t space_count_ = 0;
  std::span<Part> buffers_;
};

class HeapSweep {
 public:
  HeapSweep(const HeapView& view, ClassShapes& shapes, ObjectReferences& references,
            const GrowingMarkTable& marks, const FilledParts& parts) noexcept
      : view_(view),
        shapes_(shapes),
        references_(references),
        marks_(marks),
        parts_(parts),
        buffers_(parts.buffers()) {}

  // `rows`: one a class of the catalog and one for all others; counts are added.
  Result<void> run(std::uint64_t until_ns, std::span<ClassCount> rows,
                   UnreachedObjects& out) noexcept;

 private:
  Address sweep(Address start, Address end, Address most) noexcept;
  std::uint64_t unreached_bytes(Address at, Address limit) noexcept;
  std::uint64_t bytes_of_reached(Address object) noexcept;
  Address next_buffer(Address at) noexcept;
  Address behind_buffer(Address at, Address end) noexcept;
  Address next_reached(Address at, Address end) const noexcept;
  bool is_there(Address at, Address limit) noexcept;
  bool is_late() noexcept;
  void prefetch_ahead(Address at, Address end) noexcept;

  const HeapView& view_;
  ClassShapes& shapes_;
  ObjectReferences& references_;
  const GrowingMarkTable& marks_;
  const FilledParts& parts_;
  std::span<const FilledParts::Part> buffers_;
  std::size_t next_buffer_ = 0;
  Address reached_ = 0;  // the next reached object, from where the sweep is
  std::span<ClassCount> rows_;
  UnreachedObjects* out_ = nullptr;
  Address checked_from_ = 0;  // this much can be read
  Address checked_until_ = 0;
  static constexpr std::size_t kPassed = 16;
  Address passed_[kPassed] = {};
  std::size_t passed_count_ = 0;
  std::uint64_t until_ns_ = 0;
  std::uint32_t until_look_ = 0;
  bool late_ = false;
};

}  // namespace holdfast::jvmti
