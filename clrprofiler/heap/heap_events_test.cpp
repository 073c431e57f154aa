#include "clrprofiler/heap/heap_events.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include "clrprofiler/heap/fake_heap_events.h"

using namespace holdfast::clr;

namespace {

// The payload in a buffer of exactly its length, so that a sanitizer sees a read behind it.
template <class Read>
bool read_cut(const FakeEvent& event, std::size_t bytes, Read read) {
  const auto begin = event.bytes.begin();
  const std::vector<std::uint8_t> copy(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  return read(Payload{copy.data(), bytes});
}

FakeEvent dependents_of_four_bytes(std::uint32_t count) {
  EventBytes bytes;
  bytes.put(std::uint32_t{7}).put(count).put(std::uint16_t{0});
  for (std::uint32_t i = 0; i < count; ++i) bytes.put(i).put(i + 100).put(i + 200);
  return bytes.event(kBulkDependentEdge);
}

template <class Record>
void check_cut_at_every_byte(const FakeEvent& event, std::uint32_t count) {
  for (std::size_t bytes = 0; bytes < event.bytes.size(); ++bytes)
    CHECK_FALSE(read_cut(event, bytes, [](Payload payload) {
      BulkEvent<Record> bulk;
      return BulkEvent<Record>::read(payload, bulk);
    }));
  BulkEvent<Record> bulk;
  REQUIRE(BulkEvent<Record>::read(event.payload(), bulk));
  CHECK(bulk.count() == count);
}

}  // namespace

TEST_CASE("a collection's start and end are read, cut ones refused") {
  const FakeEvent start = fake_gc_start(17, 2, 1, 0);
  GcStart read_start;
  REQUIRE(read_gc_start(start.payload(), read_start));
  CHECK(read_start.count == 17);
  CHECK(read_start.depth == 2);
  CHECK(read_start.reason == 1);
  CHECK(read_start.type == 0);
  for (std::size_t bytes = 0; bytes < 16; ++bytes)
    CHECK_FALSE(read_cut(start, bytes, [&](Payload p) { return read_gc_start(p, read_start); }));
  const FakeEvent end = fake_gc_end(18, 1);
  GcEnd read_end;
  REQUIRE(read_gc_end(end.payload(), read_end));
  CHECK(read_end.count == 18);
  CHECK(read_end.depth == 1);
  for (std::size_t bytes = 0; bytes < 8; ++bytes)
    CHECK_FALSE(read_cut(end, bytes, [&](Payload p) { return read_gc_end(p, read_end); }));
}

TEST_CASE("nodes, edges, roots and dependent handles are where the runtime packs them") {
  using Node = NodeRecord<8>;
  using Edge = EdgeRecord<8>;
  using Root = RootEdgeRecord<8>;
  using Dependent = DependentRecord<8>;
  static_assert(Node::kBytes == 32 && Edge::kBytes == 12);
  static_assert(Root::kBytes == 21 && Dependent::kBytes == 24);
  FakeClrHeap heap;
  heap.objects.push_back({0x7F0011112220, 40, 0xAAA8, {0x7F0011113330, 0x7F0011114440}});
  heap.objects.push_back({0x7F0011113330, 22, 0xBBB0, {}});
  heap.roots.push_back({0x7F0011112220, EventRootKind::kFinalizer, kRootPinning, 0x123456789AB8});
  heap.dependents.push_back({0x7F0011112220, 0x7F0011113330});
  const FakeEvents events = fake_walk(heap);
  REQUIRE(events.size() == 4);

  BulkEvent<Node> nodes;
  REQUIRE(BulkEvent<Node>::read(events[0].payload(), nodes));
  CHECK(nodes.index() == 0);
  REQUIRE(nodes.count() == 2);
  CHECK(nodes.record(0).address == 0x7F0011112220);
  CHECK(nodes.record(0).bytes == 40);
  CHECK(nodes.record(0).type == 0xAAA8);
  CHECK(nodes.record(0).edges == 2);
  CHECK(nodes.record(1).address == 0x7F0011113330);
  CHECK(nodes.record(1).bytes == 22);
  BulkEvent<Edge> edges;
  REQUIRE(BulkEvent<Edge>::read(events[1].payload(), edges));
  REQUIRE(edges.count() == 2);
  CHECK(edges.record(1).target == 0x7F0011114440);
  BulkEvent<Root> roots;
  REQUIRE(BulkEvent<Root>::read(events[2].payload(), roots));
  REQUIRE(roots.count() == 1);
  CHECK(roots.record(0).object == 0x7F0011112220);
  CHECK(roots.record(0).kind == static_cast<std::uint8_t>(EventRootKind::kFinalizer));
  CHECK(roots.record(0).flags == kRootPinning);
  CHECK(roots.record(0).id == 0x123456789AB8);
  BulkEvent<Dependent> dependents;
  REQUIRE(BulkEvent<Dependent>::read(events[3].payload(), dependents));
  REQUIRE(dependents.count() == 1);
  CHECK(dependents.record(0).key == 0x7F0011112220);
  CHECK(dependents.record(0).value == 0x7F0011113330);

  check_cut_at_every_byte<Node>(events[0], 2);
  check_cut_at_every_byte<Edge>(events[1], 2);
  check_cut_at_every_byte<Root>(events[2], 1);
  check_cut_at_every_byte<Dependent>(events[3], 1);
}

TEST_CASE("a process of 32 bits packs pointers of four bytes") {
  using Dependent = DependentRecord<4>;
  static_assert(NodeRecord<4>::kBytes == 28 && EdgeRecord<4>::kBytes == 8);
  static_assert(RootEdgeRecord<4>::kBytes == 13 && Dependent::kBytes == 12);
  const FakeEvent event = dependents_of_four_bytes(3);
  BulkEvent<Dependent> bulk;
  REQUIRE(BulkEvent<Dependent>::read(event.payload(), bulk));
  CHECK(bulk.index() == 7);
  CHECK(bulk.record(2).key == 2);
  CHECK(bulk.record(2).value == 102);
  CHECK(bulk.record(2).id == 202);
  check_cut_at_every_byte<Dependent>(event, 3);
}

TEST_CASE("a count that no payload could hold is refused") {
  for (const std::uint32_t count : {2u, 0x0FFFFFFFu, 0x15555556u, 0xFFFFFFFFu}) {
    const FakeEvent event = EventBytes()
                                .put(std::uint32_t{0})
                                .put(count)
                                .put(std::uint16_t{0})
                                .put(std::uint64_t{1})
                                .put(std::uint32_t{2})
                                .event(kBulkEdge);
    BulkEvent<EdgeRecord<8>> bulk;
    CHECK_FALSE(BulkEvent<EdgeRecord<8>>::read(event.payload(), bulk));
  }
}

TEST_CASE("static variables come with their names, one after the other") {
  const FakeEvent event =
      fake_statics({{8, 16, 24, 0, u"cache"}, {32, 40, 48, kStaticThreadLocal, u""}});
  StaticVariables variables;
  REQUIRE(StaticVariables::read(event.payload(), variables));
  StaticVariableRecord record;
  REQUIRE(variables.left() == 2);
  REQUIRE(variables.next(record));
  CHECK(record.slot == 8);
  CHECK(record.object == 16);
  CHECK(record.type == 24);
  CHECK(record.flags == 0);
  REQUIRE(record.name_units == 5);
  CHECK(read_at<char16_t>(record.name + 8) == u'e');
  REQUIRE(variables.next(record));
  CHECK(record.slot == 32);
  CHECK(record.flags == kStaticThreadLocal);
  CHECK(record.name_units == 0);
  CHECK(variables.left() == 0);
}

TEST_CASE("static variables that are cut are read up to the cut, never behind it") {
  const FakeEvent event = fake_statics({{8, 16, 24, 0, u"a"}, {32, 40, 48, 0, u"b"}});
  const std::size_t whole_first = StaticVariables::kHeaderBytes + 28 + 4;
  for (std::size_t bytes = 0; bytes < event.bytes.size(); ++bytes) {
    std::uint32_t seen = 0;
    read_cut(event, bytes, [&](Payload payload) {
      StaticVariables variables;
      if (!StaticVariables::read(payload, variables)) return false;
      StaticVariableRecord record;
      while (variables.left() > 0 && variables.next(record)) ++seen;
      CHECK(variables.left() > 0);
      return true;
    });
    CHECK(seen == (bytes >= whole_first ? 1u : 0u));
  }
}
