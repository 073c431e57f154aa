// One record of a dump becomes one row of the graph.
// Why two steps, write() and reach(): a size may have to be asked for, and inside the event of an object dump nobody may ask.
// Shape:  numbers of objects: place in the list of ids, or behind all of those, place among the dangling ones (builder.h, preassigned). An
//         object whose record has not come is not reached, and left out in the end. The reference of an object to its class is implied.
//         References of a class object: superclass (but java.lang.Object, which says nothing), loader, signers, protection domain, name,
//         interfaces, constants, static fields. Where an instance's values are not as long as its classes say, none of them is believed.
//         O(values); nothing kept but what the builder keeps.
// Zone:   capture, GC off; write() asks the VM nothing.
// Errors: WriteEnd. kNoRoom: the builder's memory or the book's is used up.
#pragma once

#include "common/snapshot/builder.h"
#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/dangling_ids.h"
#include "jvmpi/heap/id_table.h"
#include "jvmpi/heap/object_sizes.h"
#include "jvmpi/heap/reading_doubts.h"

namespace holdfast::jvmpi {

enum class WriteEnd : std::uint8_t {
  kWritten,   // reach() wants to be called
  kWants,     // a class that is not settled (wanted()): settle it, and write again
  kRepeated,  // its record has come before
  kNoRoom,
};

class GraphWriter {
 public:
  GraphWriter(SnapshotBuilder& builder, const IdTable& ids, DanglingIds& dangling, ClassBook& book,
              ReadingDoubts& doubts) noexcept
      : builder_(builder), ids_(ids), dangling_(dangling), book_(book), doubts_(doubts) {}

  WriteEnd write(const HeapRecord& record, RecordTail tail = RecordTail::kWritten) noexcept;
  // An object of which only its class is known: no references.
  WriteEnd write_bare(VmId id, ClassId number) noexcept;
  VmId wanted() const noexcept { return wanted_; }
  // What write() needs to know of the object's size, and then tells the graph.
  const SizeQuestion& size_question() const noexcept { return question_; }
  void reach(std::uint64_t shallow_bytes) noexcept {
    builder_.reach_preassigned(object_, class_, shallow_bytes);
  }
  // Of an object that something refers to; invalid: there is no room.
  ObjectId number_of(VmId id) noexcept;
  // Of an object whose record has come; invalid: it has not.
  ObjectId find_reached(VmId id) const noexcept;
  ClassId class_of(VmId id) const noexcept {
    const ObjectId object = find_reached(id);
    return object.valid() ? builder_.class_of(object) : ClassId{};
  }

 private:
  bool find(VmId id) noexcept;
  WriteEnd write_class(const HeapRecord& record) noexcept;
  WriteEnd write_instance(const HeapRecord& record) noexcept;
  WriteEnd write_object_array(const HeapRecord& record) noexcept;
  void refer(VmId to, RefLabel label) noexcept;
  void refer_to_fields(const BookedClass& of, std::span<const std::byte> told) noexcept;
  std::span<const std::byte> sure(std::span<const std::byte> values, ValueType last) noexcept;
  WriteEnd written() const noexcept {
    return builder_.overflowed() ? WriteEnd::kNoRoom : WriteEnd::kWritten;
  }

  SnapshotBuilder& builder_;
  const IdTable& ids_;
  DanglingIds& dangling_;
  ClassBook& book_;
  ReadingDoubts& doubts_;
  RecordTail tail_ = RecordTail::kWritten;
  VmId wanted_ = 0;
  SizeQuestion question_;
  ObjectId object_;
  ClassId class_;
  bool has_row_ = false;
};

}  // namespace holdfast::jvmpi
