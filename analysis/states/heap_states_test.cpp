#include "analysis/states/heap_states.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/class_figures.h"
#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/states/state_graph.h"
#include "analysis/suspects.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::TestHeap;

namespace {

constexpr HeapStateLimits kAnySize{.smallest_bytes = 1};

struct Asked {
  explicit Asked(const Snapshot& snapshot, StrengthSet holding = kStrongOnly)
      : heap(snapshot, holding), found(AnalysedHeap::or_abort(find(holding))) {}
  Result<HeapStateFindings> find(StrengthSet holding) {
    const HeapStateQuestion question{heap.references, heap.reachability, heap.dominators, holding};
    return find_heap_states(question, kAnySize, AnalysedHeap::arena(), heap.cancel);
  }
  const HeapStateFigures& of(HeapState state) const {
    return found.states[static_cast<std::size_t>(state)];
  }
  AnalysedHeap heap;
  HeapStateFindings found;
};

std::uint64_t bytes_of(const HeapStateFindings& found) {
  std::uint64_t sum = 0;
  for (const HeapStateFigures& one : found.states) sum += one.shallow_bytes;
  return sum;
}

// The JDK's classes: a finalizer's reference, its queue as a chain from the head, the last one referring to itself.
struct FinalizerHeap {
  TestHeap heap;
  ClassId queue_class = heap.klass("java.lang.ref.ReferenceQueue", {"head", "queueLength"});
  ClassId reference = heap.klass("java.lang.ref.Reference", {"queue", "next"});
  ClassId finalizer =
      heap.klass("java.lang.ref.Finalizer", {"queue", "unfinalized", "prev"}, reference);
  ClassId connection = heap.klass("shop.Connection", {"buffer"});
  ClassId bytes = heap.klass("byte[]");
  ObjectId queue = heap.object(queue_class, 32);

  FinalizerHeap() {
    heap.row(finalizer).referent = Strength::kFinal;
    heap.static_field(finalizer, "queue", queue);
  }
  ObjectId finalizer_of(ObjectId object) {
    const ObjectId made = heap.object(finalizer, 40);
    heap.referent(made, object);
    return made;
  }
  ObjectId new_connection() {
    const ObjectId made = heap.object(connection, 24);
    heap.field(made, "buffer", heap.object(bytes, 10'000));
    return made;
  }
  void enqueue(const std::vector<ObjectId>& references) {
    heap.field(queue, "head", references.front());
    for (std::size_t i = 0; i < references.size(); ++i)
      heap.field(references[i], "next", references[std::min(i + 1, references.size() - 1)]);
  }
};

}  // namespace

TEST_CASE(
    "heap states: what waits in the finalizer queue is a state with classes, a group and the "
    "thread") {
  FinalizerHeap f;
  std::vector<ObjectId> waiting;
  waiting.reserve(400);
  for (int i = 0; i < 400; ++i) waiting.push_back(f.finalizer_of(f.new_connection()));
  f.enqueue(waiting);
  const ThreadId thread = f.heap.thread("Finalizer");
  const ObjectId run = f.heap.object(f.heap.klass("shop.Now"), 16);
  f.heap.local(thread, run, "shop.Connection", "finalize", 1);
  f.heap.local(thread, run, "java.lang.ref.Finalizer$FinalizerThread", "run", 4);
  const Snapshot snapshot = f.heap.snapshot();
  Asked asked(snapshot);

  const HeapStateFigures& state = asked.of(HeapState::kFinal);
  CHECK(state.objects == 800);
  CHECK(state.shallow_bytes == 400 * (24 + 10'000));
  CHECK(bytes_of(asked.found) == [&] {
    std::uint64_t sum = 0;
    for (std::uint32_t v = 0; v < snapshot.object_count(); ++v)
      sum += snapshot.shallow_bytes(ObjectId{v});
    return sum;
  }());
  REQUIRE(state.classes.size() == 2);
  CHECK(state.classes_total == 2);
  CHECK(state.classes[0].class_id == f.bytes);
  CHECK(state.classes[1].class_id == f.connection);
  CHECK(state.classes[1].retained_bytes == 400 * (24 + 10'000));
  REQUIRE(state.groups.size() == 1);
  CHECK(state.groups[0].class_id == f.connection);
  CHECK(state.groups[0].instances == 400);

  REQUIRE(asked.found.backlogs.size() == 1);
  const Backlog& backlog = asked.found.backlogs[0];
  CHECK(backlog.finalizers);
  CHECK(backlog.waiting == 400);
  CHECK(backlog.reference_class == f.finalizer);
  CHECK(backlog.referent_class == f.connection);
  CHECK(backlog.referents == 400);
  CHECK(backlog.thread == thread);
  REQUIRE(backlog.frames.size() == 2);
  CHECK(backlog.frames[0].depth == 1);

  const auto suspects = AnalysedHeap::or_abort(with_waiting(
      {}, asked.found, asked.heap.references, asked.heap.reachability, AnalysedHeap::arena()));
  REQUIRE(suspects.size() == 1);
  CHECK(suspects[0].waits_for_finalizer);
  CHECK(suspects[0].path.length == 4);  // class, queue, the first reference, its referent
  CHECK(suspects[0].path.strength == Strength::kFinal);
}

TEST_CASE(
    "heap states: an object with a finalizer that is held, or that is in no queue, does not wait") {
  FinalizerHeap f;
  std::vector<ObjectId> all;
  const ObjectId list = f.heap.object(f.heap.klass("java.lang.Object[]"), 64);
  f.heap.root(list, RootKind::kJniGlobal);
  for (std::uint32_t i = 0; i < 300; ++i) {
    const ObjectId object = f.new_connection();
    if (i < 100) f.heap.element(list, i, object);
    all.push_back(f.finalizer_of(object));
    f.heap.root(all.back(), RootKind::kJniGlobal);
  }
  SUBCASE("none is in a queue") {
    const Snapshot snapshot = f.heap.snapshot();
    Asked asked(snapshot);
    CHECK(asked.of(HeapState::kFinal).objects == 400);
    CHECK(asked.found.backlogs.empty());
    CHECK(AnalysedHeap::or_abort(with_waiting({}, asked.found, asked.heap.references,
                                              asked.heap.reachability, AnalysedHeap::arena()))
              .empty());
  }
  SUBCASE("few are") {
    f.enqueue({all[290], all[291]});
    const Snapshot snapshot = f.heap.snapshot();
    Asked asked(snapshot);
    REQUIRE(asked.found.backlogs.size() == 1);
    CHECK(asked.found.backlogs[0].waiting == 2);
    CHECK(AnalysedHeap::or_abort(with_waiting({}, asked.found, asked.heap.references,
                                              asked.heap.reachability, AnalysedHeap::arena()))
              .empty());
  }
}

TEST_CASE("heap states: a cleaner's queue and the thread that has the cleaner") {
  FinalizerHeap f;
  const ClassId cleanable =
      f.heap.klass("jdk.internal.ref.PhantomCleanable", {"action"}, f.reference);
  f.heap.row(cleanable).referent = Strength::kPhantom;
  const ClassId cleaner = f.heap.klass("jdk.internal.ref.CleanerImpl", {"queue", "list"});
  const ObjectId impl = f.heap.object(cleaner, 24);
  f.heap.field(impl, "queue", f.queue);
  const ThreadId other = f.heap.thread("main");
  f.heap.local(other, f.heap.object(f.connection, 24), "shop.Main", "main", 0);
  const ThreadId thread = f.heap.thread("Cleaner-0");
  f.heap.local(thread, f.heap.object(f.connection, 24), "shop.Cleanup", "run", 0);
  f.heap.local(thread, impl, "jdk.internal.ref.CleanerImpl", "run", 2);
  std::vector<ObjectId> waiting;
  for (std::uint64_t i = 0; i < kFewestWaiting; ++i) {
    waiting.push_back(f.heap.object(cleanable, 48));
    f.heap.field(waiting.back(), "action", f.heap.object(f.bytes, 100));
  }
  SUBCASE("as many as are worth saying") {
    f.enqueue(waiting);
    const Snapshot snapshot = f.heap.snapshot();
    Asked asked(snapshot);
    REQUIRE(asked.found.backlogs.size() == 1);
    const Backlog& backlog = asked.found.backlogs[0];
    CHECK_FALSE(backlog.finalizers);
    CHECK(backlog.waiting == kFewestWaiting);
    CHECK(backlog.reference_class == cleanable);
    CHECK_FALSE(backlog.referent_class.valid());
    CHECK(backlog.retained_bytes == kFewestWaiting * (48 + 104));
    CHECK(backlog.thread == thread);
    CHECK(backlog.frames.size() == 2);
  }
  SUBCASE("fewer are no backlog") {
    waiting.pop_back();
    f.enqueue(waiting);
    const Snapshot snapshot = f.heap.snapshot();
    CHECK(Asked(snapshot).found.backlogs.empty());
  }
}

TEST_CASE("heap states: a queue without a reader, and a chain without an end") {
  FinalizerHeap f;
  const ClassId weak = f.heap.klass("java.lang.ref.WeakReference", {}, f.reference);
  f.heap.row(weak).referent = Strength::kWeak;
  std::vector<ObjectId> waiting;
  for (std::uint64_t i = 0; i < 2000; ++i) waiting.push_back(f.heap.object(weak, 48));
  f.heap.field(f.queue, "head", waiting[0]);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    f.heap.field(waiting[i], "next", waiting[(i + 1) % waiting.size()]);
  const Snapshot snapshot = f.heap.snapshot();
  Asked asked(snapshot);
  REQUIRE(asked.found.backlogs.size() == 1);
  CHECK(asked.found.backlogs[0].waiting == snapshot.object_count());
  CHECK_FALSE(asked.found.backlogs[0].thread.valid());
}

TEST_CASE("heap states: a CLR's finalizer queue, one of which is on a stack as well") {
  TestHeap heap;
  const ClassId slow = heap.klass("Slow", {"Body"});
  const ClassId body = heap.klass("Byte[]");
  std::vector<ObjectId> all;
  for (int i = 0; i < 400; ++i) {
    all.push_back(heap.object(slow, 24));
    heap.field(all.back(), "Body", heap.object(body, 20'000));
  }
  const ThreadId thread = heap.thread("");
  heap.local(thread, all[0], "Slow", "Finalize", 3, RootKind::kPossibleStackSlot);
  for (int i = 1; i < 400; ++i) heap.root(all[static_cast<std::size_t>(i)], RootKind::kFinalizer);
  const Snapshot snapshot = heap.snapshot();
  Asked asked(snapshot);
  CHECK(asked.of(HeapState::kFinal).objects == 798);
  CHECK(asked.of(HeapState::kPossibleSlot).objects == 2);
  REQUIRE(asked.found.backlogs.size() == 1);
  CHECK(asked.found.backlogs[0].waiting == 399);
  CHECK(asked.found.backlogs[0].referent_class == slow);
  CHECK(asked.found.backlogs[0].thread == thread);

  const auto classes = AnalysedHeap::or_abort(
      class_figures(snapshot, asked.heap.dominators, AnalysedHeap::arena(), asked.heap.cancel));
  const auto suspects = AnalysedHeap::or_abort(find_suspects(
      SuspectInput{asked.heap.references, asked.heap.reachability, asked.heap.dominators, classes},
      AnalysedHeap::arena(), asked.heap.cancel));
  const auto all_suspects =
      AnalysedHeap::or_abort(with_waiting(suspects, asked.found, asked.heap.references,
                                          asked.heap.reachability, AnalysedHeap::arena()));
  REQUIRE(all_suspects.size() == 1);
  CHECK(all_suspects[0].waits_for_finalizer);
  CHECK(snapshot.roots[all_suspects[0].path.root].kind == RootKind::kFinalizer);
}

TEST_CASE("heap states: garbage has classes and groups, cycles too; retain=unreachable holds it") {
  TestHeap heap;
  const ClassId row = heap.klass("shop.Row", {"next", "before"});
  heap.root(heap.object(heap.klass("shop.Main"), 16), RootKind::kJniGlobal);
  constexpr std::uint32_t kRows = 500;
  std::vector<ObjectId> rows;
  for (std::uint32_t i = 0; i < kRows; ++i) rows.push_back(heap.object(row, 64));
  for (std::uint32_t i = 0; i < kRows; ++i) {
    heap.field(rows[i], "next", rows[(i + 1) % kRows]);
    heap.field(rows[i], "before", rows[(i + kRows - 1) % kRows]);
  }
  // Found first by its number, although the cycle leads to it.
  const Snapshot snapshot = heap.snapshot();
  Asked asked(snapshot);
  const HeapStateFigures& state = asked.of(HeapState::kUnreachable);
  CHECK(state.objects == kRows);
  REQUIRE(state.classes.size() == 1);
  CHECK(state.classes[0].instances == kRows);
  CHECK(state.classes[0].retained_bytes == kRows * 64);

  const auto roots = AnalysedHeap::or_abort(with_unreachable_roots(
      asked.heap.references, kStrongOnly, AnalysedHeap::arena(), asked.heap.cancel));
  REQUIRE(roots.size() == 2);
  Snapshot held = snapshot;
  held.roots = roots;
  CHECK(AnalysedHeap(held).dominators.held_objects == snapshot.object_count());
}

TEST_CASE("roots of the rest: one for each component that no other leads to, in random graphs") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    lab::LabGraph graph = lab::random_graph(seed, false);
    const Snapshot snapshot = graph.snapshot();
    AnalysedHeap heap(snapshot);
    ArenaScope scope(AnalysedHeap::arena());
    const std::uint32_t n = snapshot.object_count();
    const auto bits =
        AnalysedHeap::or_abort(AnalysedHeap::arena().make_filled<std::uint64_t>(n / 64 + 1, 0));
    const auto roots = AnalysedHeap::or_abort(
        roots_of_rest(heap.references, kStrongOnly, bits, AnalysedHeap::arena(), heap.cancel));
    const auto reached_from = [&](std::span<const std::uint32_t> starts) {
      std::vector<bool> seen(n);
      std::vector<std::uint32_t> open(starts.begin(), starts.end());
      while (!open.empty()) {
        const std::uint32_t v = open.back();
        open.pop_back();
        if (seen[v]) continue;
        seen[v] = true;
        heap.references.visit_row(v, kStrongOnly,
                                  [&](std::uint32_t to, Strength) { open.push_back(to); });
      }
      return seen;
    };
    const auto all = reached_from(roots);
    CHECK(std::ranges::count(all, true) == n);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      std::vector<std::uint32_t> others(roots.begin(), roots.end());
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK_FALSE(reached_from(others)[roots[i]]);
    }
  }
}
