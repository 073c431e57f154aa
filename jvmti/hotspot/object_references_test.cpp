#include "jvmti/hotspot/object_references.h"

#include <doctest/doctest.h>

#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct Bench {
  explicit Bench(FakeHeap& h)
      : fake(h),
        view(h.layout),
        shapes(view, fake.picture.catalog, fake.memory.work_arena()),
        references(view, fake.picture.catalog, shapes) {
    REQUIRE(shapes.read());
  }
  const ClassShape& shape(Address object) { return *shapes.find(view.class_of(object)); }
  std::vector<FakeEdge> held_by(Address object) {
    std::vector<FakeEdge> row;
    references.for_each(object, shape(object),
                        [&](Address to, RefLabel label) { row.emplace_back(to, label.bits); });
    std::sort(row.begin(), row.end());
    return row;
  }
  std::uint64_t bytes(Address object) { return references.object_bytes(object, shape(object)); }

  FakePicture fake;
  HeapView view;
  ClassShapes shapes;
  ObjectReferences references;
};

// A class whose pool has everything; the array of its strings is heap.pool_array.
struct Pooled {
  explicit Pooled(FakeHeapKind kind = {}) : heap(kind) {
    type = heap.add_type({.name = "shop.Pooled", .statics = 1});
    first = heap.new_array(FakeHeap::kBytes, 3);
    second = heap.new_array(FakeHeap::kBytes, 4);
    heap.set_pool(type, {{8, first},
                         {7, FakeHeap::kWeak},
                         {9, 0},
                         {8, 0},
                         {8, second},
                         {100, 0},
                         {7, FakeHeap::kBytes},
                         {1, 0}});
  }
  bool sound() {
    Bench bench(heap);
    return bench.references.sound_pool(*bench.shapes.find(heap.class_address(type)));
  }
  FakeHeap heap;
  std::uint32_t type;
  Address first, second;
};

}  // namespace

TEST_CASE("sizes of every kind of object") {
  for (const std::uint64_t alignment : {8u, 16u}) {
    FakeHeap heap({.alignment = alignment});
    std::vector<Address> objects{heap.new_instance(FakeHeap::kWeak),
                                 heap.new_array(FakeHeap::kBytes, 0),
                                 heap.new_array(FakeHeap::kBytes, 17),
                                 heap.new_array(FakeHeap::kObjects, 5),
                                 heap.new_chunk(7, 0),
                                 heap.new_chunk(33, 0),
                                 heap.mirror(FakeHeap::kObject)};
    Bench bench(heap);
    for (const Address object : objects)
      CHECK(bench.bytes(object) == heap.objects().at(object).bytes);
  }
}

TEST_CASE("a pool tells its classes, its strings that are resolved, and the array of them") {
  for (const bool cached : {true, false}) {
    CAPTURE(cached);
    Pooled pooled({.pool_cached = cached});
    Bench bench(pooled.heap);
    const Address mirror = pooled.heap.mirror(pooled.type);
    const auto row = bench.held_by(mirror);
    const std::uint16_t pool = special(SpecialRef::kConstantPool).bits;
    for (const Address held :
         {pooled.first, pooled.second, pooled.heap.pool_array, pooled.heap.mirror(FakeHeap::kWeak),
          pooled.heap.mirror(FakeHeap::kBytes)})
      CHECK(std::count(row.begin(), row.end(), FakeEdge{held, pool}) == 1);
    CHECK(row == bench.fake.row_of(mirror));
    CHECK(row.size() == 5);
  }
}

TEST_CASE("signers and protection domain of a class are told by what they are") {
  FakeHeap heap;
  const std::uint32_t type = heap.add_type({.name = "shop.Signed"});
  const Address mirror = heap.mirror(type);
  heap.link(mirror, 16, heap.new_array(FakeHeap::kObjects, 0), special(SpecialRef::kClassLoader));
  heap.link(mirror, 20, heap.new_array(FakeHeap::kObjects, 0), special(SpecialRef::kSigners));
  Bench bench(heap);
  CHECK(bench.held_by(mirror) == bench.fake.row_of(mirror));
  heap.put_reference(mirror + 20, heap.new_instance(FakeHeap::kDomain));
  CHECK(bench.held_by(mirror).back().second == special(SpecialRef::kProtectionDomain).bits);
}

TEST_CASE("a sound pool, and each way in which it is not") {
  const auto damaged = [](auto damage, FakeHeapKind kind = {}) {
    Pooled pooled(kind);
    damage(pooled.heap, pooled.heap.pool_of(pooled.type));
    return !pooled.sound();
  };
  using H = FakeHeap;
  const auto tags = [](H& h, Address pool) { return load<Address>(pool + h.layout.pool_tags); };
  for (const bool cached : {true, false}) {
    const FakeHeapKind kind{.pool_cached = cached};
    CHECK_FALSE(damaged([](H&, Address) {}, kind));
    CHECK(damaged([](H& h, Address pool) { H::put<std::uint32_t>(pool + h.layout.pool_length, 8); },
                  kind));
    CHECK(damaged([&](H& h, Address pool) { H::put<std::uint8_t>(tags(h, pool) + 4, 1); }, kind));
    CHECK(damaged([](H& h, Address pool) { H::put<Address>(pool + h.layout.pool_tags, 0); }, kind));
    // One string too many, one too few, and a map that leads to something else.
    CHECK(
        damaged([&](H& h, Address pool) { H::put<std::uint8_t>(tags(h, pool) + 4 + 3, 8); }, kind));
    CHECK(
        damaged([&](H& h, Address pool) { H::put<std::uint8_t>(tags(h, pool) + 4 + 1, 9); }, kind));
  }
  CHECK(damaged([&](H& h, Address pool) { H::put<std::uint8_t>(tags(h, pool) + 4 + 8, 2); }));
  CHECK(damaged([](H& h, Address pool) {
    const auto table = load<Address>(pool + h.layout.pool_classes);
    H::put<std::uint32_t>(table, 1);
  }));
  CHECK(damaged([](H& h, Address pool) { h.layout.pool_bytes += 8, (void)pool; }));
  CHECK(damaged([](H& h, Address pool) { h.layout.array_u1_data += 4, (void)pool; }));
  CHECK(damaged([](H& h, Address pool) { h.layout.array_u2_data += 4, (void)pool; }));
  FakeHeap heap;
  Bench bench(heap);
  CHECK_FALSE(bench.references.sound_pool(*bench.shapes.find(heap.class_address(0))));  // none
}
