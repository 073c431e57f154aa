#include "jvmti/hotspot/class_shapes.h"

#include <doctest/doctest.h>

#include <memory>

#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct Bench {
  FakeHeap heap;
  std::unique_ptr<FakePicture> fake;
  HeapView view{heap.layout};
  std::unique_ptr<ClassShapes> shapes;

  explicit Bench(FakeHeapKind kind = {}) : heap(kind) {}
  Result<void> read() {
    fake = std::make_unique<FakePicture>(heap);
    shapes = std::make_unique<ClassShapes>(view, fake->picture.catalog, fake->memory.work_arena());
    return shapes->read();
  }
  const ClassShape& of(std::uint32_t type) { return *shapes->find(heap.class_address(type)); }
};

// A class with four references in two stretches, behind a vtable and an itable.
FakeType node(std::uint32_t step) {
  return {.name = "shop.Node",
          .bytes = 64,
          .fields = {{"count", 12}, {"next", 16}, {"last", 40 + step}, {"all", 112, true}},
          .maps = {{16, 2}, {40, 2}},
          .statics = 2,
          .vtable = 7,
          .itable = 3};
}

ErrorCode code_of(const Result<void>& result) {
  REQUIRE_FALSE(result);
  return result.error().code;
}

}  // namespace

TEST_CASE("kinds, sizes and fields of the classes that every heap has") {
  for (const bool narrow : {true, false}) {
    Bench bench({.narrow_references = narrow, .narrow_classes = narrow});
    REQUIRE(bench.read());
    CHECK(bench.shapes->all().size() == FakeHeap::kKnownCount);
    CHECK(bench.of(FakeHeap::kObject).kind == ShapeKind::kInstance);
    CHECK(bench.of(FakeHeap::kObject).fields.empty());
    CHECK(bench.of(FakeHeap::kClass).kind == ShapeKind::kClassObject);
    CHECK(bench.of(FakeHeap::kChunk).kind == ShapeKind::kStackChunk);
    CHECK(bench.of(FakeHeap::kBytes).kind == ShapeKind::kPrimitiveArray);
    CHECK(bench.of(FakeHeap::kObjects).kind == ShapeKind::kReferenceArray);
    CHECK(bench.of(FakeHeap::kObjects).instance_bytes == bench.heap.array_header());
    CHECK((1u << bench.of(FakeHeap::kObjects).element_shift) == bench.heap.step());
    CHECK(bench.shapes->stack_chunk_size_field() == FakeHeap::kChunkSize);
    CHECK(bench.shapes->stack_chunk_top_field() == FakeHeap::kChunkTop);
    CHECK(bench.shapes->find(bench.heap.class_address(0) + 8) == nullptr);
  }
}

TEST_CASE("fields come from the maps, names from the ids; statics stand behind the class object") {
  Bench bench;
  const std::uint32_t step = bench.heap.step();
  const std::uint32_t type = bench.heap.add_type(node(step));
  // The second static reference has a name: its offset in the class object is told by the id.
  FakeType heir{.name = "shop.Heir",
                .superclass = static_cast<int>(type),
                .bytes = 72,
                .fields = {{"more", 64}, {"cache", 48 + step, true}},
                .maps = {{16, 2}, {40, 2}, {64, 1}},
                .statics = 2};
  const std::uint32_t below = bench.heap.add_type(heir);
  REQUIRE(bench.read());
  const ClassShape& shape = bench.of(below);
  REQUIRE(shape.fields.size() == 5);
  const RefLabel other = special(SpecialRef::kOther);
  CHECK(shape.fields[0].offset == 16);
  CHECK(shape.fields[0].label == RefLabel::instance_field(bench.fake->slot(type, 1)));
  CHECK(shape.fields[1].label == other);
  CHECK(shape.fields[2].offset == 40);
  CHECK(shape.fields[3].label == RefLabel::instance_field(bench.fake->slot(type, 2)));
  CHECK(shape.fields[4].label == RefLabel::instance_field(bench.fake->slot(below, 0)));
  REQUIRE(shape.statics.size() == 2);
  CHECK(shape.statics[0].offset == 48);
  CHECK(shape.statics[0].label == other);
  CHECK(shape.statics[1].label == RefLabel::static_field(bench.fake->slot(below, 1)));
}

TEST_CASE("the referent is a field of reference classes, though no map has it") {
  Bench bench;
  REQUIRE(bench.read());
  const ClassShape& weak = bench.of(FakeHeap::kWeak);
  REQUIRE(weak.fields.size() == 2);
  CHECK(weak.fields[0].offset == FakeHeap::kFirstField);
  CHECK(weak.fields[0].label == special(SpecialRef::kReferentWeak));
  CHECK(weak.fields[1].label == RefLabel::instance_field(1));
}

TEST_CASE("a loader is told as a loader; a class that is not linked has fields without names") {
  Bench bench;
  const std::uint32_t type = bench.heap.add_type(node(bench.heap.step()));
  bench.fake = std::make_unique<FakePicture>(bench.heap);
  bench.fake->catalog.catalog.classes[type].interface_field_count = java::kUnknownFieldCount;
  bench.shapes = std::make_unique<ClassShapes>(bench.view, bench.fake->picture.catalog,
                                               bench.fake->memory.work_arena());
  REQUIRE(bench.shapes->read());
  CHECK(bench.of(FakeHeap::kClass).fields[0].label == special(SpecialRef::kClassLoader));
  for (const ReferenceField& field : bench.of(type).fields)
    CHECK(field.label == special(SpecialRef::kOther));
}

TEST_CASE("a class that was loaded since is learned when it and its class object name each other") {
  Bench bench;
  FakeType late = node(bench.heap.step());
  late.listed = false;
  const std::uint32_t type = bench.heap.add_type(late);
  REQUIRE(bench.read());
  const Address address = bench.heap.class_address(type);
  CHECK(bench.shapes->find(address) == nullptr);
  const auto learned = bench.shapes->learn(address);
  REQUIRE(learned);
  CHECK(bench.shapes->find(address) == *learned);
  CHECK_FALSE((*learned)->class_id.valid());
  CHECK((*learned)->fields.size() == 4);
  CHECK((*learned)->statics.size() == 2);
}

TEST_CASE("what only looks like a class is not learned") {
  const auto refused = [](auto damage) {
    Bench bench;
    FakeType late = node(bench.heap.step());
    late.listed = false;
    const std::uint32_t type = bench.heap.add_type(late);
    REQUIRE(bench.read());
    const Address klass = bench.heap.class_address(type);
    damage(bench, klass, bench.heap.mirror(type));
    const auto learned = bench.shapes->learn(klass);
    return !learned && learned.error().code == ErrorCode::kInconsistent &&
           bench.shapes->find(klass) == nullptr;
  };
  CHECK_FALSE(refused([](Bench&, Address, Address) {}));
  CHECK(refused([](Bench& bench, Address klass, Address) {
    FakeHeap::put<Address>(klass + bench.heap.layout.class_mirror, 0);
  }));
  CHECK(refused([](Bench& bench, Address klass, Address) {
    FakeHeap::put<Address>(klass + bench.heap.layout.class_mirror,
                           bench.heap.handle(bench.heap.heap_end()));
  }));
  CHECK(refused([](Bench& bench, Address klass, Address) {
    FakeHeap::put<Address>(klass + bench.heap.layout.class_mirror,
                           bench.heap.handle(bench.heap.mirror(FakeHeap::kObject)));
  }));
  CHECK(refused([](Bench& bench, Address, Address mirror) {
    FakeHeap::put<Address>(mirror + bench.heap.layout.mirror_class,
                           bench.heap.class_address(FakeHeap::kObject));
  }));
  CHECK(refused([](Bench& bench, Address, Address mirror) {
    bench.heap.set_class(mirror, bench.heap.class_address(FakeHeap::kObject));
  }));
  Bench bench;
  REQUIRE(bench.read());
  CHECK_FALSE(bench.shapes->learn(0));
  CHECK_FALSE(bench.shapes->learn(bench.heap.class_address(0) + 4));
}

TEST_CASE("each contradiction of the metadata is seen") {
  const auto damaged = [](auto damage, FakeHeapKind kind = {}) {
    Bench bench(kind);
    const std::uint32_t type = bench.heap.add_type(node(bench.heap.step()));
    damage(bench.heap, type);
    const Result<void> done = bench.read();
    return done ? ErrorCode::kCancelled : done.error().code;
  };
  using H = FakeHeap;
  constexpr ErrorCode kBad = ErrorCode::kInconsistent;
  CHECK(damaged([](H&, std::uint32_t) {}) == ErrorCode::kCancelled);
  // The class object: another class, no class, a class of its own that is not java.lang.Class.
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<Address>(h.mirror(t) + h.layout.mirror_class, h.class_address(0));
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<Address>(h.mirror(t) + h.layout.mirror_class, 0);
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<Address>(h.mirror(t) + h.layout.mirror_class, h.class_address(t) + 4);
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) { h.set_class(h.mirror(t), h.class_address(0)); }) ==
        kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<Address>(h.class_address(t) + h.layout.class_mirror, h.handle(h.mirror(0)));
        }) == kBad);
  CHECK(damaged(
            [](H& h, std::uint32_t t) {
              H::put<Address>(h.class_address(t) + h.layout.class_mirror, h.mirror(0));
            },
            {.mirror_by_handle = false}) == kBad);
  // Tables in front of the maps, and the maps.
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<std::uint32_t>(h.class_address(t) + h.layout.vtable_length, 1u << 21);
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<std::uint32_t>(h.class_address(t) + h.layout.itable_length, 1u << 21);
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<std::uint32_t>(h.class_address(t) + h.layout.reference_map_length, 1u << 17);
        }) == kBad);
  CHECK(damaged([](H& h, std::uint32_t t) {
          H::put<std::uint32_t>(h.class_address(t) + h.layout.vtable_length, 6);
        }) == kBad);
  for (const std::int32_t offset : {0, -8, 18, 64, 61}) {
    CAPTURE(offset);
    CHECK(damaged([&](H& h, std::uint32_t t) {
            H::put<std::int32_t>(h.map_address(t, 1), offset);
          }) == kBad);
  }
  for (const std::uint32_t count : {7u, 0xFFFFFFFFu}) {
    CHECK(damaged([&](H& h, std::uint32_t t) {
            H::put<std::uint32_t>(h.map_address(t, 1) + 4, count);
          }) == kBad);
  }
  // Statics: more than a class can have, and more than the class object has room for.
  for (const std::uint32_t count : {5u, 70'000u}) {
    CHECK(damaged([&](H& h, std::uint32_t t) {
            H::put<std::uint32_t>(h.mirror(t) + h.layout.mirror_static_count, count);
          }) == kBad);
  }
}

TEST_CASE("an array class whose header or elements cannot be is seen") {
  const auto helper = [](std::uint32_t type, std::uint32_t bits) {
    Bench bench;
    FakeHeap::put<std::uint32_t>(bench.heap.class_address(type) + bench.heap.layout.layout_helper,
                                 bits);
    const Result<void> done = bench.read();
    return done ? ErrorCode::kCancelled : done.error().code;
  };
  constexpr std::uint32_t kReferences = 2u << 30, kValues = 3u << 30;
  CHECK(helper(FakeHeap::kBytes, kValues | 16u << 16 | 3) == ErrorCode::kCancelled);
  CHECK(helper(FakeHeap::kBytes, kValues | 16u << 16 | 4) == ErrorCode::kInconsistent);
  CHECK(helper(FakeHeap::kBytes, kValues | 8u << 16) == ErrorCode::kInconsistent);
  CHECK(helper(FakeHeap::kObjects, kReferences | 16u << 16 | 3) == ErrorCode::kInconsistent);
}

TEST_CASE("handles that lead out of the heap, and a catalog without java.lang.Class") {
  Bench bench;
  bench.fake = std::make_unique<FakePicture>(bench.heap);
  bench.shapes = std::make_unique<ClassShapes>(bench.view, bench.fake->picture.catalog,
                                               bench.fake->memory.work_arena());
  const Address cell = bench.fake->picture.catalog.classes[3] & ~Address{7};
  const Address good = load<Address>(cell);
  for (const Address bad :
       {Address{0}, bench.heap.heap_end(), bench.heap.heap_start() - 8, good + 4}) {
    FakeHeap::put<Address>(cell, bad);
    CHECK(code_of(bench.shapes->read()) == ErrorCode::kInconsistent);
  }
  FakeHeap::put<Address>(cell, good);
  bench.fake->catalog.class_class = ClassId{};
  CHECK(code_of(bench.shapes->read()) == ErrorCode::kUnsupported);
}

TEST_CASE("shapes for which there is no memory are refused") {
  FakeHeap heap;
  const HeapView view(heap.layout);
  FakePicture fake(heap);
  // Each step of reading in turn finds the memory used up.
  ErrorCode last = ErrorCode::kOutOfBudget;
  int steps = 0;
  for (std::uint64_t room = 0; last == ErrorCode::kOutOfBudget; room += 4096) {
    Ledger ledger(room);
    Reservation reservation;
    REQUIRE(reservation.open(std::size_t{16} << 20));
    auto arena = reservation.take_arena(std::size_t{16} << 20, ledger, MemoryCategory::kAnalysis);
    REQUIRE(arena);
    ClassShapes shapes(view, fake.picture.catalog, *arena);
    const Result<void> done = shapes.read();
    last = done ? ErrorCode::kCancelled : done.error().code;
    ++steps;
  }
  CHECK(last == ErrorCode::kCancelled);
  CHECK(steps > 3);
}
