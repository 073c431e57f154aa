#include "clrprofiler/coreclr/heap_trace.h"

#include <doctest/doctest.h>

#include <map>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_method_table.h"
#include "clrprofiler/heap/fake_recording.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// One segment of pairs, four words each, and free room.
struct Bench {
  FakeCollector fake;
  RuntimeLayout layout;
  HandleLayout handles;
  FakeRecording recorded;
  FakeMethodTable free_class{FakeMethodTable::kComponents | 1, 24};
  FakeMethodTable pair{FakeMethodTable::kReferences, 32, FakeMethodTable::two_references()};
  LoadContexts contexts{layout, handles, {}};
  KnownClasses classes{layout, contexts};
  std::span<const HeapSegment> segments;
  MarkedHeap heap;
  std::optional<ObjectStarts> starts;
  std::optional<HeapTrace> trace;
  std::vector<DependentPair> dependents;
  std::vector<std::uint64_t>* words = nullptr;

  Bench() {
    FakeMethodTable::lay_out(layout);
    layout.free_class = free_class.address();
    REQUIRE(read_gc_tables(&fake.entries, layout.gc) == nullptr);
  }
  Arena& arena() { return recorded.memory().work_arena(); }
  void make(std::size_t pairs) {
    std::vector<std::uint64_t> objects;
    for (std::size_t i = 0; i < pairs; ++i)
      objects.insert(objects.end(), {pair.address(), 0, 0, 0});
    fake.add(2, objects);
    words = &fake.memory.back();
  }
  Address object(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(words->data()) + 32 * i;
  }
  void refer(std::size_t from, std::size_t slot, Address to) { (*words)[4 * from + 1 + slot] = to; }
  void free_room(std::size_t i) {
    (*words)[4 * i] = free_class.address();
    (*words)[4 * i + 1] = 8;  // components: as long as a pair
  }
  void begin(std::span<const AddressRange> gaps = {}, std::uint32_t most_classes = 100) {
    auto read = read_segments(layout.gc, {}, arena());
    REQUIRE(read.ok());
    segments = *read;
    auto made = MarkedHeap::make(segments, arena());
    REQUIRE(made.ok());
    heap = *made;
    REQUIRE(classes.make(most_classes, arena()).ok());
    starts.emplace(layout, heap, classes, gaps, arena());
    REQUIRE(starts->make().ok());
    trace.emplace(layout, heap, classes, *starts, dependents, arena());
  }
  std::vector<std::size_t> alive() {
    std::vector<std::size_t> found;
    heap.for_each_marked([&](Address at) {
      found.push_back((at - object(0)) / 32);
      return true;
    });
    return found;
  }
};

using Objects = std::vector<std::size_t>;
const CancelToken kNever;

}  // namespace

TEST_CASE("what exact roots lead to is alive, cycles and dependent objects included") {
  Bench b;
  b.make(8);
  b.refer(0, 0, b.object(1));
  b.refer(1, 1, b.object(0));
  b.refer(3, 0, b.object(4));
  // 1 keeps 5 alive, that 3 by another handle; nobody holds 6, so 7 is not held.
  b.dependents = {
      {b.object(5), b.object(3)}, {b.object(1), b.object(5)}, {b.object(6), b.object(7)}};
  b.begin();
  REQUIRE(b.trace->add_root(b.object(0)).ok());
  REQUIRE(b.trace->run(kNever).ok());
  CHECK(b.alive() == Objects{0, 1, 3, 4, 5});
  CHECK(b.trace->counts().objects == 5);
  CHECK(b.trace->counts().bytes == 5 * 32);
  CHECK(b.trace->counts().references == 3);
  CHECK(b.trace->counts().largest_row == 1);
  const CountedType& pairs = b.classes.rows()[b.classes.find(b.pair.address())];
  CHECK(pairs.instances == 5);
  CHECK(pairs.shallow_bytes == 5 * 32);
  CHECK(b.trace->counts().doubtful_objects == 0);
}

TEST_CASE("what the exact part meets and is no object is a contradiction") {
  for (int wrong = 0; wrong < 4; ++wrong) {
    Bench b;
    b.make(4);
    b.refer(0, 0, b.object(1));
    if (wrong == 0) b.refer(0, 1, b.object(1) + 4);
    if (wrong == 1) b.refer(0, 1, b.object(4));  // behind the last
    if (wrong == 2) b.free_room(1);
    if (wrong == 3) (*b.words)[4] = 0x1000;  // nothing to read there
    b.begin();
    CAPTURE(wrong);
    REQUIRE(b.trace->add_root(b.object(0)).ok());
    const auto ran = b.trace->run(kNever);
    REQUIRE_FALSE(ran.ok());
    CHECK(ran.error().code == ErrorCode::kInconsistent);
  }
}

TEST_CASE("more classes than there is room for are no contradiction") {
  Bench b;
  b.make(3);
  const FakeMethodTable other(0, 32), another(0, 32);
  (*b.words)[0] = other.address();
  (*b.words)[4] = another.address();
  b.begin({}, 2);
  for (std::size_t i = 0; i < 3; ++i) REQUIRE(b.trace->add_root(b.object(i)).ok());
  const auto ran = b.trace->run(kNever);
  REQUIRE_FALSE(ran.ok());
  CHECK(ran.error().code == ErrorCode::kOutOfBudget);
}

TEST_CASE("in doubt each step is looked at: what is no object is dropped and counted") {
  Bench b;
  b.make(8);
  b.refer(2, 0, b.object(3));
  b.refer(2, 1, b.object(5) + 8);  // into the midst
  b.refer(3, 0, b.object(4));      // made free room meanwhile
  b.refer(3, 1, b.object(0));
  b.refer(0, 0, b.object(6));
  b.free_room(4);
  b.begin();
  REQUIRE(b.trace->add_root(b.object(0)).ok());
  REQUIRE(b.trace->run(kNever).ok());
  b.trace->doubt();
  REQUIRE(b.trace->add_root(b.object(2)).ok());
  REQUIRE(b.trace->run(kNever).ok());
  CHECK(b.alive() == Objects{0, 2, 3, 6});
  CHECK(b.trace->counts().doubtful_objects == 2);
  CHECK(b.trace->counts().doubtful_bytes == 64);
  CHECK(b.trace->counts().dropped_references == 2);
  CHECK(b.trace->counts().references == 3);
  CHECK(b.trace->counts().largest_row == 1);
}

TEST_CASE("an address belongs to the object that it lies in; behind a bad class nothing begins") {
  Bench b;
  b.make(130);
  b.free_room(100);
  (*b.words)[4 * 120] = 0x1008;
  b.begin();
  CHECK(b.starts->containing(b.object(7)) == b.object(7));
  CHECK(b.starts->containing(b.object(7) + 31) == b.object(7));
  CHECK(b.starts->containing(b.object(101) - 8) == 0);  // in free room
  CHECK(b.starts->containing(b.object(119) + 8) == b.object(119));
  CHECK(b.starts->containing(b.object(121)) == 0);
  CHECK(b.starts->containing(b.object(130)) == 0);
  CHECK(b.starts->is_object(b.object(99)));
  CHECK_FALSE(b.starts->is_object(b.object(99) + 8));
  CHECK_FALSE(b.starts->is_object(b.object(100)));
  CHECK_FALSE(b.starts->is_object(8));
}

TEST_CASE("room that a thread has taken is stepped over") {
  Bench b;
  b.make(6);
  for (std::size_t i = 8; i < 16; ++i) (*b.words)[i] = 0x77;
  const AddressRange room{b.object(2), b.object(4)};
  b.begin({&room, 1});
  CHECK(b.starts->is_object(b.object(5)));
  CHECK_FALSE(b.starts->is_object(b.object(2)));
}

TEST_CASE("a class belongs to itself, or shares the code of one that does") {
  Bench b;
  FakeMethodTable shared(FakeMethodTable::kReferences, 32), astray(0, 32), huge(0, 1u << 29);
  shared.share_code_of(b.pair);
  CHECK(is_class(b.layout, b.pair.address()));
  CHECK(is_class(b.layout, shared.address()));
  astray.shared[0] = b.pair.address();
  CHECK_FALSE(is_class(b.layout, astray.address()));
  shared.share_code_of(astray);
  CHECK_FALSE(is_class(b.layout, shared.address()));
  CHECK_FALSE(is_class(b.layout, huge.address()));
  CHECK_FALSE(is_class(b.layout, b.pair.address() + 4));
  CHECK_FALSE(is_class(b.layout, 0));
  CHECK_FALSE(is_class(b.layout, 0x1000));
}
