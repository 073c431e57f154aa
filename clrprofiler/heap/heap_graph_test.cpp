#include "clrprofiler/heap/heap_graph.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/heap/random_clr_heap_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// A snapshot as a person would write it down: by address.
struct PlainReference {
  std::uint64_t target = 0;
  std::uint16_t label = 0;
  auto operator<=>(const PlainReference&) const = default;
};
struct PlainObject {
  std::uint64_t type = 0;
  std::uint64_t bytes = 0;
  std::vector<PlainReference> references;
  bool operator==(const PlainObject&) const = default;
};
using PlainGraph = std::map<std::uint64_t, PlainObject>;

constexpr std::uint16_t kUnnamed = special(SpecialRef::kOther).bits;
constexpr std::uint16_t kDependentBits = special(SpecialRef::kDependent).bits;

// Reads a recording as the agent does; class ids are class indices.
class GraphBench {
 public:
  explicit GraphBench(std::uint64_t memory_bytes = std::uint64_t{64} << 20)
      : recording_(memory_bytes) {}

  FakeRecording& record(const FakeEvents& events) {
    recording_.play(events);
    return recording_;
  }

  Result<void> read(std::span<const AddedObject> added = {}) {
    auto made =
        HeapGraph::read(recording_.recording(), added, recording_.memory().work_arena(), cancel_);
    if (!made) return made.error();
    graph_ = *made;
    return {};
  }

  Result<void> fill(GraphNames names = {}) {
    const std::uint32_t classes = recording_.recording().classes.size();
    for (std::uint32_t i = 0; i < classes + 4; ++i) {
      class_of_.push_back(ClassId{i});
      rows_.push_back(ClassRow{});
      rows_.back().loader = LoaderId{0};
    }
    catalog_.classes = rows_;
    catalog_.loaders = loaders_;
    names.class_of = std::span(class_of_).first(classes);
    records_ = resolve_roots(recording_.recording(), graph_, lost_roots_,
                             [](const RecordedRoot&, RootRecord&) {});
    return graph_.fill(names, recording_.memory(), catalog_, records_, cancel_, snapshot_);
  }

  // Of the objects whose addresses are given, in their order.
  PlainGraph plain(const std::set<std::uint64_t>& addresses) {
    REQUIRE(snapshot_.object_count() >= addresses.size());
    const std::vector<std::uint64_t> address_of(addresses.begin(), addresses.end());
    const std::span<const CountedType> classes = recording_.recording().classes.rows();
    PlainGraph plain;
    for (std::uint32_t v = 0; v < addresses.size(); ++v) {
      REQUIRE(graph_.number_of(address_of[v]) == ObjectId{v});
      PlainObject& object = plain[address_of[v]];
      const std::uint32_t index = snapshot_.class_of[v].value;
      if (index < classes.size()) object.type = classes[index].type;
      object.bytes = snapshot_.shallow_bytes(ObjectId{v});
      for (std::uint32_t r = snapshot_.first_ref[v]; r < snapshot_.first_ref[v + 1]; ++r)
        object.references.push_back(
            {address_of.at(snapshot_.target[r].value), snapshot_.label[r].bits});
    }
    return plain;
  }

  Snapshot& snapshot() { return snapshot_; }
  HeapGraph& graph() { return graph_; }
  std::span<const RootRecord> records() const { return records_; }
  std::uint64_t lost_roots() const { return lost_roots_; }
  CancelToken& cancel() { return cancel_; }

 private:
  FakeRecording recording_;
  CancelToken cancel_;
  HeapGraph graph_;
  Catalog catalog_;
  std::vector<ClassId> class_of_;
  std::vector<ClassRow> rows_;
  std::vector<LoaderRow> loaders_{LoaderRow{}};
  std::span<const RootRecord> records_;
  std::uint64_t lost_roots_ = 0;
  Snapshot snapshot_;
};

std::set<std::uint64_t> addresses_of(const FakeClrHeap& heap) {
  std::set<std::uint64_t> addresses;
  for (const FakeObject& object : heap.objects) addresses.insert(object.address);
  return addresses;
}

// The slow definition.
PlainGraph expected(const FakeClrHeap& heap) {
  const std::set<std::uint64_t> known = addresses_of(heap);
  PlainGraph plain;
  for (const FakeObject& object : heap.objects) {
    if (plain.contains(object.address)) continue;
    PlainObject& out = plain[object.address];
    out.type = object.type;
    out.bytes = (object.bytes + 7) / 8 * 8;
    for (const std::uint64_t target : object.targets)
      if (known.contains(target)) out.references.push_back({target, kUnnamed});
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dependents;
  for (const FakeDependent& edge : heap.dependents) dependents.emplace_back(edge.key, edge.value);
  std::sort(dependents.begin(), dependents.end());
  for (const auto& [key, value] : dependents)
    if (known.contains(key) && known.contains(value))
      plain[key].references.push_back({value, kDependentBits});
  return plain;
}

void check_same(GraphBench& bench, const FakeClrHeap& heap) {
  REQUIRE(bench.read());
  REQUIRE(bench.fill());
  const PlainGraph wanted = expected(heap);
  CHECK(bench.snapshot().object_count() == wanted.size());
  CHECK(bench.plain(addresses_of(heap)) == wanted);
  CHECK(bench.snapshot().losses.references_to_unknown == 0);
  std::size_t kept = 0;
  for (const FakeRoot& root : heap.roots) {
    if (root.object == 0 || (root.flags & kRootWeak) != 0) continue;
    REQUIRE(kept < bench.records().size());
    CHECK(bench.records()[kept++].object == bench.graph().number_of(root.object));
  }
  CHECK(bench.records().size() == kept);
}

// Two objects, 0x1000 -> 0x1018 -> 0x1000.
FakeClrHeap pair_of_objects() {
  FakeClrHeap heap;
  heap.objects.push_back({0x1000, 24, 0x80, {0x1018}});
  heap.objects.push_back({0x1018, 24, 0x88, {0x1000}});
  return heap;
}

}  // namespace

TEST_CASE("random heaps come out as they went in, whatever the batches and the order of regions") {
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHeapShape shape;
    shape.objects = 1 + seed * 40;
    shape.regions = 1 + seed % 7;
    FakeClrHeap heap = RandomClrHeap(shape, seed).make();
    if (heap.objects.empty()) continue;
    const FakeBatches batches{1 + random() % 500, 1 + random() % 900, 1 + random() % 50};
    FakeEvents events;
    if (seed % 3 == 0) {  // a foreign walk first
      events.push_back(fake_gc_start(1, 0, 0, 2));
      append(events, fake_walk(RandomClrHeap(shape, seed + 1000).make()));
      events.push_back(fake_gc_end(1, 0));
    }
    if (seed % 3 == 1) {  // one that begins like ours, and never ends
      events.push_back(fake_forced_start(1));
      append(events, fake_walk(RandomClrHeap(shape, seed + 2000).make()));
    }
    append(events, fake_forced_walk(heap, 2, batches));
    GraphBench bench;
    FakeRecording& recorded = bench.record(events);
    REQUIRE(recorded.recorder().done());
    REQUIRE(recorded.recording().whole());
    CAPTURE(seed);
    check_same(bench, heap);
  }
}

TEST_CASE("edges may arrive before their nodes, and all after all nodes") {
  const FakeClrHeap heap = RandomClrHeap({}, 77).make();
  for (const bool nodes_first : {false, true}) {
    FakeEvents events{fake_forced_start(1)};
    append(events, nodes_first ? fake_nodes(heap, 100) : fake_edges(heap, 100));
    append(events, nodes_first ? fake_edges(heap, 70) : fake_nodes(heap, 70));
    events.push_back(fake_gc_end(1));
    FakeClrHeap graph_only;
    graph_only.objects = heap.objects;
    GraphBench bench;
    bench.record(events);
    check_same(bench, graph_only);
  }
}

TEST_CASE("an object that came twice counts once, also where runs overlap") {
  std::mt19937_64 random(9);
  for (int round = 0; round < 30; ++round) {
    RandomHeapShape shape;
    shape.objects = 300;
    FakeClrHeap heap = RandomClrHeap(shape, 100 + static_cast<unsigned>(round)).make();
    heap.dependents.clear();
    const std::size_t own = heap.objects.size();
    for (std::size_t i = 0; i < own; i += 1 + random() % 9)  // again, behind all others
      heap.objects.push_back(heap.objects[i]);
    GraphBench bench;
    bench.record(fake_forced_walk(heap));
    check_same(bench, heap);
    CHECK(bench.graph().duplicate_objects() == heap.objects.size() - own);
  }
}

TEST_CASE("interleaved runs are merged by address") {
  FakeClrHeap heap;
  // Every run holds every fifth object of the same stretch, too far apart to be one.
  for (std::uint64_t run = 0; run < 5; ++run)
    for (std::uint64_t i = 0; i < 40; ++i)
      heap.objects.push_back({0x100000 + (i * 5 + run) * 4096, 32, 0x80 + 8 * run, {}});
  for (std::size_t i = 1; i < heap.objects.size(); ++i)
    heap.objects[i].targets = {heap.objects[i - 1].address, heap.objects[0].address};
  GraphBench bench;
  FakeRecording& recorded = bench.record(fake_forced_walk(heap));
  CHECK(recorded.recording().runs.size() == 5);
  check_same(bench, heap);
}

TEST_CASE("references to what the walk did not tell of are counted, or lead to what was added") {
  FakeClrHeap heap = pair_of_objects();
  heap.objects[0].targets = {0x1018, 0x0FF0, 0x2000, 0x9000000000};
  heap.dependents = {
      {0x0FF0, 0x1018}, {0x1000, 0x2000}, {0x1018, 0x7777770}, {0x9999999990, 0x1000}};
  heap.roots = {{0x2000}, {0x1000}};
  {
    GraphBench bench;
    bench.record(fake_forced_walk(heap));
    REQUIRE(bench.read());
    REQUIRE(bench.fill());
    CHECK(bench.snapshot().object_count() == 2);
    CHECK(bench.snapshot().reference_count() == 2);
    CHECK(bench.snapshot().losses.references_to_unknown == 7);
    CHECK(bench.lost_roots() == 1);
  }
  GraphBench bench;
  bench.record(fake_forced_walk(heap));
  const AddedObject added[] = {{0x0FF0, 16, ClassId{1}},
                               {0x1018, 24, ClassId{1}},  // the walk told of it
                               {0x2000, 40, ClassId{2}},
                               {0x2000, 40, ClassId{2}},
                               {0x9000000000, 22, ClassId{}}};
  REQUIRE(bench.read(added));
  REQUIRE(bench.fill());
  const Snapshot& snapshot = bench.snapshot();
  CHECK(snapshot.object_count() == 5);
  CHECK(snapshot.losses.references_to_unknown == 2);
  CHECK(snapshot.losses.objects_unknown_class == 1);
  CHECK(bench.lost_roots() == 0);
  const PlainGraph plain = bench.plain({0x0FF0, 0x1000, 0x1018, 0x2000, 0x9000000000});
  CHECK(plain.at(0x0FF0).references == std::vector<PlainReference>{{0x1018, kDependentBits}});
  CHECK(plain.at(0x1000).references == std::vector<PlainReference>{{0x1018, kUnnamed},
                                                                   {0x0FF0, kUnnamed},
                                                                   {0x2000, kUnnamed},
                                                                   {0x9000000000, kUnnamed},
                                                                   {0x2000, kDependentBits}});
  CHECK(plain.at(0x9000000000).bytes == 24);
}

TEST_CASE("what stands for classes comes last and refers to static variables") {
  const FakeClrHeap heap = pair_of_objects();
  GraphBench bench;
  bench.record(fake_forced_walk(heap));
  REQUIRE(bench.read());
  const TailObject tail[] = {{ClassId{1}, 0}, {ClassId{2}, 16}};
  const TailReference references[] = {{0, 0x1018, RefLabel::static_field(3)},
                                      {1, 0x1000, RefLabel::static_field(0)},
                                      {1, 0x5550, RefLabel::static_field(1)}};
  GraphNames names;
  names.tail = tail;
  names.tail_references = references;
  REQUIRE(bench.fill(names));
  const Snapshot& snapshot = bench.snapshot();
  REQUIRE(snapshot.object_count() == 4);
  CHECK(bench.graph().object_count() == 2);
  CHECK(snapshot.class_of[3] == ClassId{2});
  REQUIRE(snapshot.first_ref[3] - snapshot.first_ref[2] == 1);
  CHECK(snapshot.target[snapshot.first_ref[2]] == bench.graph().number_of(0x1018));
  CHECK(snapshot.label[snapshot.first_ref[2]] == RefLabel::static_field(3));
  CHECK(snapshot.losses.references_to_unknown == 1);
}

TEST_CASE("references are named where none of an object's is missing") {
  const RefLabel fields[] = {RefLabel::instance_field(4), RefLabel::instance_field(1)};
  EdgeNames names[3];
  names[1].kind = EdgeNames::Kind::kFields;
  names[1].fields = fields;
  names[2].kind = EdgeNames::Kind::kElements;
  names[2].base_units = 3;
  const auto labels = [](const EdgeNames& of, std::uint64_t units, std::uint32_t edges) {
    std::vector<RefLabel> out;
    const RowNames row(of, units, edges);
    for (std::uint32_t k = 0; k < edges; ++k) out.push_back(row.label(k));
    return out;
  };
  const RefLabel other = special(SpecialRef::kOther);
  CHECK(labels(names[0], 4, 1) == std::vector{other});
  CHECK(labels(names[1], 4, 2) == std::vector(std::begin(fields), std::end(fields)));
  CHECK(labels(names[1], 4, 1) == std::vector{other});
  CHECK(labels(names[1], 4, 3) == std::vector{other, other, other});
  CHECK(labels(names[2], 5, 2) == std::vector{RefLabel::element(0), RefLabel::element(1)});
  const RefLabel element = special(SpecialRef::kElement);
  CHECK(labels(names[2], 6, 2) == std::vector{element, element});
  CHECK(labels(names[2], 2, 1) == std::vector{element});
  names[2].per_element = 2;  // structures of two references and a number
  names[2].element_units = 3;
  CHECK(labels(names[2], 9, 4) == std::vector{RefLabel::element(0), RefLabel::element(0),
                                              RefLabel::element(1), RefLabel::element(1)});
  names[1].collectible = true;
  CHECK(labels(names[1], 4, 3) ==
        std::vector{special(SpecialRef::kClassLoader), fields[0], fields[1]});
  CHECK(labels(names[1], 4, 1) == std::vector{special(SpecialRef::kClassLoader)});
  CHECK(labels(names[1], 4, 0).empty());
}

TEST_CASE("roots become what the report calls them") {
  FakeClrHeap heap = pair_of_objects();
  heap.roots = {{0x1000, EventRootKind::kStack, 0, 77},
                {0x1018, EventRootKind::kFinalizer},
                {0x1000, EventRootKind::kHandle, kRootPinning},
                {0x1000, EventRootKind::kHandle},
                {0x1000, EventRootKind::kOther},
                {0x1000, EventRootKind::kHandle, kRootRefCounted | kRootWeak},
                {0, EventRootKind::kStack}};
  GraphBench bench;
  FakeRecording& recorded = bench.record(fake_forced_walk(heap));
  CHECK(recorded.recording().counts.null_roots == 1);
  CHECK(recorded.recording().counts.weak_roots == 1);
  REQUIRE(bench.read());
  REQUIRE(bench.fill());
  std::vector<RootKind> kinds;
  for (const RootRecord& root : bench.records()) kinds.push_back(root.kind);
  CHECK(kinds == std::vector{RootKind::kStackLocal, RootKind::kFinalizer, RootKind::kPinnedHandle,
                             RootKind::kHandle, RootKind::kOther});
}

TEST_CASE("a recording that is not whole makes no graph") {
  const FakeClrHeap heap = pair_of_objects();
  GraphBench bench;
  FakeEvents events = fake_forced_walk(heap);
  events.erase(events.begin() + 2);  // the edges
  bench.record(events);
  const auto read = bench.read();
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::kInconsistent);
}

TEST_CASE("a graph for which there is no room is refused, and everything is given back") {
  FakeClrHeap heap;  // 70 bytes of recording an object, 400 of graph
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t address = 0x100000 + 24 * i;
    heap.objects.push_back({address, 24, 8, std::vector<std::uint64_t>(65, address)});
  }
  GraphBench bench(std::uint64_t{16} << 20);
  FakeRecording& recorded = bench.record(fake_forced_walk(heap));
  REQUIRE(recorded.recording().whole());
  REQUIRE(bench.read());
  const auto filled = bench.fill();
  REQUIRE_FALSE(filled);
  CHECK(filled.error().code == ErrorCode::kOutOfBudget);
}

TEST_CASE("a cancelled dump is noticed in both readings") {
  const FakeClrHeap heap = RandomClrHeap({70'000, 1, 12, 1, 0x100000000, 64 << 20}, 4).make();
  REQUIRE(heap.objects.size() > 66'000);
  GraphBench bench;
  bench.record(fake_forced_walk(heap));
  REQUIRE(bench.read());
  bench.cancel().cancel();
  const auto read_again = bench.read();
  REQUIRE_FALSE(read_again);
  CHECK(read_again.error().code == ErrorCode::kCancelled);
  const auto filled = bench.fill();
  REQUIRE_FALSE(filled);
  CHECK(filled.error().code == ErrorCode::kCancelled);
}

TEST_CASE("spans far apart have places next to each other") {
  FakeRecording ground;
  auto made = AddressSpans::make(ground.memory().work_arena());
  REQUIRE(made);
  AddressSpans spans = *made;
  CHECK(spans.place_of(8) == AddressSpans::kNowhere);
  REQUIRE(spans.extend(0x10000, 0x10100));
  REQUIRE(spans.extend(0x10200, 0x10208));
  REQUIRE(spans.extend(0x7F0000000000, 0x7F0000000010));
  CHECK(spans.size() == 2);
  CHECK_FALSE(spans.extend(0x10000, 0x20000));
  CHECK(spans.place_of(0x10000) == 0);
  CHECK(spans.place_of(0x10200) == 0x40);
  CHECK(spans.place_of(0x7F0000000008) == 0x42);
  CHECK(spans.bytes() == 0x43 * 8);
  CHECK(spans.place_of(0x7F0000000010) == AddressSpans::kNowhere);
  CHECK(spans.place_of(0x10208) == AddressSpans::kNowhere);
  CHECK(spans.place_of(0xFFF8) == AddressSpans::kNowhere);
}
