#include "jvmti/object_places.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "jvmti/fake_capture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr jvmtiHeapReferenceKind kField = JVMTI_HEAP_REFERENCE_FIELD;
constexpr jvmtiHeapReferenceKind kGlobal = JVMTI_HEAP_REFERENCE_JNI_GLOBAL;

// A heap of everything that a walk tells apart: class objects, a thread, cycles, an object that refers to itself, dead ones.
void fill(FakeVm& vm, std::uint32_t seed, std::uint32_t count) {
  std::mt19937 engine(seed);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  const std::uint32_t node = vm.add_class("Lshop/Node;", 0, {"a", "b", "c"});
  const std::uint32_t thread = vm.add_thread("main", 7);
  vm.add_root({JVMTI_HEAP_REFERENCE_THREAD, thread});
  for (std::uint32_t c = 0; c < vm.classes.size(); ++c)
    vm.add_root({JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, vm.classes[c].mirror});
  const auto first = static_cast<std::uint32_t>(vm.objects.size());
  for (std::uint32_t i = 0; i < count; ++i)
    vm.add_object(random() % 3 == 0 ? vm.string_class : node,
                  static_cast<jlong>(16 + 8 * (random() % 5)));
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t f = random() % 4; f > 0; --f)
      vm.refer(first + i, kField, static_cast<jint>(f), first + random() % count);
    if (random() % 16 == 0) vm.refer(first + i, kField, 0, first + i);
    if (random() % 16 == 0) vm.refer(first + i, kField, 0, vm.classes[node].mirror);
    if (random() % 16 == 0) vm.refer(first + i, kField, 0, thread);
  }
  for (int r = 0; r < 5; ++r) vm.add_root({kGlobal, first + random() % count});
  vm.add_root({JVMTI_HEAP_REFERENCE_STACK_LOCAL, first, static_cast<int>(thread), 2, -1, 4, 17});
  vm.set_static(vm.string_class, "value", first);
}

HeapRange range_of(const FakeVm& vm) { return {FakeVm::kHeapStart, vm.addresses().back(), 8}; }

template <class T>
std::vector<std::remove_const_t<T>> copy_of(std::span<T> from) {
  return {from.begin(), from.end()};
}

// Everything of a graph that has a number in it; whoever numbers in the same order gets the same.
struct Graph {
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> units, first_ref, labels;
  std::vector<ObjectId> target, roots, mirrors;
  std::vector<std::uint32_t> root_details;

  explicit Graph(const Snapshot& s)
      : class_of(copy_of(s.class_of)),
        units(copy_of(s.shallow_units)),
        first_ref(copy_of(s.first_ref)),
        target(copy_of(s.target)) {
    for (const RefLabel label : s.label) labels.push_back(label.bits);
    for (const RootRecord& root : s.roots) {
      roots.push_back(root.object);
      root_details.push_back(root.thread.value ^ (std::uint32_t{root.depth} << 8) ^
                             (std::uint32_t{root.slot} << 16) ^
                             static_cast<std::uint32_t>(root.kind));
    }
    for (const ClassRow& row : s.catalog.classes) mirrors.push_back(row.mirror);
    for (const ThreadRow& row : s.catalog.threads) mirrors.push_back(row.object);
  }
  friend bool operator==(const Graph&, const Graph&) = default;
};

}  // namespace

TEST_CASE("by address and by tag the same heap gives the same graph, without a tag in the pause") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    FakeVm vm;
    fill(vm, seed, 20 + seed * 10);
    FakeCapture tagged(vm);
    REQUIRE(tagged.run().ok());
    REQUIRE(tagged.out.has_graph);
    CHECK(vm.tagged_while_stopped > 10);
    const Graph wanted(tagged.out.snapshot);

    vm.shows_addresses = true;
    FakeCapture placed(vm);
    placed.adapter().set_heap_range(range_of(vm));
    REQUIRE(placed.run().ok());
    REQUIRE(placed.out.has_graph);
    CHECK(vm.tagged_while_stopped == 0);
    CHECK(Graph(placed.out.snapshot) == wanted);
    CHECK(placed.out.vm_tag_bytes_estimate < tagged.out.vm_tag_bytes_estimate);
    CHECK(placed.notes.all().empty());
    placed.end();
    CHECK(placed.ledger().total_bytes() == 0);
  }
}

TEST_CASE(
    "where the first call shows no address, or the heap's range is unknown, objects are tagged") {
  FakeVm vm;
  fill(vm, 1, 200);
  FakeCapture without(vm);
  REQUIRE(without.run().ok());
  const Graph wanted(without.out.snapshot);
  const HeapRange right = range_of(vm);
  const std::uint64_t elsewhere = right.end + 4096;
  struct {
    bool shown;
    HeapRange range;
  } const cases[] = {
      {false, right},                                         // another VM
      {true, {}},                                             // nobody knows
      {true, {elsewhere, elsewhere + 4096, 8}},               // not here
      {true, {right.start, right.start + (36ULL << 30), 8}},  // more places than numbers
      {true, {right.start, right.start + (16ULL << 30), 8}},  // more marks than memory
      {true, {right.start, right.end, 12}},                   // no alignment
      {true, {right.end, right.start, 8}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.range.end);
    vm.shows_addresses = c.shown;
    FakeCapture capture(vm);
    capture.adapter().set_heap_range(c.range);
    for (int round = 0; round < 2; ++round) {
      REQUIRE(capture.run().ok());
      REQUIRE(capture.out.has_graph);
      CHECK(vm.tagged_while_stopped > 10);
      CHECK(Graph(capture.out.snapshot) == wanted);
    }
    capture.end();
    CHECK(capture.ledger().total_bytes() == 0);
  }
}

TEST_CASE("an address that contradicts itself later ends the walk, and the next one tags") {
  FakeVm vm;
  fill(vm, 2, 60);
  FakeCapture tagged(vm);
  REQUIRE(tagged.run().ok());
  const Graph wanted(tagged.out.snapshot);
  const int calls = vm.callbacks;
  REQUIRE(calls > 100);
  vm.shows_addresses = true;
  int noticed = 0;
  for (const FakeLie lie :
       {FakeLie::kSize, FakeLie::kOutside, FakeLie::kMisaligned, FakeLie::kReferrer}) {
    for (int call = 1; call < calls; call += 3) {
      CAPTURE(call);
      vm.lies = {{call, lie}};
      FakeCapture capture(vm);
      capture.adapter().set_heap_range(range_of(vm));
      REQUIRE(capture.run().ok());
      if (capture.out.has_graph) {  // roots and class objects show no referrer that is looked at
        CHECK(lie == FakeLie::kReferrer);
        CHECK(Graph(capture.out.snapshot) == wanted);
        continue;
      }
      ++noticed;
      CHECK(capture.out.rung == CaptureRung::kHistogram);
      CHECK(capture.noted("did not show every object's address"));
      REQUIRE(capture.run().ok());
      REQUIRE(capture.out.has_graph);
      CHECK(vm.tagged_while_stopped > 10);
      CHECK(Graph(capture.out.snapshot) == wanted);
    }
  }
  CHECK(noticed > calls);
}

TEST_CASE("a walk by address that outgrows the memory becomes a histogram") {
  FakeVm vm;
  std::uint32_t before = vm.add_object(vm.string_class);
  vm.add_root({kGlobal, before});
  for (int i = 0; i < 60'000; ++i) {
    const std::uint32_t next = vm.add_object(vm.string_class);
    vm.refer(before, kField, 0, next);
    before = next;
  }
  vm.shows_addresses = true;
  for (const std::uint64_t kib : {1500u, 2048u, 3072u, 4096u, 5120u}) {
    CAPTURE(kib);
    FakeCapture capture(vm, kib << 10);
    capture.adapter().set_heap_range(range_of(vm));
    REQUIRE(capture.run().ok());
    CHECK(capture.out.has_graph == (kib >= 4096));
    if (!capture.out.has_graph) CHECK(capture.noted("memory= was used up"));
    capture.end();
    CHECK(capture.ledger().total_bytes() == 0);
  }
}

TEST_CASE("an alignment of 16 is held against every address") {
  FakeVm vm;
  const std::uint32_t object = vm.add_object(vm.string_class, 24);  // so the next one lies at 8
  vm.add_root({kGlobal, object});
  while (vm.addresses().back() % 16 == 0) vm.add_object(vm.string_class, 24);
  const std::uint32_t crooked = vm.add_object(vm.string_class, 16);
  vm.refer(object, kField, 0, crooked);
  vm.shows_addresses = true;
  FakeCapture capture(vm);
  HeapRange range = range_of(vm);
  range.alignment = 16;
  capture.adapter().set_heap_range(range);
  REQUIRE(capture.run().ok());
  CHECK_FALSE(capture.out.has_graph);
}
