// Counts the objects of a VM of JVMPI by class: the simple dump.
// Shape:  level 0 lists the objects; each is asked for its class and size inside that event, so that not even the ids are kept. Then the
//         classes, and the classes of their loaders.
//         350 B a class, nothing an object. Unreachable objects count, as in every VM's own histogram.
// Zone:   count(): capture, GC off from its begin to its end. tell(): capture.
// Errors: kRefused when the VM lists nothing; kOutOfBudget. What it does not tell of single objects is in doubts().
#pragma once

#include "common/vm_adapter.h"
#include "jvmpi/heap/class_reader.h"

namespace holdfast::jvmpi {

class HeapCount {
 public:
  HeapCount(VmRequests& vm, CaptureMemory& memory) noexcept : vm_(vm), memory_(memory) {}
  HeapCount(const HeapCount&) = delete;
  HeapCount& operator=(const HeapCount&) = delete;

  Result<void> count() noexcept;
  // Fills the histogram and its catalog.
  Result<void> tell(Capture& out) noexcept;

  std::uint64_t gc_off_ns() const noexcept { return gc_off_ns_; }
  const ReadingDoubts& doubts() const noexcept { return doubts_; }

 private:
  Result<void> count_with_gc_off() noexcept;
  void count_listed(const JVMPI_Event& event) noexcept;
  void count_object(VmId id) noexcept;
  Result<void> name_classes() noexcept;
  Result<void> ask_loaders() noexcept;
  ClassId class_of(VmId loader) const noexcept;
  ClassCount* row_for(const JVMPI_Event& event) noexcept;

  VmRequests& vm_;
  CaptureMemory& memory_;
  ReadingDoubts doubts_;
  ClassBook book_;
  ClassReader classes_{vm_, book_, doubts_, memory_.catalog_arena()};
  ClassCount primitive_[kFirstBookedNumber];  // by ValueType
  ClassCount class_objects_;
  ClassCount unknown_;
  struct Loader {
    VmId id = 0;
    ClassId of;  // its class's number
  };
  std::span<Loader> loaders_;
  std::uint64_t gc_off_ns_ = 0;
  bool out_of_room_ = false;
};

}  // namespace holdfast::jvmpi
