#include "jvmpi/records/record_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "jvmpi/records/fake_dump.h"

using namespace holdfast::jvmpi;

namespace {

constexpr VmId kNode = 0x1008, kObject = 0x2010, kText = 0x3018, kThread = 0x77;
constexpr ValueType kNodeStatics[] = {ValueType::kReference, ValueType::kLong, ValueType::kBoolean,
                                      ValueType::kReference};
constexpr ValueType kNodeFields[] = {ValueType::kInt, ValueType::kReference, ValueType::kByte,
                                     ValueType::kReference};

const ClassShape* shape_of(VmId id) {
  static constexpr ClassShape kShapes[] = {{2, kNodeStatics, kNodeFields}, {}};
  if (id == kNode) return &kShapes[0];
  return id == kObject ? &kShapes[1] : nullptr;
}

FakeDump values_of_node(std::size_t id_bytes, DumpValues level) {
  FakeDump values(id_bytes);
  const bool all = level == DumpValues::kAll;
  if (all) values.u4(7);
  values.id(kText);
  if (all) values.u1(1);
  values.id(0);
  return values;
}

FakeDump class_of_nodes(std::size_t id_bytes, DumpValues level) {
  const bool all = level == DumpValues::kAll;
  FakeDump dump(id_bytes);
  dump.class_head(kNode, {kObject, 0x11, 0x12, 0x13, kText, 24, {}, {}, 0, {}}, {0xA0, 0xB0});
  dump.u2(2).u2(9).u1(2).id(kText).u2(10).u1(11);
  if (all) dump.u8(5);
  dump.id(kText);
  if (all) dump.u8(~std::uint64_t{0}).u1(1);
  dump.id(kNode);
  return dump;
}

// Of everything that there is, one.
FakeDump whole_dump(std::size_t id_bytes, DumpValues level) {
  FakeDump dump(id_bytes);
  dump.root(RecordTag::kUnknownRoot, 1)
      .root(RecordTag::kStickyClass, 2)
      .root(RecordTag::kMonitorUsed, 3);
  dump.thread_root(RecordTag::kJniGlobal, 4, 0xBEEF);
  dump.frame_root(RecordTag::kJniLocal, 5, kThread, HeapRecord::kNoDepth);
  dump.frame_root(RecordTag::kJavaFrame, 6, kThread, 3);
  dump.thread_root(RecordTag::kNativeStack, 7, kThread)
      .thread_root(RecordTag::kThreadBlock, 8, kThread);
  const FakeDump node_class = class_of_nodes(id_bytes, level);
  dump.writable().insert(dump.writable().end(), node_class.bytes().begin(),
                         node_class.bytes().end());
  dump.instance(0x5008, kNode, values_of_node(id_bytes, level).bytes());
  dump.object_array(0x6008, kObject, {0x5008, 0, kText});
  dump.primitive_array(0x7008, ValueType::kChar, 3);
  if (level == DumpValues::kAll) dump.u2('a').u2('b').u2('c');
  return dump;
}

template <class Check>
void in_every_width(Check check) {
  for (const std::size_t id_bytes : {4, 8})
    for (const DumpValues level : {DumpValues::kReferences, DumpValues::kAll}) {
      CAPTURE(id_bytes);
      CAPTURE((level == DumpValues::kAll));
      check(id_bytes, level);
    }
}

// A copy that ends where it ends, so that a sanitizer sees who reads on; one byte off, so that nothing is aligned.
struct Exact {
  explicit Exact(std::span<const std::byte> of)
      : memory(std::make_unique<std::byte[]>(of.size() + 1)), bytes(of.size()) {
    std::copy(of.begin(), of.end(), memory.get() + 1);
  }
  std::span<const std::byte> span() const { return {memory.get() + 1, bytes}; }
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes;
};

std::vector<HeapRecord> read_all(const Exact& dump, std::size_t id_bytes, DumpValues level,
                                 ReadEnd& end) {
  RecordReader reader(dump.span(), id_bytes, level);
  std::vector<HeapRecord> records;
  HeapRecord record;
  while (reader.next(shape_of, record)) records.push_back(record);
  end = reader.end();
  return records;
}

}  // namespace

TEST_CASE(
    "every kind of record, ids of 4 and of 8 bytes, with all values and with references alone") {
  in_every_width([](std::size_t id_bytes, DumpValues level) {
    const Exact dump(whole_dump(id_bytes, level).bytes());
    ReadEnd end = ReadEnd::kNone;
    const auto records = read_all(dump, id_bytes, level, end);
    CHECK(end == ReadEnd::kEnd);
    REQUIRE(records.size() == 12);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(records[i].is_root());
      CHECK(records[i].object == i + 1);
    }
    CHECK(records[4].thread == kThread);
    CHECK(records[4].depth == HeapRecord::kNoDepth);
    CHECK(records[5].depth == 3);
    CHECK(records[6].thread == kThread);
    CHECK(records[8].tag == RecordTag::kClass);
    CHECK_FALSE(records[8].is_root());
    CHECK(records[9].class_id == kNode);
    CHECK(records[10].length == 3);
    CHECK(records[10].class_id == kObject);
    CHECK(records[11].element == ValueType::kChar);
    CHECK(records[11].length == 3);
    CHECK(records[11].values.size() == (level == DumpValues::kAll ? 6 : 0));
    std::vector<VmId> elements;
    for_each_id(records[10].values, id_bytes, [&](VmId id) { elements.push_back(id); });
    CHECK(elements == std::vector<VmId>{0x5008, 0, kText});
  });
}

TEST_CASE("a class's record: links, interfaces, constants, static fields") {
  in_every_width([](std::size_t id_bytes, DumpValues level) {
    const Exact dump(class_of_nodes(id_bytes, level).bytes());
    ReadEnd end = ReadEnd::kNone;
    const auto records = read_all(dump, id_bytes, level, end);
    REQUIRE(records.size() == 1);
    const ClassRecord& record = records[0].of_class;
    CHECK(record.super == kObject);
    CHECK(record.loader == 0x11);
    CHECK(record.signers == 0x12);
    CHECK(record.protection_domain == 0x13);
    CHECK(record.name == kText);
    CHECK(record.instance_bytes == 24);
    std::vector<VmId> interfaces;
    for_each_id(record.interfaces, id_bytes, [&](VmId id) { interfaces.push_back(id); });
    CHECK(interfaces == std::vector<VmId>{0xA0, 0xB0});
    std::vector<std::pair<int, VmId>> constants;
    for_each_constant(record, id_bytes, level,
                      [&](std::uint16_t index, VmId id) { constants.emplace_back(index, id); });
    CHECK(record.constant_count == 2);
    CHECK(constants == std::vector<std::pair<int, VmId>>{{9, kText}});
    ByteCursor values(record.statics, id_bytes);
    std::vector<std::pair<std::uint32_t, VmId>> statics;
    CHECK(references_in(values, kNodeStatics, level,
                        [&](std::uint32_t i, VmId id) { statics.emplace_back(i, id); }));
    CHECK(statics == std::vector<std::pair<std::uint32_t, VmId>>{{0, kText}, {3, kNode}});
    CHECK(values.at_end());
  });
}

TEST_CASE("references of an instance, the class's own fields first; values that end too early") {
  in_every_width([](std::size_t id_bytes, DumpValues level) {
    FakeDump both = values_of_node(id_bytes, level);
    both.id(0xCAFE);  // of its superclass
    const Exact bytes(both.bytes());
    ByteCursor values(bytes.span(), id_bytes);
    std::vector<VmId> found;
    const auto keep = [&](std::uint32_t, VmId id) { found.push_back(id); };
    constexpr ValueType kSuperFields[] = {ValueType::kReference};
    CHECK(references_in(values, kNodeFields, level, keep));
    CHECK(references_in(values, kSuperFields, level, keep));
    CHECK(found == std::vector<VmId>{kText, 0, 0xCAFE});
    CHECK(values.at_end());
    CHECK_FALSE(references_in(values, kSuperFields, level, keep));
    CHECK(found.size() == 3);
  });
}

TEST_CASE("a dump that is cut anywhere gives the records before, and says so") {
  in_every_width([](std::size_t id_bytes, DumpValues level) {
    const FakeDump dump = whole_dump(id_bytes, level);
    std::vector<std::size_t> ends{0};
    RecordReader reader(dump.bytes(), id_bytes, level);
    for (HeapRecord record; reader.next(shape_of, record);) ends.push_back(reader.offset());
    for (std::size_t bytes = 0; bytes < dump.bytes().size(); ++bytes) {
      CAPTURE(bytes);
      ReadEnd end = ReadEnd::kNone;
      const auto records = read_all(Exact(dump.bytes().first(bytes)), id_bytes, level, end);
      const auto whole = std::upper_bound(ends.begin(), ends.end(), bytes) - ends.begin() - 1;
      REQUIRE(static_cast<long>(records.size()) == whole);
      REQUIRE(end ==
              (ends[static_cast<std::size_t>(whole)] == bytes ? ReadEnd::kEnd : ReadEnd::kCut));
    }
  });
}

TEST_CASE("what nobody knows ends the reading where it stands: a tag, a type, a class") {
  in_every_width([](std::size_t id_bytes, DumpValues level) {
    const auto end_of = [&](const FakeDump& dump) {
      RecordReader reader(dump.bytes(), id_bytes, level);
      HeapRecord record;
      CHECK(reader.next(shape_of, record));
      CHECK_FALSE(reader.next(shape_of, record));
      CHECK(reader.record_offset() == 1 + id_bytes);
      CHECK_FALSE(reader.next(shape_of, record));
      return reader.end();
    };
    const auto begun = [&] { return FakeDump(id_bytes).root(RecordTag::kUnknownRoot, 1); };
    CHECK(end_of(begun().u1(0x24).id(1).u8(0)) == ReadEnd::kUnknownTag);
    CHECK(end_of(begun().u1(0x08).id(1).u8(0)) == ReadEnd::kUnknownTag);
    CHECK(end_of(begun().primitive_array(1, ValueType::kReference, 0)) == ReadEnd::kUnknownType);
    CHECK(end_of(begun().primitive_array(1, static_cast<ValueType>(12), 0)) ==
          ReadEnd::kUnknownType);
    CHECK(end_of(begun().class_head(0x999, {}, {}).u2(0)) == ReadEnd::kUnknownClass);
    CHECK(end_of(begun().class_head(kObject, {}, {}).u2(1).u2(1).u1(3).u8(0)) ==
          ReadEnd::kUnknownType);
  });
}

TEST_CASE("lengths that lie: as many bytes as there are, and no more, are believed") {
  for (const std::uint64_t length : {3ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull}) {
    CAPTURE(length);
    for (const std::size_t id_bytes : {4, 8}) {
      FakeDump instance(id_bytes), objects(id_bytes), longs(id_bytes);
      instance.u1(0x21).id(1).id(kNode).u4(length).u1(0).u1(0);
      objects.u1(0x22).id(1).u4(length).id(kNode).id(0).id(0);
      longs.u1(0x23).id(1).u4(length).u1(11).u8(0).u8(0);
      for (const FakeDump* dump : {&instance, &objects, &longs}) {
        ReadEnd end = ReadEnd::kNone;
        CHECK(read_all(Exact(dump->bytes()), id_bytes, DumpValues::kAll, end).empty());
        CHECK(end == ReadEnd::kCut);
      }
    }
  }
}

TEST_CASE("a number that nothing follows is none, where the VM leaves out what it writes last") {
  for (const std::size_t id_bytes : {std::size_t{4}, std::size_t{8}}) {
    FakeDump instance(id_bytes), of_class(id_bytes);
    instance.instance(0x30, kObject, std::span<const std::byte>{});
    of_class.class_head(kObject, {}, {}).u2(0);
    for (FakeDump* dump : {&instance, &of_class}) {
      const auto last = dump->writable().end() - static_cast<std::ptrdiff_t>(dump->last_bytes());
      std::fill(last, dump->writable().end(), std::byte{0xDD});
      HeapRecord record;
      RecordReader written(dump->bytes(), id_bytes, DumpValues::kAll);
      CHECK_FALSE(written.next(shape_of, record));
      CHECK(written.end() == ReadEnd::kCut);
      CHECK(record.of_class.has_links == (dump == &of_class));
      RecordReader unwritten(dump->bytes(), id_bytes, DumpValues::kAll, RecordTail::kUnwritten);
      REQUIRE(unwritten.next(shape_of, record));
      CHECK(record.length == 0);
      CHECK(record.of_class.constant_count == 0);
      CHECK_FALSE(unwritten.next(shape_of, record));
      CHECK(unwritten.end() == ReadEnd::kEnd);
    }
  }
}

TEST_CASE("level 0: a type and an id each") {
  for (const std::size_t id_bytes : {4, 8}) {
    FakeDump dump(id_bytes);
    dump.u1(0).id(0x1008).listed(ValueType::kReference, 0x2008).listed(ValueType::kInt, 0x3008);
    std::vector<std::pair<int, VmId>> found;
    const auto keep = [&](std::uint8_t type, VmId id) { found.emplace_back(type, id); };
    CHECK(for_each_listed(dump.bytes(), id_bytes, keep));
    CHECK(found == std::vector<std::pair<int, VmId>>{{0, 0x1008}, {2, 0x2008}, {10, 0x3008}});
    found.clear();
    CHECK_FALSE(
        for_each_listed(Exact(dump.bytes().first(2 * id_bytes + 3)).span(), id_bytes, keep));
    CHECK(found.size() == 2);
  }
}

TEST_CASE("an id has all its bits, whatever the highest one is") {
  FakeDump narrow(4), wide(8);
  narrow.root(RecordTag::kUnknownRoot, 0xfffffff8u);
  wide.root(RecordTag::kUnknownRoot, 0xfffffffffffffff8u);
  ReadEnd end = ReadEnd::kNone;
  CHECK(read_all(Exact(narrow.bytes()), 4, DumpValues::kAll, end).front().object == 0xfffffff8u);
  CHECK(read_all(Exact(wide.bytes()), 8, DumpValues::kAll, end).front().object ==
        0xfffffffffffffff8u);
}
