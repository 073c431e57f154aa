// Asks the VM for classes, and works out what follows from their superclasses.
// Shape:  know(): CLASS_LOAD, once a class. settle(): the whole chain of superclasses, with the record of each, once a class.
//         Both may be called inside the event of a heap dump; neither inside that of an object dump, whose handlers must not ask on.
//         Classes of primitive types have no fields, and are not asked for.
// Zone:   capture, GC off.
// Errors: what the VM does not tell stays kRefused in the book, or cut; nullptr: the book has no room.
#pragma once

#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/reading_doubts.h"
#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

class ClassReader {
 public:
  // `scratch` for a record that must be copied to be read.
  ClassReader(VmRequests& vm, ClassBook& book, ReadingDoubts& doubts, Arena& scratch) noexcept
      : vm_(vm), book_(book), doubts_(doubts), scratch_(scratch) {}

  // How records of one object end.
  void set_tail(RecordTail tail) noexcept { tail_ = tail; }
  BookedClass* know(VmId id) noexcept;
  BookedClass* settle(VmId id) noexcept;
  // For a reader of records: nullptr where nobody knows. known_shape() asks nobody.
  const ClassShape* shape_of(VmId id) noexcept;
  const ClassShape* known_shape(VmId id) noexcept;
  void take_record(VmId id, const ClassRecord& record) noexcept;
  bool out_of_room() const noexcept { return out_of_room_; }

 private:
  void ask_record(BookedClass& of) noexcept;
  ReadEnd read_record(BookedClass& of, std::span<std::byte> copy) noexcept;
  void find_superclasses(BookedClass& from) noexcept;

  VmRequests& vm_;
  ClassBook& book_;
  ReadingDoubts& doubts_;
  Arena& scratch_;
  RecordTail tail_ = RecordTail::kWritten;
  bool out_of_room_ = false;
};

}  // namespace holdfast::jvmpi
