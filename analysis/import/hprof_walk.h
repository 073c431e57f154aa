// Steps through an HPROF file record by record and through its heap dumps sub-record by sub-record.
// Why a template: ten million sub-records are visited two times; the visitor's methods must inline.
// Shape:  O(bytes of headers): bodies are only handed over, never copied. Nothing is trusted: a record that says more than the
//         file has is cut there, a sub-record that says more than its segment has ends that segment, both told to the visitor.
// Zone:   offline.   Errors: none thrown; the visitor hears of them and decides.
#pragma once

#include <algorithm>

#include "analysis/import/hprof_format.h"

namespace holdfast::analysis {

// A heap dump record's body.
struct HeapSegment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The parts of a class-dump sub-record; offsets are absolute.
struct ClassDump {
  std::uint64_t id = 0, super_id = 0, loader_id = 0, signers_id = 0, domain_id = 0;
  std::uint32_t instance_bytes = 0;
  std::uint32_t constant_count = 0, static_count = 0, field_count = 0;
  std::uint64_t constants = 0, statics = 0, fields = 0;
};

// A stretch of the file with a position that never passes its end.
class HprofCursor {
 public:
  HprofCursor(std::span<const std::byte> file, std::uint64_t at, std::uint64_t end,
              unsigned id_bytes) noexcept
      : base_(file.data()), at_(at), end_(end), id_bytes_(id_bytes) {}
  bool has(std::uint64_t bytes) const noexcept { return bytes <= end_ - at_; }
  std::uint64_t at() const noexcept { return at_; }
  const std::byte* here() const noexcept { return base_ + at_; }
  void skip(std::uint64_t bytes) noexcept { at_ += bytes; }
  std::uint8_t u1() noexcept { return std::to_integer<std::uint8_t>(base_[at_++]); }
  std::uint16_t u2() noexcept { return take<std::uint16_t>(); }
  std::uint32_t u4() noexcept { return take<std::uint32_t>(); }
  std::uint64_t id() noexcept {
    const std::uint64_t value = load_id(here(), id_bytes_);
    at_ += id_bytes_;
    return value;
  }
  unsigned id_bytes() const noexcept { return id_bytes_; }

 private:
  template <class T>
  T take() noexcept {
    const T value = load_big_endian<T>(here());
    at_ += sizeof(T);
    return value;
  }
  const std::byte* base_;
  std::uint64_t at_, end_;
  unsigned id_bytes_;
};

// Reads a class dump behind its tag; false when it does not fit or names a type that does not exist.
bool read_class_dump(HprofCursor& cursor, ClassDump& out) noexcept;

// visit(name_id, type, value) for each static field, or constant (name_id is then its index in the constant pool).
template <class Visit>
void visit_values(std::span<const std::byte> file, std::uint64_t at, std::uint32_t count,
                  unsigned name_bytes, unsigned id_bytes, Visit visit) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t name =
        name_bytes == 2 ? load_big_endian<std::uint16_t>(&file[at]) : load_id(&file[at], id_bytes);
    const auto type = std::to_integer<std::uint8_t>(file[at + name_bytes]);
    visit(name, type, &file[at + name_bytes + 1]);
    at += name_bytes + 1 + hprof_type_bytes(type, id_bytes);
  }
}
// visit(name_id, type) for each declared instance field.
template <class Visit>
void visit_fields(std::span<const std::byte> file, const ClassDump& dump, unsigned id_bytes,
                  Visit visit) {
  for (std::uint32_t i = 0; i < dump.field_count; ++i) {
    const std::byte* const at = &file[dump.fields + std::uint64_t{i} * (id_bytes + 1)];
    visit(load_id(at, id_bytes), std::to_integer<std::uint8_t>(at[id_bytes]));
  }
}

struct HprofRoot {
  std::uint64_t id = 0;
  std::uint32_t thread_serial = 0;  // 0: none named
  std::uint32_t frame =
      0;  // number in the thread's stack trace, or the trace's serial for a thread object
  HeapTag tag = HeapTag::kRootUnknown;
};
inline constexpr std::uint32_t kNoFrame = 0xFFFFFFFFu;

// Reads a root's body; false when `tag` is none or it does not fit.
bool read_root(HeapTag tag, HprofCursor& cursor, HprofRoot& out) noexcept;

// Sub-records of one segment from `at` on. Visitor:
//   instance(at, id, class_id, fields, bytes)     object_array(at, id, class_id, elements, count)
//   primitive_array(at, id, type, count)          class_dump(at, dump)          root(root)
//   bad_segment(at, reason)                       the rest of the segment is lost
//   bool more(at)                                 asked before each sub-record; false ends the walk
template <class Visitor>
void walk_segment(std::span<const std::byte> file, std::uint64_t at, std::uint64_t end,
                  unsigned id_bytes, Visitor& visitor) {
  HprofCursor c(file, at, end, id_bytes);
  while (c.has(1)) {
    const std::uint64_t start = c.at();
    if (!visitor.more(start)) return;
    const auto tag = static_cast<HeapTag>(c.u1());
    bool fits = false;
    switch (tag) {
      case HeapTag::kInstanceDump:
        if (c.has(2 * id_bytes + 8)) {
          const std::uint64_t id = c.id();
          c.skip(4);
          const std::uint64_t class_id = c.id();
          const std::uint32_t bytes = c.u4();
          if ((fits = c.has(bytes))) {
            visitor.instance(start, id, class_id, c.here(), bytes);
            c.skip(bytes);
          }
        }
        break;
      case HeapTag::kObjectArrayDump:
        if (c.has(2 * id_bytes + 8)) {
          const std::uint64_t id = c.id();
          c.skip(4);
          const std::uint32_t count = c.u4();
          const std::uint64_t class_id = c.id();
          if ((fits = c.has(std::uint64_t{count} * id_bytes))) {
            visitor.object_array(start, id, class_id, c.here(), count);
            c.skip(std::uint64_t{count} * id_bytes);
          }
        }
        break;
      case HeapTag::kPrimitiveArrayDump:
      case HeapTag::kPrimitiveArrayNoData:
        if (c.has(id_bytes + 9)) {
          const std::uint64_t id = c.id();
          c.skip(4);
          const std::uint32_t count = c.u4();
          const std::uint8_t type = c.u1();
          const unsigned element = type == kHprofObject ? 0 : hprof_type_bytes(type, id_bytes);
          const std::uint64_t bytes =
              tag == HeapTag::kPrimitiveArrayDump ? std::uint64_t{count} * element : 0;
          if ((fits = element != 0 && c.has(bytes))) {
            visitor.primitive_array(start, id, type, count);
            c.skip(bytes);
          }
        }
        break;
      case HeapTag::kClassDump: {
        ClassDump dump;
        if ((fits = read_class_dump(c, dump))) visitor.class_dump(start, dump);
        break;
      }
      case HeapTag::kHeapInfo:  // Android: number and name of the heap that follows
        if ((fits = c.has(4 + id_bytes))) c.skip(4 + id_bytes);
        break;
      default: {
        HprofRoot root;
        if ((fits = read_root(tag, c, root))) visitor.root(root);
        break;
      }
    }
    if (!fits)
      return visitor.bad_segment(start, "a sub-record is unknown or longer than its segment");
  }
}

// The body length of a HEAP_DUMP record: JDK 5 and 6 write it modulo 4 GB, so it may be 4 GB or several more.
std::uint64_t whole_heap_dump(std::span<const std::byte> file, std::uint64_t body,
                              std::uint64_t bytes) noexcept;

inline constexpr std::uint64_t kHprofRecordHeaderBytes = 1 + 4 + 4;

// Top-level records. Visitor: record(tag, at, body, bytes), segment(HeapSegment), cut(at, bytes missing).
template <class Visitor>
void walk_records(std::span<const std::byte> file, const HprofHeader& header, Visitor& visitor) {
  std::uint64_t at = header.records_offset;
  while (at < file.size()) {
    if (file.size() - at < kHprofRecordHeaderBytes) return visitor.cut(at, 0);
    const auto tag = std::to_integer<std::uint8_t>(file[at]);
    if (tag == 0)
      return visitor.cut(at, 0);  // zeros where a record should be: a sparse or half-written file
    const std::uint64_t body = at + kHprofRecordHeaderBytes;
    std::uint64_t bytes = load_big_endian<std::uint32_t>(&file[at + 5]);
    const bool heap = tag == static_cast<std::uint8_t>(HprofTag::kHeapDump) ||
                      tag == static_cast<std::uint8_t>(HprofTag::kHeapDumpSegment);
    if (tag == static_cast<std::uint8_t>(HprofTag::kHeapDump))
      bytes = whole_heap_dump(file, body, bytes);
    const std::uint64_t there = std::min<std::uint64_t>(bytes, file.size() - body);
    if (heap)
      visitor.segment(HeapSegment{body, body + there});
    else if (there == bytes)
      visitor.record(static_cast<HprofTag>(tag), body, bytes);
    if (there < bytes) return visitor.cut(at, bytes - there);
    at = body + bytes;
  }
}

}  // namespace holdfast::analysis
