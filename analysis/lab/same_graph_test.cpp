#include "analysis/lab/same_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "analysis/lab/random.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using namespace holdfast::analysis::lab;

namespace {

// The same heap with its objects numbered in another order, and everything open to change.
struct Copy {
  Copy(const Snapshot& s, std::uint64_t seed) : snapshot(s), number(s.object_count()) {
    std::iota(number.begin(), number.end(), 0u);
    Random random(seed);
    for (std::uint32_t i = s.object_count(); i > 1; --i)
      std::swap(number[i - 1], number[random.below(i)]);
    std::vector<std::uint32_t> old(number.size());
    for (std::uint32_t v = 0; v < old.size(); ++v) old[number[v]] = v;
    first_ref.push_back(0);
    for (const std::uint32_t v : old) add_row(s, v);
    for (RootRecord root : s.roots) {
      root.object = renumbered(root.object);
      roots.push_back(root);
    }
    std::reverse(roots.begin(), roots.end());
    for (ClassRow row : s.catalog.classes) {
      row.mirror = renumbered(row.mirror);
      classes.push_back(row);
    }
    for (ThreadRow row : s.catalog.threads) {
      row.object = renumbered(row.object);
      threads.push_back(row);
    }
  }

  void add_row(const Snapshot& s, std::uint32_t v) {
    class_of.push_back(s.class_of[v]);
    units.push_back(s.shallow_units[v]);
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i) {
      target.push_back(renumbered(s.target[i]));
      label.push_back(s.label[i]);
    }
    first_ref.push_back(static_cast<std::uint32_t>(target.size()));
  }
  ObjectId renumbered(ObjectId v) const { return v.valid() ? ObjectId{number[v.value]} : v; }
  // The place of a reference of the original's object.
  std::size_t reference(ObjectId v, std::size_t ordinal) const {
    return first_ref[renumbered(v).value] + ordinal;
  }
  void drop_reference(ObjectId v, std::size_t ordinal) {
    const auto place = static_cast<std::ptrdiff_t>(reference(v, ordinal));
    target.erase(target.begin() + place);
    label.erase(label.begin() + place);
    for (std::uint32_t i = renumbered(v).value + 1; i < first_ref.size(); ++i) --first_ref[i];
  }
  void add_reference(ObjectId v, ObjectId to, RefLabel with) {
    const std::uint32_t from = renumbered(v).value;
    const auto place = static_cast<std::ptrdiff_t>(first_ref[from + 1]);
    target.insert(target.begin() + place, renumbered(to));
    label.insert(label.begin() + place, with);
    for (std::uint32_t i = from + 1; i < first_ref.size(); ++i) ++first_ref[i];
  }
  Snapshot& sealed() {
    snapshot.class_of = class_of;
    snapshot.shallow_units = units;
    snapshot.first_ref = first_ref;
    snapshot.target = target;
    snapshot.label = label;
    snapshot.roots = roots;
    snapshot.catalog.classes = classes;
    snapshot.catalog.threads = threads;
    REQUIRE(verify(snapshot).ok());
    return snapshot;
  }

  Snapshot snapshot;
  std::vector<std::uint32_t> number;
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> units;
  std::vector<std::uint32_t> first_ref;
  std::vector<ObjectId> target;
  std::vector<RefLabel> label;
  std::vector<RootRecord> roots;
  std::vector<ClassRow> classes;
  std::vector<ThreadRow> threads;
};

// A static list of sessions with two fields each, a thread with locals, references without a name, constants of a class.
struct Shop {
  Shop() {
    const ClassId list = heap.klass("java.lang.Object[]");
    main = heap.klass("shop.Main", {"sessions"});
    session = heap.klass("shop.Session", {"user", "next"});
    user = heap.klass("shop.User", {"name"});
    string = heap.klass("java.lang.String", {"value"});
    array = heap.object(list, 16 + 4 * kSessions);
    heap.static_field(main, "sessions", array);
    for (std::uint32_t i = 0; i < kSessions; ++i) {
      sessions.push_back(heap.object(session, 24));
      const ObjectId of = heap.object(user, 16);
      heap.field(sessions[i], "user", of);
      heap.field(of, "name", heap.object(string, 24 + 8 * (i % 3)));
      if (i > 0) heap.field(sessions[i], "next", sessions[i - 1]);
      heap.element(array, i, sessions[i]);
    }
    worker = heap.thread("worker");
    capture = heap.thread("holdfast capture");
    for (std::uint16_t i = 0; i < 4; ++i)
      heap.local(worker, heap.object(session, 24), "shop.Main", "run", i);
    heap.local(capture, heap.object(string, 40), "shop.Agent", "run");
    for (std::uint64_t i = 0; i < 3; ++i) {
      global = heap.object(user, 16);
      heap.field(global, "name", heap.object(string, 24 + 8 * i));
      heap.root(global, RootKind::kJniGlobal);
    }
    heap.root(heap.object(string, 64), RootKind::kOther);
    main_object = heap.class_object(main);
    for (const std::uint64_t bytes : {24u, 32u}) {
      constants.push_back(heap.object(string, bytes));
      heap.refer(main_object, constants.back(), special(SpecialRef::kConstantPool));
    }
  }
  static constexpr std::uint32_t kSessions = 50;
  TestHeap heap;
  ClassId main, session, user, string;
  ObjectId array, global, main_object;
  std::vector<ObjectId> sessions;
  std::vector<ObjectId> constants;
  ThreadId worker, capture;
};

std::uint64_t count(const GraphComparison& result, GraphDifference kind) {
  return result.differences.count(kind);
}

}  // namespace

TEST_CASE("a graph equals itself in any order of its objects") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Copy copy(first, seed);
    const GraphComparison result = compare_graphs(first, copy.sealed());
    CHECK(result.differences.errors() == 0);
    CHECK(result.pairs == first.object_count());
  }
}

TEST_CASE("each reference, when it leads elsewhere, is seen") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  for (std::size_t i = 0; i < first.target.size(); ++i) {
    if (first.label[i] == special(SpecialRef::kConstantPool)) continue;
    Copy copy(first, 1);
    // To an object of the same class and size, if possible: only the structure gives it away.
    ObjectId& target = copy.target[i];
    const std::uint32_t was = target.value;
    for (std::uint32_t v = 0; v < copy.class_of.size() && target.value == was; ++v)
      if (v != was && copy.class_of[v] == copy.class_of[was] && copy.units[v] == copy.units[was])
        target = ObjectId{v};
    if (target.value == was) target = ObjectId{(was + 1) % first.object_count()};
    CAPTURE(i);
    CHECK(compare_graphs(first, copy.sealed()).differences.errors() > 0);
  }
}

TEST_CASE("each shallow size and each class, when it is another, is seen") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  for (std::uint32_t v = 0; v < first.object_count(); ++v) {
    Copy size(first, 2);
    ++size.units[size.renumbered(ObjectId{v}).value];
    Copy other(first, 3);
    ClassId& of = other.class_of[other.renumbered(ObjectId{v}).value];
    of = ClassId{(of.value + 1) % first.catalog.class_count()};
    CAPTURE(v);
    // What only the VM or the capture thread holds may differ.
    const bool excused =
        std::any_of(first.roots.begin(), first.roots.end(), [&](const RootRecord& r) {
          return r.object.value == v && (r.kind == RootKind::kOther || r.thread == shop.capture) &&
                 r.kind != RootKind::kThread;
        });
    CHECK((compare_graphs(first, size.sealed()).differences.errors() > 0) == !excused);
    CHECK((compare_graphs(first, other.sealed()).differences.errors() > 0) == !excused);
  }
}

TEST_CASE("a reference more and a reference less are errors, each of its kind") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  Copy less(first, 4);
  less.drop_reference(shop.sessions[7], 0);
  const auto missing = compare_graphs(first, less.sealed());
  CHECK(count(missing, GraphDifference::kReferenceOnlyInFirst) == 1);
  CHECK(count(missing, GraphDifference::kObjectOnlyInFirst) == 2);  // the user and its name
  REQUIRE_FALSE(missing.differences.lines().empty());
  CHECK(missing.differences.lines()[0].text.find("shop.Session") != std::string::npos);

  Copy more(first, 5);
  more.add_reference(shop.sessions[7], shop.array, RefLabel::instance_field(7));
  CHECK(count(compare_graphs(first, more.sealed()), GraphDifference::kReferenceOnlyInSecond) == 1);
}

TEST_CASE("elements that changed places are seen") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  Copy copy(first, 6);
  std::swap(copy.target[copy.reference(shop.array, 3)], copy.target[copy.reference(shop.array, 9)]);
  CHECK(compare_graphs(first, copy.sealed()).differences.errors() > 0);
}

TEST_CASE("roots: one less, one more, another slot") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  for (std::size_t i = 0; i < first.roots.size(); ++i) {
    Copy less(first, 7);
    const RootRecord gone = less.roots[i];
    less.roots.erase(less.roots.begin() + static_cast<std::ptrdiff_t>(i));
    const auto result = compare_graphs(first, less.sealed());
    const bool excused = gone.kind == RootKind::kOther ||
                         (gone.kind == RootKind::kStackLocal && gone.thread == shop.capture);
    CAPTURE(i);
    CHECK((count(result, GraphDifference::kRootOnlyInFirst) == 0) == excused);
  }
  Copy more(first, 8);
  RootRecord added = more.roots[0];
  added.kind = RootKind::kMonitor;
  more.roots.push_back(added);
  CHECK(count(compare_graphs(first, more.sealed()), GraphDifference::kRootOnlyInSecond) == 1);
  Copy moved(first, 9);
  for (RootRecord& root : moved.roots)
    if (root.kind == RootKind::kStackLocal && root.thread == shop.worker) root.slot = 5;
  CHECK(compare_graphs(first, moved.sealed()).differences.errors() > 0);
}

TEST_CASE("roots: possible stack slots of the thread that captures are excused, others are not") {
  for (const bool captures : {false, true}) {
    Shop shop;
    const ObjectId text = shop.heap.object(shop.string, 48);
    shop.heap.local(captures ? shop.capture : shop.worker, text, "shop.Main", "run", 9,
                    RootKind::kPossibleStackSlot);
    const Snapshot first = shop.heap.snapshot();
    Copy less(first, 7);  // which lists its roots backwards
    REQUIRE(less.roots.front().kind == RootKind::kPossibleStackSlot);
    less.roots.erase(less.roots.begin());
    const auto result = compare_graphs(first, less.sealed());
    CHECK((count(result, GraphDifference::kRootOnlyInFirst) == 0) == captures);
  }
}

TEST_CASE("what the standard interface hides is counted and no error") {
  Shop shop;
  const ClassId list = shop.heap.klass("java.lang.Object[]");
  const Snapshot first = shop.heap.snapshot();
  Copy original(first, 10);
  // The second has what the first has, and: a field of a class object, constants in an array, a root of the VM.
  Shop memory;
  const ObjectId field = memory.heap.object(memory.string, 48);
  memory.heap.refer(memory.main_object, field, RefLabel::instance_field(2));
  memory.heap.root(memory.heap.object(memory.user, 16), RootKind::kOther);
  const ObjectId resolved = memory.heap.object(list, 32);
  const Snapshot with_more = memory.heap.snapshot();
  Copy second(with_more, 11);
  for (int k = 0; k < 2; ++k) {
    std::size_t ordinal = 0;
    while (second.label[second.reference(memory.main_object, ordinal)] !=
           special(SpecialRef::kConstantPool))
      ++ordinal;
    second.drop_reference(memory.main_object, ordinal);
    second.add_reference(resolved, memory.constants[static_cast<std::size_t>(k)],
                         RefLabel::element(static_cast<std::uint32_t>(k)));
  }
  second.add_reference(memory.main_object, resolved, special(SpecialRef::kConstantPool));
  const auto result = compare_graphs(first, second.sealed());
  CHECK(result.differences.errors() == 0);
  CHECK(count(result, GraphDifference::kClassObjectField) == 1);
  CHECK(count(result, GraphDifference::kResolvedConstants) == 1);
  CHECK(count(result, GraphDifference::kInternalRoot) >= 1);
  CHECK(count(result, GraphDifference::kObjectOnlyInSecond) == 3);

  // A constant that is not in the array is an error all the same.
  second.drop_reference(resolved, 1);
  CHECK(count(compare_graphs(first, second.sealed()), GraphDifference::kConstant) == 1);
}

TEST_CASE("frames of virtual threads: roots in one, references of a stack chunk in the other") {
  TestHeap walked;
  TestHeap frozen;
  for (TestHeap* heap : {&walked, &frozen}) {
    const ClassId chunk = heap->klass("jdk.internal.vm.StackChunk");
    const ClassId local = heap->klass("shop.Request", {"body"});
    const ObjectId kept = heap->object(chunk, 128);
    heap->root(kept, RootKind::kJniGlobal);
    for (std::uint64_t i = 0; i < 3; ++i) {
      const ObjectId request = heap->object(local, 24);
      heap->field(request, "body", heap->object(heap->klass("byte[]"), 24 + 8 * i));
      if (heap == &walked)
        heap->root(request, RootKind::kStackLocal);
      else
        heap->refer(kept, request, special(SpecialRef::kOther));
    }
  }
  const Snapshot first = walked.snapshot();
  const auto result = compare_graphs(first, frozen.snapshot());
  CHECK(result.differences.errors() == 0);
  CHECK(result.pairs == first.object_count());
  CHECK(count(result, GraphDifference::kVirtualThreadLocal) == 3);
  CHECK(count(result, GraphDifference::kStackChunkReference) == 3);
  // And none of them may be missing.
  Copy without(frozen.snapshot(), 12);
  without.drop_reference(ObjectId{0}, 0);
  CHECK(compare_graphs(first, without.sealed()).differences.errors() > 0);
}

TEST_CASE("of a process that changes, what one class holds is compared alone") {
  Shop shop;
  const Snapshot first = shop.heap.snapshot();
  Shop later;
  later.heap.root(later.heap.object(later.user, 16), RootKind::kMonitor);
  const Snapshot changed = later.heap.snapshot();
  CHECK(compare_graphs(first, changed).differences.errors() > 0);
  const auto held = compare_held_by(first, changed, "shop.Main");
  CHECK(held.differences.errors() == 0);
  CHECK(held.pairs > 3 * Shop::kSessions);
  CHECK(compare_held_by(first, changed, "shop.Absent").pairs == 0);

  Copy wrong(changed, 13);
  ++wrong.units[wrong.renumbered(later.sessions[5]).value];
  CHECK(count(compare_held_by(first, wrong.sealed(), "shop.Main"),
              GraphDifference::kShallowBytes) == 1);
}

TEST_CASE("classes that are not linked: nothing told of the class object, fields without a name") {
  TestHeap walked;
  TestHeap frozen;
  ObjectId entry;
  for (TestHeap* heap : {&walked, &frozen}) {
    const bool second = heap == &frozen;
    const ClassId table = heap->klass("java.util.Table", {"first", "second"});
    const ClassId base = heap->klass("java.util.Base");
    entry = heap->object(table, 24);
    heap->root(entry, RootKind::kJniGlobal);
    const RefLabel label = second ? special(SpecialRef::kOther) : RefLabel::instance_field(1);
    heap->refer(entry, heap->object(heap->klass("int[]"), 40), label);
    heap->refer(entry, heap->object(heap->klass("long[]"), 48), label);
    heap->class_object(base);
    if (second)
      heap->refer(heap->class_object(table), heap->class_object(base),
                  special(SpecialRef::kSuperclass));
    else
      heap->class_object(table);
  }
  const Snapshot first = walked.snapshot();
  const Snapshot second = frozen.snapshot();
  const auto result = compare_graphs(first, second);
  CHECK(result.differences.errors() == 0);
  CHECK(result.pairs == first.object_count());
  CHECK(count(result, GraphDifference::kUnnamedField) == 2);
  CHECK(count(result, GraphDifference::kUnlinkedClass) == 1);
  // One that leads nowhere, and one too many where nothing is added.
  Copy less(second, 14);
  less.drop_reference(entry, 0);
  CHECK(count(compare_graphs(first, less.sealed()), GraphDifference::kReferenceOnlyInFirst) == 1);
  Copy more(second, 15);
  more.add_reference(entry, entry, RefLabel::instance_field(9));
  CHECK(count(compare_graphs(first, more.sealed()), GraphDifference::kReferenceOnlyInSecond) == 1);
  // What was told of a class object must be told again.
  CHECK(count(compare_graphs(second, first), GraphDifference::kReferenceOnlyInFirst) > 0);
}

TEST_CASE(
    "fields that the VM adds: to classes of the runtime library and to exceptions, not to others") {
  for (const char* name : {"java.lang.invoke.ResolvedMethodName", "shop.SoldOut", "shop.Session"}) {
    TestHeap walked;
    TestHeap frozen;
    for (TestHeap* heap : {&walked, &frozen}) {
      const ClassId thrown = heap->klass("java.lang.Throwable", {"message"});
      heap->klass("shop.SoldOut", {"item"}, thrown);
      const ObjectId object = heap->object(heap->klass(name), 24);
      heap->root(object, RootKind::kJniGlobal);
      if (heap == &frozen)
        heap->refer(object, heap->object(heap->klass("java.lang.Object[]"), 40),
                    special(SpecialRef::kOther));
    }
    const auto result = compare_graphs(walked.snapshot(), frozen.snapshot());
    CAPTURE(name);
    const bool allowed = std::string_view(name) != "shop.Session";
    CHECK(count(result, GraphDifference::kInjectedField) == (allowed ? 1 : 0));
    CHECK(count(result, GraphDifference::kReferenceOnlyInSecond) == (allowed ? 0 : 1));
  }
}
