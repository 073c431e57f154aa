#include <doctest/doctest.h>

#include <map>

#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/heap/random_clr_heap_fixture.h"
#include "clrprofiler/heap/var_int.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// What a heap's classes add up to, by type.
std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts_of(
    const FakeClrHeap& heap) {
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const FakeObject& object : heap.objects) {
    ++counts[object.type].first;
    counts[object.type].second += (object.bytes + 7) / 8 * 8;
  }
  return counts;
}

std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts_of(
    const HeapRecording& recording) {
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const CountedType& row : recording.classes.rows())
    if (row.instances > 0) counts[row.type] = {row.instances, row.shallow_bytes};
  return counts;
}

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

FakeClrHeap some_heap(std::uint64_t seed = 1, std::size_t objects = 2000) {
  RandomHeapShape shape;
  shape.objects = objects;
  return RandomClrHeap(shape, seed).make();
}

}  // namespace

TEST_CASE("var-ints come back as they were, and end where the bytes end") {
  std::uint8_t bytes[2 * kMaxVarIntBytes] = {};
  for (unsigned shift = 0; shift < 64; ++shift)
    for (const std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1,
                                      ~(std::uint64_t{1} << shift)}) {
      const std::uint8_t* end = put_var_int(bytes, value);
      const std::uint8_t* at = bytes;
      std::uint64_t back = 0;
      REQUIRE(take_var_int(at, end, back));
      CHECK(back == value);
      CHECK(at == end);
      for (const std::uint8_t* cut = bytes; cut < end; ++cut) {
        at = bytes;
        CHECK_FALSE(take_var_int(at, cut, back));
      }
      CHECK(un_zig_zag(zig_zag(value)) == value);
    }
}

TEST_CASE("classes are counted, and a foreign walk leaves nothing behind") {
  const FakeClrHeap heap = some_heap();
  FakeEvents events{fake_forced_start(1)};
  append(events, fake_walk(some_heap(2)));  // begins like ours, and never ends
  append(events, fake_forced_walk(heap, 2));
  append(events, fake_forced_walk(some_heap(3), 3));
  FakeRecording bench;
  bench.play(events);
  CHECK(bench.recorder().done());
  CHECK(bench.recording().whole());
  CHECK(bench.recording().counts.nodes == heap.objects.size());
  CHECK(bench.recording().statics.size() == heap.statics.size());
  CHECK(counts_of(bench.recording()) == counts_of(heap));
  CHECK(bench.recorder().filter().foreign_walks() == 1);
}

TEST_CASE("static variables keep their slots and names") {
  FakeClrHeap heap = some_heap();
  heap.statics = {{8, 16, 24, 0, u"s_cache"}, {32, 40, 48, kStaticThreadLocal, u"\u00E9\u00E9"}};
  FakeRecording bench;
  bench.play(fake_forced_walk(heap));
  const HeapRecording& recording = bench.recording();
  REQUIRE(recording.statics.size() == 2);
  const auto name = [&](const RecordedStatic& s) {
    return std::u16string(recording.names.span().data() + s.name_at, s.name_units);
  };
  CHECK(recording.statics[0].slot == 8);
  CHECK(recording.statics[0].object == 16);
  CHECK(recording.statics[0].type == 24);
  CHECK(name(recording.statics[0]) == u"s_cache");
  CHECK(recording.statics[1].flags == kStaticThreadLocal);
  CHECK(name(recording.statics[1]) == u"\u00E9\u00E9");
}

TEST_CASE("whatever is full is told, and classes are counted on") {
  RecordingLimits roomy = recording_limits(kMemory);
  const FakeClrHeap heap = some_heap(1, 4000);
  const auto trouble_with = [&](RecordingLimits limits) {
    FakeRecording bench(kMemory, limits);
    bench.play(fake_forced_walk(heap));
    CHECK(bench.recorder().done());
    CHECK(bench.recording().whole() == (bench.recording().trouble == RecordingTrouble::kNone));
    CHECK(counts_of(bench.recording()) == counts_of(heap));
    return bench.recording().trouble;
  };
  CHECK(trouble_with(roomy) == RecordingTrouble::kNone);
  RecordingLimits limits = roomy;
  limits.runs = 3;
  CHECK(trouble_with(limits) == RecordingTrouble::kRunsFull);
  limits = roomy;
  limits.dependents = 5;
  CHECK(trouble_with(limits) == RecordingTrouble::kDependentsFull);
  limits = roomy;
  limits.statics = 5;
  CHECK(trouble_with(limits) == RecordingTrouble::kStaticsFull);
  limits = roomy;
  limits.name_units = 20;
  CHECK(trouble_with(limits) == RecordingTrouble::kStaticsFull);
}

TEST_CASE("streams that are full stop, each by itself or when the budget is used up") {
  const FakeClrHeap heap = some_heap(1, 4000);
  const auto trouble_with = [&](std::uint64_t left, std::uint64_t node_bytes,
                                std::uint64_t edge_bytes, std::size_t most_roots = 1000) {
    FakeRecording bench(kMemory);
    HeapRecording& recording = bench.recording();
    GrantBudget budget{left, 0};
    std::vector<std::uint8_t> nodes(node_bytes);
    std::vector<std::uint8_t> edges(edge_bytes);
    recording.nodes = ByteColumn(nodes.data(), nodes.size(), budget);
    recording.edges = ByteColumn(edges.data(), edges.size(), budget);
    std::vector<RecordedRoot> roots(most_roots);
    recording.roots = Column<RecordedRoot>(roots.data(), roots.size(), budget);
    bench.play(fake_forced_walk(heap));
    CHECK(bench.recorder().done());
    CHECK(counts_of(recording) == counts_of(heap));
    CHECK(recording.nodes.size() <= node_bytes);
    CHECK(recording.edges.size() <= edge_bytes);
    return recording.trouble;
  };
  constexpr std::uint64_t kLots = 1u << 20;
  CHECK(trouble_with(kLots, kLots, kLots) == RecordingTrouble::kNone);
  for (const std::uint64_t bytes : {0u, 1u, 39u, 40u, 1000u, 5000u})
    CHECK(trouble_with(kLots, bytes, kLots) == RecordingTrouble::kNodesFull);
  for (const std::uint64_t bytes : {0u, 1u, 10'000u, 12'000u})
    CHECK(trouble_with(kLots, kLots, bytes) == RecordingTrouble::kEdgesFull);
  CHECK(trouble_with(0, kLots, kLots) == RecordingTrouble::kNodesFull);
  CHECK(trouble_with(ByteColumn::kGrantBytes, kLots, kLots) == RecordingTrouble::kEdgesFull);
  CHECK(trouble_with(kLots, kLots, kLots, 3) == RecordingTrouble::kRootsFull);
}

TEST_CASE("classes beyond the limit are counted as unknown, and the graph is whole") {
  RecordingLimits limits = recording_limits(kMemory);
  limits.classes = 4;
  const FakeClrHeap heap = some_heap();
  FakeRecording bench(kMemory, limits);
  bench.play(fake_forced_walk(heap));
  CHECK(bench.recording().whole());
  CHECK(bench.recording().classes.size() == 5);
  std::uint64_t instances = 0;
  for (const CountedType& row : bench.recording().classes.rows()) instances += row.instances;
  CHECK(instances == heap.objects.size());
  CHECK(bench.recording().classes.row(ClassTable::kUnknown).instances > 0);
}

TEST_CASE("many classes find their rows again") {
  FakeRecording bench;
  ClassTable& table = bench.recording().classes;
  std::mt19937_64 random(3);
  std::map<std::uint64_t, std::uint32_t> known;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t type = 0x7F0000000000 + 8 * (random() % 9000);
    bool fresh = false;
    const std::uint32_t index = table.index_of(type, fresh);
    const auto [at, added] = known.try_emplace(type, index);
    REQUIRE(at->second == index);
    REQUIRE(fresh == added);
    REQUIRE(table.row(index).type == type);
  }
}

TEST_CASE("a payload that is damaged, cut or missing spoils the graph and nothing else") {
  const FakeClrHeap heap = some_heap(1, 300);
  const FakeEvents whole = fake_forced_walk(heap, 1, {40, 90, 2});
  for (std::size_t e = 1; e + 1 < whole.size(); ++e) {
    CAPTURE(e);
    FakeEvents events = whole;
    events[e].bytes.pop_back();
    FakeRecording cut;
    cut.play(events);
    CHECK(cut.recorder().done());
    CHECK_FALSE(cut.recording().whole());
    CHECK(cut.recording().counts.damaged_payloads == 1);
    if (whole[e].id == kBulkStaticVariable) continue;  // has no index
    const bool last = e + 2 == whole.size() || whole[e + 1].id != whole[e].id;
    const bool counted = whole[e].id == kBulkNode || whole[e].id == kBulkEdge;
    if (last && !counted) continue;  // the last batch of roots: nothing tells
    events = whole;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(e));
    FakeRecording lost;
    lost.play(events);
    CHECK_FALSE(lost.recording().whole());
  }
}

TEST_CASE("objects that cannot be are damage") {
  const auto trouble_of = [](const FakeObject& object) {
    FakeClrHeap heap;
    heap.objects = {{0x1000, 24, 8, {}}, object};
    FakeRecording bench;
    bench.play(fake_forced_walk(heap));
    return bench.recording().trouble;
  };
  CHECK(trouble_of({0x2000, 24, 8, {}}) == RecordingTrouble::kNone);
  CHECK(trouble_of({0x2001, 24, 8, {}}) == RecordingTrouble::kDamaged);
  CHECK(trouble_of({0, 24, 8, {}}) == RecordingTrouble::kDamaged);
  CHECK(trouble_of({0x2000, 0, 8, {}}) == RecordingTrouble::kDamaged);
  CHECK(trouble_of({0x2000, UINT64_MAX, 8, {}}) == RecordingTrouble::kDamaged);
  CHECK(trouble_of({UINT64_MAX - 15, 24, 8, {}}) == RecordingTrouble::kDamaged);
  CHECK(trouble_of({0x2000, 24, 8, {0x1001}}) == RecordingTrouble::kDamaged);
}

TEST_CASE("damage after the walk does not spoil it") {
  FakeEvents events = fake_forced_walk(some_heap());
  events.push_back({kGcStart, {1, 2}});
  events.push_back({kBulkNode, {}});
  FakeRecording bench;
  bench.play(events);
  CHECK(bench.recorder().done());
  CHECK(bench.recording().whole());
}

TEST_CASE("an ordinary heap takes few bytes") {
  FakeClrHeap heap;
  std::uint64_t at = 0x7E8A00000020;
  for (int i = 0; i < 3000; ++i) {
    heap.objects.push_back({at, 40, 0x80, {at + 40, at + 40}});
    at += 40;
  }
  FakeRecording bench;
  bench.play(fake_forced_walk(heap));
  CHECK(bench.recording().nodes.size() == heap.objects.size());
  CHECK(bench.recording().edges.size() <= 2 * heap.objects.size() + 8);
}
