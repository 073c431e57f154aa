// Records of a JVMPI dump, one after the other: pure bytes in, views of them out.
// Why views: a dump of level 2 is as large as the heap; who reads a record decides what of it is worth a copy.
// Shape:  level 0           u1 type, id                                               for_each_listed(): no roots
//         level 1           records; values of primitive types are left out           roots first
//         level 2           the same with all values; one record alone from a request for one object
//         A class's record does not tell its own length: it takes the number of interfaces and the types of static fields, which the VM tells
//         in another event. So next() asks for them: shape_of(class) answers a const ClassShape*, or nullptr where nobody knows, and may ask
//         the VM on its way.
//         Values of an instance: those of its class's own fields, then its superclass's and so on: references_in(), class by class.
//         O(bytes), nothing kept but 40 B of the reader.
// Zone:   any, stopped included (inline).
// Errors: ReadEnd says why there is no further record; offset() where that is. What has been read until then holds.
// Source: JVMPI, dump formats of levels 0 to 2.
#pragma once

#include "jvmpi/records/byte_cursor.h"
#include "jvmpi/records/value_type.h"

namespace holdfast::jvmpi {

enum class RecordTag : std::uint8_t {
  kJniGlobal = 0x01,
  kJniLocal = 0x02,
  kJavaFrame = 0x03,
  kNativeStack = 0x04,
  kStickyClass = 0x05,
  kThreadBlock = 0x06,
  kMonitorUsed = 0x07,
  kClass = 0x20,
  kInstance = 0x21,
  kObjectArray = 0x22,
  kPrimitiveArray = 0x23,
  kUnknownRoot = 0xff,
};

// Does the VM write the whole record, or all of it but the last value? Then a number of values or constants with nothing behind it is none.
enum class RecordTail : std::uint8_t { kWritten, kUnwritten };

// Which values a dump has: level 1 or level 2.
enum class DumpValues : std::uint8_t { kReferences, kAll };

// What the VM tells of a class when it is loaded, as far as records need it.
struct ClassShape {
  std::uint32_t interfaces = 0;
  std::span<const ValueType> statics;    // in the order of their values
  std::span<const ValueType> instances;  // the class's own
};

struct ClassRecord {
  VmId super = 0;
  VmId loader = 0;
  VmId signers = 0;
  VmId protection_domain = 0;
  VmId name = 0;
  std::uint32_t instance_bytes = 0;
  std::span<const std::byte> interfaces;  // ids
  std::span<const std::byte> constants;   // for_each_constant()
  std::uint16_t constant_count = 0;
  std::span<const std::byte> statics;  // values
  bool has_links = false;              // all up to instance_bytes was there, whatever follows
};

struct HeapRecord {
  static constexpr std::uint32_t kNoDepth = 0xffffffffu;

  RecordTag tag = RecordTag::kUnknownRoot;
  VmId object = 0;                 // a root's, or the one that the record is of
  VmId class_id = 0;               // an instance's class; an object array's, of its elements
  VmId thread = 0;                 // of a root: the environment of its thread
  std::uint32_t depth = kNoDepth;  // of a root: its frame
  std::uint32_t length = 0;        // of an array; of an instance, the bytes of its values
  ValueType element = ValueType::kUnknown;
  std::span<const std::byte> values;  // an instance's fields, an array's elements
  ClassRecord of_class;

  bool is_root() const noexcept {
    return tag < RecordTag::kClass || tag > RecordTag::kPrimitiveArray;
  }
};

enum class ReadEnd : std::uint8_t {
  kNone,          // there may be more
  kEnd,           // that was all
  kCut,           // the last record is longer than what is left
  kUnknownTag,    // nobody knows how long such a record is
  kUnknownType,   // nor a value of that type
  kUnknownClass,  // a class's record, and nobody knows its shape
};

class RecordReader {
 public:
  RecordReader(std::span<const std::byte> dump, std::size_t id_bytes, DumpValues values,
               RecordTail tail = RecordTail::kWritten) noexcept
      : rest_(dump, id_bytes), bytes_(dump.size()), values_(values), tail_(tail) {}

  template <class ShapeOf>
  bool next(ShapeOf shape_of, HeapRecord& out) noexcept {
    if (end_ != ReadEnd::kNone) return false;
    record_ = offset();
    if (rest_.at_end()) return stop(ReadEnd::kEnd);
    const auto tag = static_cast<RecordTag>(rest_.u1());
    out = HeapRecord{};
    out.tag = tag;
    out.object = rest_.id();
    if (tag == RecordTag::kClass) {
      const ClassShape* const shape = rest_.ok() ? shape_of(out.object) : nullptr;
      if (rest_.ok() && shape == nullptr) return stop(ReadEnd::kUnknownClass);
      if (shape != nullptr) read_class(*shape, out.of_class);
    } else {
      read_body(out);
    }
    if (end_ == ReadEnd::kNone && !rest_.ok()) end_ = ReadEnd::kCut;
    return end_ == ReadEnd::kNone;
  }
  // kNone as long as next() was true.
  ReadEnd end() const noexcept { return end_; }
  // Where the record begins that next() was last asked for.
  std::size_t record_offset() const noexcept { return record_; }
  std::size_t offset() const noexcept { return bytes_ - rest_.left(); }

 private:
  bool stop(ReadEnd why) noexcept {
    end_ = why;
    return false;
  }
  void read_body(HeapRecord& out) noexcept {
    switch (out.tag) {
      case RecordTag::kUnknownRoot:
      case RecordTag::kStickyClass:
      case RecordTag::kMonitorUsed:
        return;
      case RecordTag::kJniGlobal:
        rest_.id();
        return;
      case RecordTag::kJniLocal:
      case RecordTag::kJavaFrame:
        out.thread = rest_.id();
        out.depth = rest_.u4();
        return;
      case RecordTag::kNativeStack:
      case RecordTag::kThreadBlock:
        out.thread = rest_.id();
        return;
      case RecordTag::kInstance:
        out.class_id = rest_.id();
        out.length = rest_.u4();
        if (is_unwritten_end()) out.length = 0;
        out.values = rest_.take(out.length);
        return;
      case RecordTag::kObjectArray:
        out.length = rest_.u4();
        out.class_id = rest_.id();
        out.element = ValueType::kReference;
        out.values = rest_.take_ids(out.length);
        return;
      case RecordTag::kPrimitiveArray:
        return read_primitive_array(out);
      default:
        stop(ReadEnd::kUnknownTag);
    }
  }
  void read_primitive_array(HeapRecord& out) noexcept {
    out.length = rest_.u4();
    out.element = value_type_of(rest_.u1());
    if (!rest_.ok()) return;
    if (out.element == ValueType::kUnknown || out.element == ValueType::kReference) {
      stop(ReadEnd::kUnknownType);
      return;
    }
    if (values_ == DumpValues::kAll)
      out.values = rest_.take(std::uint64_t{out.length} * value_bytes(out.element, 0));
  }
  void read_class(const ClassShape& shape, ClassRecord& out) noexcept {
    out.super = rest_.id();
    out.loader = rest_.id();
    out.signers = rest_.id();
    out.protection_domain = rest_.id();
    out.name = rest_.id();
    rest_.id();  // reserved
    out.instance_bytes = rest_.u4();
    out.has_links = rest_.ok();
    out.interfaces = rest_.take_ids(shape.interfaces);
    read_constants(out);
    out.statics = rest_.take(bytes_of(shape.statics));
  }
  void read_constants(ClassRecord& out) noexcept {
    out.constant_count = rest_.u2();
    if (is_unwritten_end()) out.constant_count = 0;
    ByteCursor const begin = rest_;
    for (std::uint32_t i = 0; i < out.constant_count && rest_.ok(); ++i) {
      rest_.u2();
      const ValueType type = value_type_of(rest_.u1());
      if (rest_.ok() && type == ValueType::kUnknown) {
        stop(ReadEnd::kUnknownType);
        return;
      }
      rest_.take(width(type));
    }
    ByteCursor all = begin;
    out.constants = all.take(begin.left() - rest_.left());
  }
  bool is_unwritten_end() const noexcept {
    return tail_ == RecordTail::kUnwritten && rest_.at_end();
  }
  std::size_t width(ValueType type) const noexcept {
    const bool told = values_ == DumpValues::kAll || type == ValueType::kReference;
    return told ? value_bytes(type, rest_.id_bytes()) : 0;
  }
  std::uint64_t bytes_of(std::span<const ValueType> types) const noexcept {
    std::uint64_t bytes = 0;
    for (const ValueType type : types) bytes += width(type);
    return bytes;
  }

  ByteCursor rest_;
  std::size_t bytes_;
  std::size_t record_ = 0;
  DumpValues values_;
  RecordTail tail_;
  ReadEnd end_ = ReadEnd::kNone;
};

// visit(ordinal, id) for each value of a reference among these types, null ones included; false: the values end before the types do.
template <class Visit>
bool references_in(ByteCursor& values, std::span<const ValueType> types, DumpValues level,
                   Visit visit) noexcept {
  for (std::size_t i = 0; i < types.size() && values.ok(); ++i) {
    if (types[i] == ValueType::kReference) {
      const VmId id = values.id();
      if (values.ok()) visit(static_cast<std::uint32_t>(i), id);
    } else if (level == DumpValues::kAll) {
      values.take(value_bytes(types[i], values.id_bytes()));
    }
  }
  return values.ok();
}

// visit(id) for each id of an array's elements or a class's interfaces, null ones included.
template <class Visit>
void for_each_id(std::span<const std::byte> ids, std::size_t id_bytes, Visit visit) noexcept {
  ByteCursor cursor(ids, id_bytes);
  for (std::size_t i = 0; i < ids.size() / id_bytes; ++i) visit(cursor.id());
}

// visit(index, id) for each constant that is a reference.
template <class Visit>
void for_each_constant(const ClassRecord& record, std::size_t id_bytes, DumpValues level,
                       Visit visit) noexcept {
  ByteCursor cursor(record.constants, id_bytes);
  while (!cursor.at_end()) {
    const std::uint16_t index = cursor.u2();
    const ValueType type = value_type_of(cursor.u1());
    if (type == ValueType::kReference)
      visit(index, cursor.id());
    else if (level == DumpValues::kAll)
      cursor.take(value_bytes(type, id_bytes));
  }
}

// visit(type, id) for each object of a dump of level 0; false: its end is cut.
template <class Visit>
bool for_each_listed(std::span<const std::byte> dump, std::size_t id_bytes, Visit visit) noexcept {
  ByteCursor cursor(dump, id_bytes);
  while (!cursor.at_end()) {
    const std::uint8_t type = cursor.u1();
    const VmId id = cursor.id();
    if (!cursor.ok()) return false;
    visit(type, id);
  }
  return true;
}

}  // namespace holdfast::jvmpi
