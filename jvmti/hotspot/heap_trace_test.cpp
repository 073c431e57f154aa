#include "jvmti/hotspot/heap_trace.h"

#include <doctest/doctest.h>

#include <memory>

#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

// A trace with everything that it needs, over a heap that the test damages first.
struct Bench {
  explicit Bench(FakeHeap& h, std::uint64_t memory = FakePicture::kMemory)
      : heap(h),
        fake(h, memory),
        view(h.layout),
        shapes(view, fake.picture.catalog, fake.memory.work_arena()),
        references(view, fake.picture.catalog, shapes) {}

  Result<void> prepare() {
    HF_CHECK_OK(shapes.read());
    HF_TRY(made,
           GrowingMarkTable::make(fake.memory.work_arena(), heap.heap_end() - heap.heap_start()));
    marks = made;
    trace = std::make_unique<HeapTrace>(view, shapes, references, marks, fake.memory.work_arena());
    return {};
  }
  Result<void> run(std::initializer_list<Address> roots) {
    if (!trace) HF_CHECK_OK(prepare());
    for (const Address root : roots) HF_CHECK_OK(trace->add_root(root));
    return trace->run(cancel);
  }
  bool reached(Address object) const { return marks.marked(heap.layout.place_of(object)); }

  FakeHeap& heap;
  FakePicture fake;
  HeapView view;
  ClassShapes shapes;
  ObjectReferences references;
  GrowingMarkTable marks;
  std::unique_ptr<HeapTrace> trace;
  CancelToken cancel;
};

// The code that a trace of a damaged heap ends with; kCancelled when it ends well.
template <class Damage>
ErrorCode traced(Damage damage, FakeHeapKind kind = {}) {
  FakeHeap heap(kind);
  const Address root = heap.new_array(FakeHeap::kObjects, 4);
  const Address leaf = heap.new_instance(FakeHeap::kWeak);
  heap.link_element(root, 0, leaf);
  heap.link_element(root, 3, heap.new_array(FakeHeap::kBytes, 9));
  Bench bench(heap);
  REQUIRE(bench.prepare());
  damage(heap, root, leaf);
  const Result<void> done = bench.run({root});
  return done ? ErrorCode::kCancelled : done.error().code;
}

constexpr ErrorCode kFine = ErrorCode::kCancelled;
constexpr ErrorCode kBad = ErrorCode::kInconsistent;
using H = FakeHeap;

}  // namespace

TEST_CASE("a reference out of the heap or between objects' places is no picture") {
  CHECK(traced([](H&, Address, Address) {}) == kFine);
  for (const auto& [narrow, forwarded] : {std::pair{true, false}, {false, false}, {true, true}}) {
    const FakeHeapKind kind{.narrow_references = narrow, .forwarded = forwarded};
    const auto put = [&](std::uint64_t from_end) {
      return traced(
          [&](H& h, Address root, Address) {
            h.put_reference(root + h.array_header() + h.step(), h.heap_end() + from_end);
          },
          kind);
    };
    CHECK(put(0) == kBad);
    CHECK(put(4096) == kBad);
    CHECK(traced([](H& h, Address root,
                    Address) { h.put_reference(root + h.array_header(), h.heap_start() - 8); },
                 kind) == kBad);
  }
  CHECK(traced([](H& h, Address root,
                  Address leaf) { h.put_reference(root + h.array_header(), leaf + 4); },
               {.narrow_references = false}) == kBad);
  CHECK(traced([](H& h, Address root,
                  Address leaf) { h.put_reference(root + h.array_header(), leaf + 8); },
               {.alignment = 16}) == kBad);
}

TEST_CASE("the heap's last words are no object, and nothing behind them is read") {
  for (const bool compact : {false, true}) {
    for (const bool narrow_classes : {false, true}) {
      CAPTURE(compact);
      CAPTURE(narrow_classes);
      CHECK(traced([](H& h, Address root,
                      Address) { h.put_reference(root + h.array_header(), h.heap_end() - 8); },
                   {.narrow_classes = narrow_classes, .compact_headers = compact}) == kBad);
    }
  }
}

TEST_CASE("a class word that is none, or an object that would not fit, is no picture") {
  CHECK(traced([](H& h, Address, Address leaf) { h.set_class(leaf, h.class_address(0) + 8); }) ==
        kBad);
  CHECK(traced([](H& h, Address, Address leaf) { h.set_class(leaf, h.layout.class_base); }) ==
        kBad);
  CHECK(traced([](H& h, Address root, Address) {
          H::put<std::uint32_t>(root + h.layout.array_length, 0xFFFFFFFFu);
        }) == kBad);
  CHECK(traced([](H& h, Address root, Address) {
          H::put<std::uint32_t>(h.mirror(H::kWeak) + h.layout.mirror_words, 0);
          (void)root;
        }) == kBad);
  CHECK(traced([](H& h, Address root, Address) {
          H::put<std::uint32_t>(h.mirror(H::kWeak) + h.layout.mirror_words, 1u << 28);
          (void)root;
        }) == kBad);
}

TEST_CASE("an object may end where the heap ends, and not one place later") {
  for (const std::uint32_t beyond : {0u, 1u}) {
    FakeHeap heap;
    const Address first = heap.new_array(H::kBytes, 0);
    const auto room = static_cast<std::uint32_t>(heap.heap_end() - first - 2 * heap.array_header());
    const Address last = heap.new_array(H::kBytes, room);
    H::put<std::uint32_t>(last + heap.layout.array_length, room + beyond);
    Bench bench(heap);
    CHECK(bench.run({first, last}).ok() == (beyond == 0));
  }
}

TEST_CASE("a root that is no object is refused at once") {
  FakeHeap heap;
  Bench bench(heap);
  REQUIRE(bench.prepare());
  for (const Address bad : {Address{0}, heap.heap_end(), heap.heap_start() + 4}) {
    const Result<void> done = bench.trace->add_root(bad);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == kBad);
    CHECK(done.error().detail == static_cast<std::int64_t>(bad));
  }
}

TEST_CASE("a list of a million objects, and an array of a million references") {
  FakeHeap heap({.heap_bytes = std::uint64_t{48} << 20});
  const std::uint32_t link = heap.add_type(
      {.name = "shop.Link", .bytes = 24, .fields = {{"next", 16}}, .maps = {{16, 1}}});
  constexpr std::uint32_t kMany = 1'000'000;
  const Address wide = heap.new_array(H::kObjects, kMany);
  const Address head = heap.new_instance(link);
  Address last = head;
  for (std::uint32_t i = 1; i < kMany; ++i) {
    const Address next = heap.new_instance(link);
    heap.put_reference(last + 16, next);
    // The array knows them from the end.
    heap.put_reference(wide + heap.array_header() + (kMany - i) * heap.step(), next);
    last = next;
  }
  for (const auto& roots : {std::initializer_list<Address>{head}, {wide}, {wide, head}}) {
    Bench bench(heap);
    REQUIRE(bench.run(roots));
    CHECK(bench.reached(last));
    CHECK(bench.trace->counts().objects >= kMany - 1);
  }
}

TEST_CASE("a withdrawn trace ends") {
  FakeHeap heap({.heap_bytes = std::uint64_t{4} << 20});
  const Address wide = heap.new_array(H::kObjects, 100'000);
  for (std::uint32_t i = 0; i < 100'000; ++i)
    heap.put_reference(wide + heap.array_header() + i * 4, heap.new_object(H::kObject, 16));
  Bench bench(heap);
  bench.cancel.cancel();
  const Result<void> done = bench.run({wide});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kCancelled);
}

TEST_CASE("wherever the memory is used up, that is said and nothing else") {
  FakeHeap heap({.heap_bytes = std::uint64_t{8} << 20});
  const std::uint32_t late = heap.add_type(
      {.name = "shop.Late", .bytes = 32, .maps = {{16, 2}}, .statics = 3, .listed = false});
  const Address wide = heap.new_array(H::kObjects, 60'000);
  for (std::uint32_t i = 0; i < 60'000; ++i)
    heap.put_reference(wide + heap.array_header() + i * 4,
                       i == 0 ? heap.new_instance(late) : heap.new_object(H::kObject, 16));
  FakePicture fake(heap);
  const HeapView view(heap.layout);
  int refused = 0;
  for (std::uint64_t room = 0;; room += 16 << 10) {
    Ledger ledger(room);
    Reservation reservation;
    REQUIRE(reservation.open(std::size_t{64} << 20));
    auto arena = reservation.take_arena(std::size_t{64} << 20, ledger, MemoryCategory::kAnalysis);
    REQUIRE(arena);
    const auto run = [&]() -> Result<void> {
      ClassShapes shapes(view, fake.picture.catalog, *arena);
      HF_CHECK_OK(shapes.read());
      ObjectReferences references(view, fake.picture.catalog, shapes);
      HF_TRY(marks, GrowingMarkTable::make(*arena, heap.heap_end() - heap.heap_start()));
      HeapTrace trace(view, shapes, references, marks, *arena);
      HF_CHECK_OK(trace.add_root(wide));
      return trace.run(CancelToken{});
    };
    const Result<void> done = run();
    if (done) break;
    REQUIRE(done.error().code == ErrorCode::kOutOfBudget);
    ++refused;
  }
  CHECK(refused > 20);
}

TEST_CASE("what frames hold is believed when it is an object, and dropped when not") {
  FakeHeap heap;
  const std::uint32_t node = heap.add_type(
      {.name = "shop.Node", .bytes = 32, .fields = {{"next", 16}}, .maps = {{16, 1}}});
  const std::uint32_t late = heap.add_type({.name = "shop.Late", .bytes = 32, .listed = false});
  const Address good = heap.new_instance(node);
  const Address behind = heap.new_instance(H::kWeak);
  heap.put_reference(good + 16, behind);
  const Address unknown = heap.new_instance(late);
  const Address dead = heap.new_array(H::kObjects, 3);
  H::put<std::uint32_t>(dead + heap.layout.array_length, 0xFFFFFFF0u);
  const Address stale = heap.new_instance(node);  // leads to what is no longer an object
  heap.put_reference(stale + 16, dead);
  const Address odd = heap.new_instance(node);
  heap.put_reference(odd + 16, heap.heap_end() + 64);
  const Address lost = heap.new_instance(node);
  heap.put_reference(lost + 16, unknown);
  const Address chunk = heap.new_chunk(9, 0);
  const Address words[] = {good, 0, unknown, dead, stale, odd, lost, heap.heap_end(), good + 4};
  for (std::uint32_t w = 0; w < 9; ++w) H::put<Address>(heap.frame_word(chunk, w), words[w]);
  Bench bench(heap);
  REQUIRE(bench.run({chunk}));
  for (const Address object : {chunk, good, behind, stale, odd, lost}) CHECK(bench.reached(object));
  CHECK_FALSE(bench.reached(unknown));
  CHECK_FALSE(bench.reached(dead));
  const TraceCounts& counts = bench.trace->counts();
  CHECK(counts.guesses == 4);
  CHECK(counts.dropped == 3);
  CHECK(counts.learned_classes == 0);
}

TEST_CASE("frames below the top frame's two saved words are not read") {
  FakeHeap heap;
  const Address below = heap.new_instance(H::kObject);
  const Address saved = heap.new_instance(H::kObject);
  const Address above = heap.new_instance(H::kObject);
  const Address chunk = heap.new_chunk(8, 4);
  H::put<Address>(heap.frame_word(chunk, 1), below);
  H::put<Address>(heap.frame_word(chunk, 2), saved);
  H::put<std::uint32_t>(heap.frame_word(chunk, 7) + 4, heap.encode(above));
  Bench bench(heap);
  REQUIRE(bench.run({chunk}));
  CHECK_FALSE(bench.reached(below));
  CHECK(bench.reached(saved));
  CHECK(bench.reached(above));
}

TEST_CASE("a chunk that would not fit, or whose class tells no fields, is no picture") {
  FakeHeap heap;
  const Address chunk = heap.new_chunk(8, 0);
  {
    Bench bench(heap);
    bench.fake.picture.catalog.field_ids = {};
    CHECK(bench.run({chunk}).ok() == false);
  }
  H::put<std::uint32_t>(chunk + H::kChunkSize, 0x7FFFFFFF);
  Bench bench(heap);
  const Result<void> done = bench.run({chunk});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == kBad);
}
