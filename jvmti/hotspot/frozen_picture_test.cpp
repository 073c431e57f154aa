#include "jvmti/hotspot/frozen_picture.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "analysis/graph_window.h"
#include "analysis/lab/random.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

// Small, so that no half of a word in a stack frame looks like a reference by chance.
constexpr std::uint64_t kHeapBytes = 128 << 10;

// A heap with a few of everything, linked at random.
class RandomHeap {
 public:
  explicit RandomHeap(std::uint64_t seed) : heap(kind_of(seed)), random_(seed) {
    add_types();
    add_objects();
    for (const Address object : objects_) link(object);
    link_classes();
    for (int i = 0; i < 3; ++i) roots.push_back(any());
  }

  FakeHeap heap;
  std::vector<Address> roots;

 private:
  static FakeHeapKind kind_of(std::uint64_t seed) {
    FakeHeapKind kind;
    kind.narrow_references = seed % 2 == 0;
    kind.narrow_classes = seed / 2 % 3 != 0;
    kind.compact_headers = seed / 2 % 3 == 2;
    kind.mirror_by_handle = seed / 6 % 2 == 0;
    kind.pool_cached = seed / 12 % 2 == 0;
    kind.forwarded = seed / 24 % 2 == 1;
    kind.alignment = seed % 5 == 0 ? 16 : 8;
    kind.heap_bytes = kHeapBytes;
    return kind;
  }
  std::uint32_t below(std::uint32_t n) { return random_.below(n); }
  Address any() { return objects_[below(static_cast<std::uint32_t>(objects_.size()))]; }

  void add_types() {
    const std::uint32_t step = heap.step();
    node_ = heap.add_type({.name = "shop.Node",
                           .bytes = 56,
                           .fields = {{"next", 16}, {"other", 16 + step}, {"last", 40}},
                           .maps = {{16, 2}, {40, 1}},
                           .statics = 2,
                           .vtable = 5,
                           .itable = 2});
    heir_ = heap.add_type({.name = "shop.Heir",
                           .superclass = static_cast<int>(node_),
                           .bytes = 64,
                           .fields = {{"more", 56}, {"shared", 48 + step, true}},
                           .maps = {{16, 2}, {40, 1}, {56, 1}},
                           .statics = 2,
                           .interfaces = {FakeHeap::kDomain}});
    late_ = heap.add_type(
        {.name = "shop.Late", .bytes = 32, .maps = {{16, 2}}, .statics = 1, .listed = false});
  }
  void add_objects() {
    const std::uint32_t count = 1 + below(200);
    for (std::uint32_t i = 0; i < count; ++i) objects_.push_back(new_object());
    for (int i = 0; i < 3; ++i) leaves_.push_back(heap.new_array(FakeHeap::kBytes, below(50)));
    objects_.insert(objects_.end(), leaves_.begin(), leaves_.end());
    for (std::uint32_t t = 0; t < heap.type_count(); ++t) objects_.push_back(heap.mirror(t));
  }
  Address new_object() {
    switch (below(8)) {
      case 0:
        return heap.new_array(FakeHeap::kObjects, below(20));
      case 1:
        return heap.new_array(FakeHeap::kBytes, below(40));
      case 2:
        return heap.new_instance(FakeHeap::kWeak);
      case 3:
        return heap.new_instance(heir_);
      case 4:
        return heap.new_instance(late_);
      case 5:
        return heap.new_chunk(below(12), below(5));
      default:
        return heap.new_instance(node_);
    }
  }

  // With some luck through an old copy, where the collector leaves such.
  void put(Address from, std::uint32_t offset, RefLabel label) {
    if (below(3) == 0) return;
    const Address to = any();
    heap.link(from, offset, to, label);
    if (!heap.kind().forwarded || below(4) != 0) return;
    const Address old_copy = heap.new_object(FakeHeap::kObject, 16);
    heap.forward(old_copy, to);
    heap.put_reference(from + offset, old_copy);
  }
  void link(Address object) {
    const std::uint32_t type = heap.objects().at(object).type;
    const std::uint32_t step = heap.step();
    const RefLabel other = special(SpecialRef::kOther);
    if (type == FakeHeap::kObjects) {
      for (std::uint32_t i = 0; i < load<std::uint32_t>(object + heap.layout.array_length); ++i)
        put(object, heap.array_header() + i * step, RefLabel::element(i));
    } else if (type == FakeHeap::kWeak) {
      put(object, 16, special(SpecialRef::kReferentWeak));
      put(object, 16 + step, RefLabel::instance_field(1));
    } else if (type == late_) {
      put(object, 16, other);
      put(object, 16 + step, other);
    } else if (type == node_ || type == heir_) {
      put(object, 16, RefLabel::instance_field(0));
      put(object, 16 + step, RefLabel::instance_field(1));
      put(object, 40, RefLabel::instance_field(2));
      if (type == heir_) put(object, 56, RefLabel::instance_field(3));
    } else if (type == FakeHeap::kChunk) {
      put(object, 24, RefLabel::instance_field(2));
      link_frames(object);
    }
  }
  // Frames hold references of either width, and what is none; below `sp` nothing counts but two saved words.
  void link_frames(Address chunk) {
    const auto words = load<std::uint32_t>(chunk + FakeHeap::kChunkSize);
    const auto top = load<std::uint32_t>(chunk + FakeHeap::kChunkTop);
    const std::uint32_t from = top > 2 && top <= words ? top - 2 : 0;
    for (std::uint32_t w = 0; w < words; ++w) {
      const Address leaf = leaves_.empty() ? 0 : leaves_[below(3)];
      const Address target = leaf != 0 ? leaf : chunk;
      const Address word = heap.frame_word(chunk, w);
      const std::uint32_t how = below(4);
      if (how == 0) FakeHeap::put<Address>(word, target);
      if (how == 1) FakeHeap::put<Address>(word, target + 4);
      if (how == 2) FakeHeap::put<std::uint32_t>(word + below(2) * 4, heap.encode(target));
      const bool told = how == 0 || (how == 2 && heap.kind().narrow_references);
      if (told && w >= from) heap.note_edge(chunk, target, special(SpecialRef::kOther));
    }
  }
  void link_classes() {
    const RefLabel other = special(SpecialRef::kOther);
    for (const std::uint32_t type : {node_, heir_, late_}) {
      for (std::uint32_t i = 0; i < heap.type(type).statics; ++i) {
        if (below(3) == 0) continue;
        const bool named = type == heir_ && i == 1;  // the fifth field of the chain
        heap.link_static(type, i, any(), named ? RefLabel::static_field(4) : other);
      }
    }
    heap.link(heap.mirror(heir_), 16, heap.new_instance(node_), special(SpecialRef::kClassLoader));
    if (below(2) == 0)
      heap.link(heap.mirror(node_), 16 + heap.step(), heap.new_instance(FakeHeap::kDomain),
                special(SpecialRef::kProtectionDomain));
    heap.set_pool(node_, {{7, heir_}, {8, any()}, {10, 0}, {8, 0}, {8, any()}, {7, late_}, {1, 0}});
  }

  analysis::lab::Random random_;
  std::uint32_t node_ = 0, heir_ = 0, late_ = 0;
  std::vector<Address> objects_, leaves_;
};

// As the snapshot has it, by address.
std::map<Address, std::vector<FakeEdge>> graph_of(const Snapshot& s,
                                                  const std::vector<Address>& addresses) {
  std::map<Address, std::vector<FakeEdge>> graph;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    std::vector<FakeEdge>& row = graph[addresses[v]];
    for (std::uint32_t r = s.first_ref[v]; r < s.first_ref[v + 1]; ++r)
      row.emplace_back(addresses[s.target[r].value], s.label[r].bits);
    std::sort(row.begin(), row.end());
  }
  return graph;
}

// One reading of a heap, as a child would do it.
struct Reading {
  FakePicture fake;
  PictureReader reader;
  MethodNames methods;
  Capture capture;
  CancelToken never;

  Reading(FakeHeap& heap, const std::vector<Address>& roots)
      : fake(heap), reader(fake.picture, fake.memory) {
    for (const Address root : roots) fake.add_root(root);
    REQUIRE(methods.collect(fake.picture.roots.span(), fake.memory.work_arena()));
  }
  Result<void> fill() {
    HF_CHECK_OK(reader.trace(never));
    return reader.fill(methods, capture);
  }
  Result<void> count() {
    HF_CHECK_OK(reader.trace(never));
    return reader.count(methods, capture);
  }
};

std::vector<Address> keys(const std::map<Address, std::vector<FakeEdge>>& graph) {
  std::vector<Address> out;
  out.reserve(graph.size());
  for (const auto& [address, row] : graph) out.push_back(address);
  return out;
}

void check_fill(RandomHeap& random) {
  Reading reading(random.heap, random.roots);
  const auto wanted = reading.fake.reachable(random.roots);
  REQUIRE(reading.fill());
  const Snapshot& s = reading.capture.snapshot;
  const std::vector<Address> addresses = keys(wanted);
  REQUIRE(s.object_count() == addresses.size());
  CHECK(graph_of(s, addresses) == wanted);
  CHECK(s.losses.references_to_unknown == 0);
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    const auto& made = random.heap.objects().at(addresses[v]);
    REQUIRE(s.class_of[v] == reading.fake.class_id(made.type));
    REQUIRE(s.shallow_bytes(ObjectId{v}) == made.bytes);
  }
  for (std::size_t i = 0; i < random.roots.size(); ++i)
    CHECK(addresses[s.roots[i].object.value] == random.roots[i]);
  const TraceCounts& counts = reading.reader.counts();
  CHECK(counts.objects == wanted.size());
  CHECK(counts.references == s.reference_count());
  CHECK(counts.dropped == 0);
  for (const auto& [address, row] : wanted) REQUIRE(row.size() <= counts.largest_row);
}

void check_count(RandomHeap& random) {
  Reading reading(random.heap, random.roots);
  REQUIRE(reading.count());
  CHECK_FALSE(reading.capture.has_graph);
  std::vector<ClassCount> wanted(reading.capture.histogram.size());
  for (const Address address : keys(reading.fake.reachable(random.roots))) {
    const auto& made = random.heap.objects().at(address);
    const ClassId id = reading.fake.class_id(made.type);
    ClassCount& row = id.valid() ? wanted[id.value] : wanted.back();
    ++row.instances;
    row.shallow_bytes += made.bytes;
  }
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    CHECK(reading.capture.histogram[c].instances == wanted[c].instances);
    CHECK(reading.capture.histogram[c].shallow_bytes == wanted[c].shallow_bytes);
  }
  CHECK(reading.capture.snapshot.losses.objects_unknown_class == wanted.back().instances);
}

// The file of a stream, read back; gone afterwards.
class Streamed {
 public:
  Streamed() {
    std::snprintf(name_.text, sizeof name_.text, "frozen_picture_test.hfs");
    std::filesystem::remove(name_.text);
  }
  ~Streamed() { std::filesystem::remove(name_.text); }

  Result<void> write(Reading& reading) {
    HF_CHECK_OK(reading.count());
    AnalysisInput input{
        reading.capture,       record_,      options_, reading.fake.memory.work_arena(),
        reading.fake.ledger(), reading.never};
    const TraceCounts& counts = reading.reader.counts();
    const analysis::SnapshotStreamFacts facts{reading.capture.snapshot.catalog,
                                              reading.reader.roots(),
                                              reading.capture.histogram,
                                              counts.objects,
                                              counts.references,
                                              reading.capture.snapshot.losses};
    analysis::SnapshotStream stream;
    HF_CHECK_OK(stream.open(input, name_, facts));
    HF_CHECK_OK(reading.reader.stream(stream));
    HF_CHECK_OK(stream.finish());
    return file_.open(name_.text);
  }
  const Snapshot& snapshot() const { return file_.snapshot(); }

 private:
  FileName name_;
  DumpRecord record_;
  Options options_;
  analysis::SnapshotFile file_;
};

void check_stream(RandomHeap& random) {
  Reading reading(random.heap, random.roots);
  const auto wanted = reading.fake.reachable(random.roots);
  Streamed streamed;
  REQUIRE(streamed.write(reading));
  CHECK(graph_of(streamed.snapshot(), keys(wanted)) == wanted);
}

}  // namespace

TEST_CASE("random heaps: the snapshot is what was linked, object by object and label by label") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomHeap random(seed);
    check_fill(random);
  }
}

TEST_CASE("random heaps: classes are counted without a graph") {
  for (std::uint64_t seed = 400; seed < 500; ++seed) {
    CAPTURE(seed);
    RandomHeap random(seed);
    check_count(random);
  }
}

TEST_CASE("random heaps: the graph in windows is the same graph") {
  for (std::uint64_t seed = 500; seed < 560; ++seed) {
    CAPTURE(seed);
    RandomHeap random(seed);
    check_stream(random);
  }
}

TEST_CASE("a heap of more windows than one, and an array wider than a window") {
  FakeHeap heap({.heap_bytes = std::uint64_t{8} << 20});
  const std::uint32_t wide = analysis::GraphWindow::kReferences + 5;
  const Address first = heap.new_array(FakeHeap::kObjects, wide);
  for (std::uint32_t i = 0; i < wide; ++i)
    heap.link_element(first, i, i % 3 == 0 ? heap.new_instance(FakeHeap::kObject) : first);
  Reading reading(heap, {first});
  const auto wanted = reading.fake.reachable({first});
  REQUIRE(wanted.size() > 2 * analysis::GraphWindow::kObjects);
  Streamed streamed;
  REQUIRE(streamed.write(reading));
  CHECK(graph_of(streamed.snapshot(), keys(wanted)) == wanted);
  CHECK(streamed.snapshot().reference_count() == reading.reader.counts().references);
}

TEST_CASE("roots: our own handles are left out, kept ones and builtin classes are added") {
  FakeHeap heap;
  const Address held = heap.new_instance(FakeHeap::kWeak);
  const Address ours = heap.new_instance(FakeHeap::kObject);
  const Address kept = heap.new_array(FakeHeap::kBytes, 3);
  Reading reading(heap, {held});
  reading.fake.picture.catalog.capture_thread = ThreadId{1};
  reading.fake.add_root(ours, RootKind::kJniLocal, ThreadId{1});
  reading.fake.add_root(kept, RootKind::kSystemClass);
  const Address handles[] = {heap.handle(kept), heap.handle(0)};
  reading.fake.picture.catalog.kept_roots = handles;
  REQUIRE(reading.fill());
  std::multiset<RootKind> kinds;
  for (const RootRecord& root : reading.capture.snapshot.roots) {
    CHECK(root.object.valid());
    kinds.insert(root.kind);
  }
  // The kept one, and what the VM calls a system class though it is no class object.
  CHECK(kinds.count(RootKind::kOther) == 2);
  CHECK(kinds.count(RootKind::kJniLocal) == 0);
  CHECK(kinds.count(RootKind::kJniGlobal) == 1);
  // WeakReference, its superclass and the array's class are reached; java.lang.Class is their class.
  CHECK(kinds.count(RootKind::kSystemClass) == 4);
}

TEST_CASE("roots: a JNI local of a method that is not native is a constant of its code") {
  constexpr std::uint32_t kFlags = 40;
  for (const bool known : {true, false}) {
    FakeHeap heap;
    const Address held = heap.new_instance(FakeHeap::kWeak);
    if (known) heap.layout.method_flags = kFlags;
    Reading reading(heap, {held});
    // Public and native, public and static, and a handle that leads nowhere.
    const std::uint16_t flags[] = {0x101, 0x009};
    std::vector<Address> methods;
    for (const std::uint16_t one : flags) {
      const Address method = heap.metadata(64);
      std::memcpy(reinterpret_cast<void*>(method + kFlags), &one, sizeof one);
      const Address handle = heap.metadata(8);
      std::memcpy(reinterpret_cast<void*>(handle), &method, sizeof method);
      methods.push_back(handle);
    }
    methods.push_back(8);
    for (const Address method : methods) {
      reading.fake.add_root(held, RootKind::kJniLocal);
      reading.fake.picture.roots.span().back().method = method;
    }
    REQUIRE(reading.fill());
    std::multiset<RootKind> kinds;
    for (const RootRecord& root : reading.capture.snapshot.roots) kinds.insert(root.kind);
    CHECK(kinds.count(RootKind::kJniLocal) == (known ? 2 : 3));
    CHECK(kinds.count(RootKind::kOther) == (known ? 1 : 0));
  }
}

TEST_CASE("roots: the class object of a hidden class is none") {
  std::size_t system_classes[2] = {};
  for (const bool hidden : {false, true}) {
    FakeHeap heap;
    Reading reading(heap, {heap.new_instance(FakeHeap::kWeak)});
    Catalog& catalog = reading.fake.catalog.catalog;
    if (hidden)
      catalog.classes[reading.fake.class_id(FakeHeap::kWeak).value].name =
          catalog.strings.intern("shop.Weak/0x0000000060040860");
    REQUIRE(reading.fill());
    for (const RootRecord& root : reading.capture.snapshot.roots)
      system_classes[hidden ? 1 : 0] += root.kind == RootKind::kSystemClass ? 1 : 0;
  }
  CHECK(system_classes[0] == system_classes[1] + 1);
}

TEST_CASE("more bytes than the VM may use contradict the picture") {
  FakeHeap heap;
  const Address root = heap.new_array(FakeHeap::kBytes, 50'000);
  Reading good(heap, {root});
  good.fake.picture.heap_before.max_bytes = 60'000;
  CHECK(good.fill());
  Reading bad(heap, {root});
  bad.fake.picture.heap_before.max_bytes = 50'000;
  const Result<void> done = bad.fill();
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kInconsistent);
}

TEST_CASE("what a stale class object behind a frame refers to is read only where it is an object") {
  FakeHeapKind kind;
  kind.narrow_references = false;
  FakeHeap heap(kind);
  const Address stale = heap.mirror(heap.add_type({.name = "shop.Gone", .listed = false}));
  FakeHeap::put<Address>(stale + heap.layout.mirror_class, 0);
  FakeHeap::put<Address>(stale + FakeHeap::kFirstField + heap.step(),
                         1);  // a field that the VM adds
  const Address chunk = heap.new_chunk(4, 0);
  FakeHeap::put<Address>(heap.frame_word(chunk, 0), stale);
  Reading reading(heap, {chunk});
  REQUIRE(reading.fill());
  CHECK(reading.capture.snapshot.losses.references_to_unknown == 1);
}
