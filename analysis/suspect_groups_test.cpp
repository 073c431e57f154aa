#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analysis/dominator_tree.h"
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

// Threads of Java with values of thread-local variables.
class ThreadValues {
 public:
  explicit ThreadValues(TestHeap& heap)
      : heap_(heap),
        map_(heap.klass("java.lang.ThreadLocal$ThreadLocalMap", {"table"})),
        table_(heap.klass("java.lang.ThreadLocal$ThreadLocalMap$Entry[]")),
        variable_(heap.klass("java.lang.ThreadLocal")) {
    const ClassId weak = heap.reference_class("java.lang.ref.WeakReference", Strength::kWeak);
    entry_ = heap.klass("java.lang.ThreadLocal$ThreadLocalMap$Entry", {"value"}, weak);
  }
  ObjectId variable(const std::string& field) {
    const ObjectId made = heap_.object(variable_);
    heap_.static_field(owner(), field, made);
    return made;
  }
  ThreadId thread(const std::string& name) {
    const ThreadId thread = heap_.thread(name);
    const ObjectId map = heap_.object(map_, 24);
    const ObjectId table = heap_.object(table_, 80);
    heap_.refer(heap_.thread_object(thread), map, RefLabel::instance_field(0));
    heap_.field(map, "table", table);
    tables_.push_back(table);
    return thread;
  }
  // Of the thread that was added last.
  void set(ObjectId variable, ObjectId value) {
    const ObjectId entry = heap_.object(entry_, 32);
    heap_.refer(entry, variable, referent_label(Strength::kWeak));
    heap_.field(entry, "value", value);
    heap_.element(tables_.back(), next_++ % 16, entry);
  }

 private:
  ClassId owner() {
    if (!owner_.valid()) owner_ = heap_.klass("shop.Pages", {"OWN", "OTHER"});
    return owner_;
  }
  TestHeap& heap_;
  ClassId map_, table_, variable_, entry_, owner_;
  std::vector<ObjectId> tables_;
  std::uint32_t next_ = 0;
};

ObjectId list_of(TestHeap& heap, ClassId item, std::uint32_t count) {
  const ObjectId items = heap.object(heap.klass("java.lang.Object[]"), 8 * std::uint64_t{count});
  for (std::uint32_t i = 0; i < count; ++i) heap.element(items, i, heap.object(item, 1000));
  return items;
}

}  // namespace

TEST_CASE("suspects: values of one ThreadLocal are one suspect, however many threads have one") {
  // Each thread is a suspect by itself, none is, and some are.
  const std::vector<std::vector<std::uint32_t>> threads = {
      std::vector<std::uint32_t>(8, 1000), std::vector<std::uint32_t>(64, 100), {4000, 50, 50, 50}};
  for (const auto& counts : threads) {
    TestHeap heap;
    const ClassId page = heap.klass("shop.Page");
    ThreadValues values(heap);
    const ObjectId own = values.variable("OWN");
    for (std::size_t t = 0; t < counts.size(); ++t) {
      values.thread("worker-" + std::to_string(t));
      values.set(own, list_of(heap, page, counts[t]));
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    const SuspectResult& suspect = made.suspects[0];
    CHECK(suspect.class_id == page);
    const auto all = std::accumulate(counts.begin(), counts.end(), 0u);
    CHECK(suspect.instances == all);
    CHECK(suspect.instances_below == all);
    CHECK(suspect.threads == counts.size());
    REQUIRE(suspect.variable.length == 2);
    CHECK(suspect.variable.steps.back().object == own);
    CHECK(suspect.variable.steps.back().label.is_static_field());
    CHECK(s.roots[suspect.path.root].kind == RootKind::kThread);
    CHECK(contains(all_evidence(suspect), "each as its own value of one ThreadLocal"));
    CHECK(suspect.others.empty());
  }
}

TEST_CASE("suspects: values of two ThreadLocals are two suspects, beside a list of other items") {
  TestHeap heap;
  const ClassId page = heap.klass("shop.Page");
  const ClassId line = heap.klass("shop.Line");
  ThreadValues values(heap);
  const ObjectId own = values.variable("OWN");
  const ObjectId other = values.variable("OTHER");
  for (std::uint32_t t = 0; t < 6; ++t) {
    values.thread("worker-" + std::to_string(t));
    values.set(own, list_of(heap, page, 500));
    values.set(other, list_of(heap, line, 700));
  }
  const ClassId session = heap.klass("shop.Session");
  heap.static_field(heap.klass("shop.Main", {"all"}), "all", list_of(heap, session, 3000));
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 3);
  std::uint64_t bytes = 0;
  for (const SuspectResult& suspect : made.suspects) {
    bytes += suspect.retained_bytes;
    if (suspect.class_id == session) CHECK(suspect.threads == 0);
    if (suspect.class_id == session) continue;
    CHECK(suspect.threads == 6);
    CHECK(suspect.instances == (suspect.class_id == page ? 3000 : 4200));
    CHECK(suspect.variable.steps.back().object == (suspect.class_id == page ? own : other));
  }
  CHECK(bytes <= made.dominators.held_bytes);
  // What was taken out for the search is back.
  std::uint64_t top = 0;
  for (std::uint32_t c = 0; c < made.dominators.held_objects; c = next_child(made.dominators, c))
    top += retained_at(made.dominators, c);
  CHECK(top == made.dominators.held_bytes);
}

TEST_CASE("suspects: a value of one thread alone is what the thread holds") {
  TestHeap heap;
  const ClassId page = heap.klass("shop.Page");
  ThreadValues values(heap);
  const ObjectId own = values.variable("OWN");
  values.thread("worker");
  values.set(own, list_of(heap, page, 3000));
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].threads == 0);
  CHECK(made.suspects[0].instances == 3000);
}

TEST_CASE(
    "suspects: values of a ThreadLocal that a thread holds through another's value count once") {
  TestHeap heap;
  const ClassId page = heap.klass("shop.Page");
  ThreadValues values(heap);
  const ObjectId own = values.variable("OWN");
  values.thread("outer");
  const ObjectId outer = list_of(heap, page, 2000);
  values.set(own, outer);
  const ThreadId inner = values.thread("inner");
  values.set(own, list_of(heap, page, 2000));
  heap.element(outer, 2000, heap.thread_object(inner));
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].retained_bytes <= made.dominators.held_bytes);
}

TEST_CASE("suspects: values of a ThreadLocal<T> are found in its list of slots") {
  for (const std::uint32_t threads : {2u, 40u}) {
    TestHeap heap;
    const ClassId item = heap.klass("shop.Item");
    const ClassId slot = heap.klass("System.Threading.ThreadLocal<List<shop.Item>>.LinkedSlot",
                                    {"_next", "_previous", "_value"});
    const ClassId local =
        heap.klass("System.Threading.ThreadLocal<List<shop.Item>>", {"_linkedSlot"});
    const ClassId array = heap.klass("System.Threading.ThreadLocal<List<shop.Item>>.Slots[]");
    const ObjectId variable = heap.object(local, 40);
    heap.static_root(variable, "shop.Holder", "Local");
    ObjectId before = heap.object(slot, 48);
    heap.field(variable, "_linkedSlot", before);
    for (std::uint32_t t = 0; t < threads; ++t) {
      const ObjectId made = heap.object(slot, 48);
      heap.field(made, "_value", list_of(heap, item, 4000 / threads));
      heap.field(made, "_previous", before);
      heap.field(before, "_next", made);
      const ObjectId slots = heap.object(array, 64);
      heap.element(slots, 0, made);
      heap.thread_static_root(heap.thread("t" + std::to_string(t)), slots, "System.ThreadLocal",
                              "ts_slotArray");
      before = made;
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    CHECK(made.suspects[0].threads == threads);
    CHECK(made.suspects[0].instances == 4000);
    REQUIRE(made.suspects[0].variable.length == 1);
    CHECK(made.suspects[0].variable.steps[0].object == variable);
  }
}

TEST_CASE("suspects: a CLR's tables of interned strings are one suspect, other arrays are not") {
  for (const bool strings : {true, false}) {
    TestHeap heap;
    const ClassId array = heap.klass("object[]");
    const ClassId element = heap.klass(strings ? "string" : "shop.Item");
    for (const std::uint32_t size : {16u, 500u, 1000u, 2000u}) {
      const ObjectId table = heap.object(array, 24 + 8 * std::uint64_t{size});
      for (std::uint32_t i = 0; i < size; ++i) heap.element(table, i, heap.object(element, 1000));
      heap.root(table, RootKind::kHandle);
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    CHECK(made.suspects.size() == (strings ? 1 : 2));  // the others are below a megabyte
    CHECK(made.suspects[0].instances == (strings ? 3516 : 2000));
    CHECK(made.suspects[0].class_id == element);
    CHECK(made.suspects[0].threads == 0);
    CHECK(contains(all_evidence(made.suspects[0]), "The runtime keeps them, in 4 tables") ==
          strings);
  }
}

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
    CHECK(made.suspects[0].threads == (one_field ? 4 : 0));
    CHECK(made.suspects[0].variable.length == 0);
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
