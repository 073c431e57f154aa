#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analysis/suspects_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::TestHeap;

namespace {

// As ConcurrentQueue keeps them: segments that double, each with an array, the last one held by the queue, too.
ObjectId queue_in_segments(TestHeap& heap, ClassId item, const std::vector<std::uint32_t>& sizes,
                           bool linked) {
  const ClassId segment = heap.klass("System.Segment", {"slots", "next"});
  const ClassId slots = heap.klass("System.Slot[]");
  const ObjectId queue = heap.object(heap.klass("System.Queue", {"head", "tail"}), 32);
  ObjectId before;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ObjectId made = heap.object(segment, 48);
    const ObjectId array = heap.object(slots, 24 + 16 * std::uint64_t{sizes[i]});
    heap.field(made, "slots", array);
    for (std::uint32_t n = 0; n < sizes[i]; ++n) heap.element(array, n, heap.object(item, 2000));
    if (i == 0) heap.field(queue, "head", made);
    if (i > 0 && linked) heap.field(before, "next", made);
    if (i + 1 == sizes.size()) heap.field(queue, "tail", made);
    before = made;
  }
  return queue;
}

}  // namespace

TEST_CASE("suspects: what a container keeps in linked segments is one suspect") {
  const std::vector<std::vector<std::uint32_t>> shapes = {
      {32, 64, 128, 256, 512, 1024, 1984},  // the last one has half of it
      {1000, 1000},                         // two of one size
      {16, 2000, 1984}};
  for (const auto& sizes : shapes) {
    TestHeap heap;
    const ClassId item = heap.klass("shop.Item");
    heap.static_field(heap.klass("shop.Holder", {"queue"}), "queue",
                      queue_in_segments(heap, item, sizes, true));
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    CHECK(made.suspects[0].class_id == item);
    CHECK(made.suspects[0].instances == std::accumulate(sizes.begin(), sizes.end(), 0u));
  }
}

TEST_CASE("suspects: two parts that do not refer to each other stay two suspects") {
  TestHeap heap;
  const ClassId item = heap.klass("shop.Item");
  heap.static_field(heap.klass("shop.Holder", {"queue"}), "queue",
                    queue_in_segments(heap, item, {1000, 1000}, false));
  const Snapshot s = heap.snapshot();
  CHECK(Made(s).suspects.size() == 2);
}

TEST_CASE("suspects: the values that threads have of one field are one suspect") {
  for (const bool one_field : {true, false}) {
    TestHeap heap;
    const ClassId list = heap.klass("System.List");
    const ClassId item = heap.klass("shop.Item");
    for (std::uint32_t t = 0; t < 4; ++t) {
      const ThreadId thread = heap.thread("worker-" + std::to_string(t));
      const ObjectId items = heap.object(list, 32);
      for (std::uint32_t i = 0; i < 1000; ++i) heap.element(items, i, heap.object(item, 2000));
      heap.thread_static_root(thread, items, "shop.Holder",
                              one_field ? "items" : "items" + std::to_string(t));
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == (one_field ? 1 : 4));
    CHECK(made.suspects[0].class_id == item);
    CHECK(made.suspects[0].instances == (one_field ? 4000 : 1000));
    CHECK(s.roots[made.suspects[0].path.root].kind == RootKind::kStaticField);
  }
}

TEST_CASE("suspects: what several roots hold is one suspect where its parts refer to each other") {
  for (const bool linked : {true, false}) {
    TestHeap heap;
    const ClassId slot = heap.klass("System.LinkedSlot", {"value", "next", "previous"});
    const ClassId item = heap.klass("shop.Item");
    ObjectId before;
    for (std::uint32_t t = 0; t < 4; ++t) {
      const ObjectId made = heap.object(slot, 48);
      const ObjectId items = heap.object(heap.klass("shop.Item[]"), 8'000);
      for (std::uint32_t i = 0; i < 1000; ++i) heap.element(items, i, heap.object(item, 2000));
      heap.field(made, "value", items);
      heap.static_root(made, "System.ThreadLocal", "slots" + std::to_string(t));
      if (linked && before.valid()) {
        heap.field(made, "previous", before);
        heap.field(before, "next", made);
      }
      before = made;
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == (linked ? 1 : 4));
    CHECK(made.suspects[0].class_id == item);
    CHECK(made.suspects[0].instances == (linked ? 4000 : 1000));
  }
}

TEST_CASE("suspects: a group's holder is not that of its one odd member") {
  TestHeap heap;
  const ClassId connection = heap.klass("shop.Connection");
  std::vector<ObjectId> connections;
  for (std::uint32_t i = 0; i < 2000; ++i) connections.push_back(heap.object(connection, 2000));
  for (const char* index : {"byId", "byName"}) {
    const ObjectId all = heap.object(heap.klass("shop.Connection[]"), 16'000);
    for (std::uint32_t i = 0; i < 2000; ++i) heap.element(all, i, connections[i]);
    heap.static_root(all, "shop.Pool", index);
  }
  heap.local(heap.thread("finalizer"), connections[0], "shop.Connection", "Finalize");
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].instances == 2000);
  CHECK(s.roots[made.suspects[0].path.root].kind == RootKind::kStaticField);
}

TEST_CASE("suspects: copies of one hidden class are a group, lambdas of one class, too") {
  for (const char* name : {"shop.Seed/0x000", "shop.Rules$$Lambda/0x000", "shop.Rules$$Lambda$"}) {
    TestHeap heap;
    const ObjectId kept = heap.object(heap.klass("java.lang.Object[]"), 8'000);
    heap.static_field(heap.klass("shop.Main", {"kept"}), "kept", kept);
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::string number = std::to_string(10'000 + i);
      const std::string full =
          name + (std::string(name).ends_with('$') ? number + "/0x1" : "") + number;
      heap.element(kept, i, heap.object(heap.klass(full), 4000));
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    CHECK(made.suspects[0].group);
    CHECK(made.suspects[0].instances == 1000);
    CHECK(contains(all_evidence(made.suspects[0]), "1,000 hidden classes of this source"));
  }
}
