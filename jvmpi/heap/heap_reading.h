// Reads the heap of a VM of JVMPI into a graph, from the VM's first word to the sealed snapshot.
// Why two ways: a dump of all values in one buffer takes as much of the VM's memory as its heap; one object after the other takes none, and a
//      request for each. Both make the same graph of the same heap.
// Shape:  read():  one buffer: level 2. Three passes over it inside its event: classes and the number of objects; ids; rows.
//                  each object: level 0 for the ids; level 1 for the roots, which come first in it (the rest is not looked at); then a
//                  request for each id.
//         Either way ids that are in no list are followed until none is left, and then come threads, methods and classes of arrays.
//         seal() makes catalog and graph, application running.
//         Scratch: 12 B an object with 64 bits, 8 with 32, and 350 B a class with its texts; builder.h for the rest.
// Zone:   read(): capture, GC off from its begin to its end. seal(): capture.
// Errors: read(): kRefused when the VM tells nothing or something senseless (detail: a ReadEnd, or a heap dump's Asked), or when tail() turns
//         out to be another than the plan says; kOutOfBudget, kDeadline. What was odd, and read all the same, is in doubts().
#pragma once

#include <utility>

#include "common/vm_adapter.h"
#include "jvmpi/heap/class_reader.h"
#include "jvmpi/heap/graph_writer.h"
#include "jvmpi/heap/tail_probe.h"
#include "jvmpi/heap/told_roots.h"

namespace holdfast::jvmpi {

struct ReadingPlan {
  bool one_buffer = false;
  bool ask_roots = true;                   // of each object: level 1 takes memory of the VM's, too
  RecordTail tail = RecordTail::kWritten;  // how the VM ends what it shows of one object
  std::uint64_t deadline_ns = UINT64_MAX;  // monotonic; for the way that takes a request an object
};

class HeapReading {
 public:
  HeapReading(VmRequests& vm, CaptureMemory& memory) noexcept : vm_(vm), memory_(memory) {}
  HeapReading(const HeapReading&) = delete;
  HeapReading& operator=(const HeapReading&) = delete;

  Result<void> read(const ReadingPlan& plan) noexcept;
  Result<void> seal(Snapshot& out) noexcept;

  std::uint64_t gc_off_ns() const noexcept { return gc_off_ns_; }
  const SnapshotBuilder& builder() const noexcept { return builder_; }
  const ReadingDoubts& doubts() const noexcept { return doubts_; }
  bool roots_told() const noexcept { return roots_told_; }
  bool roots_guessed() const noexcept {
    return !roots_told_ || (!one_buffer_ && doubts_.tails_unwritten != 0);
  }
  // As the plan had it, or as it was found out, where reading ended: a reading that knows it reads what there is.
  RecordTail tail() const noexcept { return tail_; }

 private:
  Result<void> read_with_gc_off(const ReadingPlan& plan) noexcept;
  Result<void> open() noexcept;
  Result<void> begin_graph() noexcept;
  void set_tail(RecordTail tail) noexcept;
  // -- one buffer (one_buffer.cpp) --
  Result<void> read_one_buffer() noexcept;
  Result<void> read_buffer(const JVMPI_Event& event) noexcept;
  template <class Visit>
  Result<void> for_each_record(std::span<const std::byte> dump, Visit visit) noexcept;
  // -- each object (each_object.cpp) --
  Result<void> read_each_object(const ReadingPlan& plan) noexcept;
  Result<void> read_list() noexcept;
  Result<void> read_roots() noexcept;
  Result<void> name_classes() noexcept;
  Result<void> follow_dangling(std::uint64_t deadline_ns) noexcept;
  // -- one object (one_object.cpp) --
  struct Shown;
  struct Said;
  enum class Glance : std::uint8_t { kDone, kAgain, kRefused, kUnreadable };
  Result<void> read_object(VmId id) noexcept;
  Result<Glance> glance_at(VmId id, std::size_t& most_bytes) noexcept;
  Result<Glance> know_class(VmId id) noexcept;
  bool has_doubtful_end(const Shown& shown) const noexcept;
  bool type_is_rubbish(const Shown& shown, const Said& said) noexcept;
  bool has_rubbish_count(const Shown& shown) noexcept;
  Error found_unwritten() noexcept;
  std::size_t distrusted_bytes(VmId id) noexcept;
  Said what_is(VmId id) noexcept;
  Result<ClassId> class_said(const Said& said) noexcept;
  ClassId primitive_array_class(ValueType element) noexcept;
  Result<ClassId> empty_array_class(const Shown& shown, const Said& said) noexcept;
  Result<void> read_empty_array(const Shown& shown) noexcept;
  Result<void> read_bare(VmId id) noexcept;
  Result<void> write_bare(VmId id, ClassId number, std::uint64_t bytes) noexcept;
  // -- both --
  Result<void> take_root(const HeapRecord& record,
                         std::span<const JVMPI_CallTrace> traces) noexcept;
  Error out_of_room() const noexcept;
  Result<void> end_of_write(WriteEnd end) noexcept;
  void reach() noexcept;
  Result<void> finish() noexcept;
  Result<void> guess_roots() noexcept;
  Result<void> add_builtin_class_roots(const Catalog& catalog) noexcept;

  VmRequests& vm_;
  CaptureMemory& memory_;
  ReadingDoubts doubts_;
  SnapshotBuilder builder_;
  ClassBook book_;
  IdTable ids_;
  DanglingIds dangling_;
  ToldRoots roots_;
  ClassReader classes_{vm_, book_, doubts_, memory_.catalog_arena()};  // empty until seal()
  ObjectSizes sizes_{vm_, doubts_};
  GraphWriter writer_{builder_, ids_, dangling_, book_, doubts_};
  std::uint32_t classes_named_ = 0;  // of the book, that have an object
  std::uint64_t objects_shown_ = 0;
  std::uint32_t primitive_arrays_ = 0;  // bit t: of ValueType t
  std::uint64_t gc_off_ns_ = 0;
  bool one_buffer_ = false;
  TailProbe probe_;
  std::uint32_t types_looked_at_ = 0;  // of empty arrays
  std::uint32_t types_denied_ = 0;
  RecordTail tail_ = RecordTail::kWritten;
  bool roots_told_ = false;
};

}  // namespace holdfast::jvmpi
