// The laboratory itself: generators are what they say, oracles agree with each other.
#include <doctest/doctest.h>

#include <string>

#include "analysis/dominators.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/historical.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/removal_check.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/test_heap.h"
#include "analysis/reachability.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);

CountedReferences counted(const Snapshot& s, lab::TestArena& memory) {
  const CancelToken cancel;
  auto references = CountedReferences::make(s, memory.arena(), cancel);
  REQUIRE(references.ok());
  return *references;
}

}  // namespace

TEST_CASE("lab: Lengauer-Tarjan and Cooper-Harvey-Kennedy agree with the definition") {
  lab::TestArena memory(std::uint64_t{1} << 24);
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    INFO("seed ", seed);
    lab::LabGraph graph = lab::random_graph(seed, true);
    const Snapshot s = graph.snapshot();
    ArenaScope scope(memory.arena());
    const CountedReferences references = counted(s, memory);
    const lab::NaiveDominators naive = lab::naive_dominators(s, kHolding);
    const auto lt = lab::lengauer_tarjan(references, kHolding);
    const auto chk = lab::cooper_harvey_kennedy(references, kHolding, 1'000'000);
    REQUIRE(lt.idom == naive.idom);
    REQUIRE(lt.retained_bytes == naive.retained_bytes);
    REQUIRE(chk.idom == naive.idom);
  }
}

TEST_CASE(
    "lab: a heap-like graph looks like a heap, is the same for the same seed, and its retained "
    "sizes are right") {
  for (const lab::ObjectOrder order : {lab::ObjectOrder::kCapture, lab::ObjectOrder::kShuffled}) {
    lab::LabGraph graph = lab::heap_like(60'000, 7, order);
    lab::LabGraph again = lab::heap_like(60'000, 7, order);
    CHECK(graph.target == again.target);
    const Snapshot s = graph.snapshot();
    const double per_object = static_cast<double>(s.reference_count()) / s.object_count();
    CHECK(per_object > 1.5);
    CHECK(per_object < 4.0);
    auto check = lab::check_retained(s, kHolding, 1000, 3);
    REQUIRE(check.ok());
    CHECK(check->checked == 1000);
    CHECK(check->wrong.empty());
  }
}

TEST_CASE("lab: passes and historical algorithms agree on a heap-like graph") {
  lab::TestArena memory(std::uint64_t{1} << 28);
  lab::LabGraph graph = lab::heap_like(300'000, 11, lab::ObjectOrder::kShuffled);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  const CountedReferences references = counted(s, memory);
  auto d = compute_dominators(references, kHolding, memory.arena(), cancel);
  REQUIRE(d.ok());
  const auto lt = lab::lengauer_tarjan(references, kHolding);
  CHECK(std::equal(lt.idom.begin(), lt.idom.end(), d->idom.begin()));
  CHECK(std::equal(lt.retained_bytes.begin(), lt.retained_bytes.end(), d->retained_bytes.begin()));
  // Held by strong and soft references is what reachability says of the two strongest levels.
  auto reached = find_reachability(references, memory.arena(), cancel);
  REQUIRE(reached.ok());
  CHECK(reached->objects[0] + reached->objects[1] == d->held_objects);
  CHECK(reached->shallow_bytes[0] + reached->shallow_bytes[1] == d->held_bytes);
}

TEST_CASE("lab: removal finds a wrong retained size") {
  lab::LabGraph graph = lab::chain(100);
  const Snapshot s = graph.snapshot();
  lab::TestArena memory(std::uint64_t{1} << 22);
  const CancelToken cancel;
  const CountedReferences references = counted(s, memory);
  auto d = compute_dominators(references, kStrongOnly, memory.arena(), cancel);
  REQUIRE(d.ok());
  for (std::uint64_t& bytes : d->retained_bytes) bytes += 8;
  const lab::RemovalCheck check = lab::check_retained(references, *d, kStrongOnly, 70, 1);
  CHECK(check.checked == 70);
  CHECK(check.wrong.size() == 70);
  CHECK(check.wrong[0].retained_bytes == check.wrong[0].removed_bytes + 8);
}

TEST_CASE("lab: the test heap speaks of fields, superclasses, threads and reference classes") {
  lab::TestHeap heap;
  const ClassId base = heap.klass("shop.Base", {"id", "owner"});
  const ClassId derived = heap.klass("shop.Derived", {"name"}, base);
  const ObjectId a = heap.object(derived, 32);
  const ObjectId b = heap.object(base, 20);  // rounded up to a unit
  heap.field(a, "owner", b);
  heap.field(a, "name", b);
  const ObjectId weak =
      heap.object(heap.reference_class("java.lang.ref.WeakReference", Strength::kWeak), 48);
  heap.referent(weak, a);
  heap.local(heap.thread("main"), weak, "shop.Main", "main");
  const Snapshot s = heap.snapshot();
  CHECK(s.shallow_bytes(b) == 24);
  CHECK(s.catalog.field_name(derived, s.label[s.first_ref[a.value]].index()) == "owner");
  CHECK(s.catalog.field_name(derived, s.label[s.first_ref[a.value] + 1].index()) == "name");
  CHECK(strength_of(s.label[s.first_ref[weak.value]]) == Strength::kWeak);
  CHECK(s.catalog.strings.view(s.catalog.threads[s.roots[1].thread.value].name) == "main");
}
