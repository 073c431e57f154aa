// Any bytes as a dump: nothing is read behind their end, every record is longer than none, and what views show lies inside of them.
// Input:  one byte (id width, level, how many interfaces and fields a class has), then the dump.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "jvmpi/records/fake_dump.h"

using namespace holdfast::jvmpi;

namespace {

constexpr ValueType kTypes[] = {ValueType::kReference, ValueType::kLong,     ValueType::kByte,
                                ValueType::kReference, ValueType::kChar,     ValueType::kDouble,
                                ValueType::kInt,       ValueType::kReference};

void check(bool right) {
  if (!right) std::abort();
}

struct Setting {
  explicit Setting(std::uint8_t bits)
      : id_bytes((bits & 1) != 0 ? 8 : 4),
        level((bits & 2) != 0 ? DumpValues::kAll : DumpValues::kReferences),
        shape{static_cast<std::uint32_t>(bits >> 2 & 3), std::span(kTypes).first(bits >> 4 & 7),
              std::span(kTypes).first(bits >> 5)} {}
  std::size_t id_bytes;
  DumpValues level;
  ClassShape shape;
};

void inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  if (part.empty()) return;
  check(part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void look_into(const HeapRecord& record, const Setting& setting, std::span<const std::byte> dump) {
  const ClassRecord& of_class = record.of_class;
  for (const auto part : {record.values, of_class.interfaces, of_class.constants, of_class.statics})
    inside(part, dump);
  volatile VmId sum = 0;
  const auto add = [&](VmId id) { sum = sum + id; };
  const auto add_one = [&](std::uint32_t, VmId id) { add(id); };
  for_each_id(of_class.interfaces, setting.id_bytes, add);
  for_each_constant(of_class, setting.id_bytes, setting.level, add_one);
  ByteCursor statics(of_class.statics, setting.id_bytes);
  const bool all = references_in(statics, setting.shape.statics, setting.level, add_one);
  check(record.tag != RecordTag::kClass || (all && statics.at_end()));
  if (record.tag == RecordTag::kObjectArray) for_each_id(record.values, setting.id_bytes, add);
  ByteCursor fields(record.values, setting.id_bytes);
  if (record.tag == RecordTag::kInstance)
    references_in(fields, setting.shape.instances, setting.level, add_one);
}

void read(std::span<const std::byte> dump, const Setting& setting, RecordTail tail) {
  RecordReader reader(dump, setting.id_bytes, setting.level, tail);
  const auto shape_of = [&](VmId id) { return id % 5 == 0 ? nullptr : &setting.shape; };
  HeapRecord record;
  std::size_t before = 0;
  while (reader.next(shape_of, record)) {
    check(reader.record_offset() == before && reader.offset() > before);
    before = reader.offset();
    look_into(record, setting, dump);
  }
  check(reader.end() != ReadEnd::kNone);
  check((reader.end() == ReadEnd::kEnd) == (before == dump.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Setting setting(data[0]);
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  const std::vector<std::byte> copy(input.begin(),
                                    input.end());  // so that a sanitizer sees its end
  const std::span<const std::byte> dump(copy);
  for (const RecordTail tail : {RecordTail::kWritten, RecordTail::kUnwritten})
    read(dump, setting, tail);
  std::size_t listed = 0;
  for_each_listed(dump, setting.id_bytes, [&](std::uint8_t, VmId) { ++listed; });
  check(listed == dump.size() / (1 + setting.id_bytes));
  return 0;
}

// One of each kind, for a class of two interfaces, with two static fields and one of its own.
extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  static unsigned turn = 0;
  const bool wide = turn % 2 != 0;
  const bool all = turn++ / 2 % 2 != 0;
  FakeDump dump(wide ? 8 : 4);
  dump.u1((wide ? 1u : 0u) | (all ? 2u : 0u) | 2u << 2 | 2u << 4);
  dump.root(RecordTag::kStickyClass, 1).frame_root(RecordTag::kJavaFrame, 2, 3, 4);
  dump.thread_root(RecordTag::kJniGlobal, 3, 4).thread_root(RecordTag::kThreadBlock, 4, 6);
  dump.class_head(6, {}, {7, 8}).u2(1).u2(3).u1(2).id(9).id(11);
  if (all) dump.u8(12);
  FakeDump values(dump.id_bytes());
  values.id(13);
  dump.instance(14, 6, values.bytes()).object_array(16, 6, {14, 0});
  dump.primitive_array(17, ValueType::kShort, 2);
  if (all) dump.u4(0);
  if (dump.bytes().size() > capacity) return 0;
  std::memcpy(out, dump.bytes().data(), dump.bytes().size());
  return dump.bytes().size();
}
