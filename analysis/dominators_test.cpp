#include "analysis/dominators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "analysis/dominator_tree.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

lab::TestArena& shared_arena() {
  static lab::TestArena arena(std::uint64_t{2} << 30);
  return arena;
}

struct Computed {
  Dominators dominators;
  DominatorWork work;
};

Computed compute(const Snapshot& snapshot, StrengthSet holding = kStrongOnly) {
  const CancelToken cancel;
  Arena& arena = shared_arena().arena();
  auto references = CountedReferences::make(snapshot, arena, cancel);
  REQUIRE(references.ok());
  Computed made;
  auto found = compute_dominators(*references, holding, arena, cancel, &made.work);
  REQUIRE(found.ok());
  made.dominators = *found;
  return made;
}

bool same_as_naive(const Snapshot& s, const Dominators& d, StrengthSet holding) {
  const lab::NaiveDominators naive = lab::naive_dominators(s, holding);
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (d.idom[v] != naive.idom[v] || d.retained_bytes[v] != naive.retained_bytes[v]) return false;
  return true;
}

// order is a preorder of the tree, subtree sizes and retained sizes add up.
bool adds_up(const Snapshot& s, const Dominators& d) {
  std::uint64_t below_root = 0;
  for (std::uint32_t c = 0; c < d.held_objects; c = next_child(d, c)) {
    if (d.idom[d.order[c]] != Dominators::kRoot) return false;
    below_root += retained_at(d, c);
  }
  if (below_root != d.held_bytes) return false;
  for (std::uint32_t p = 0; p < d.held_objects; ++p) {
    const std::uint32_t v = d.order[p];
    if (d.position[v] != p) return false;
    std::uint64_t sum = s.shallow_bytes(ObjectId{v});
    std::uint32_t objects = 1;
    for (std::uint32_t c = first_child(p); c < subtree_end(d, p); c = next_child(d, c)) {
      if (d.idom[d.order[c]] != v) return false;
      sum += retained_at(d, c);
      objects += d.subtree_objects[c];
    }
    if (sum != d.retained_bytes[v] || objects != d.subtree_objects[p]) return false;
  }
  std::uint32_t not_held = 0;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    not_held += d.position[v] == ObjectId::kNoneValue && d.retained_bytes[v] == 0 ? 1 : 0;
  return not_held + d.held_objects == s.object_count();
}

bool right(LabGraph& graph, StrengthSet holding = kStrongOnly) {
  ArenaScope scope(shared_arena().arena());
  const Snapshot s = graph.snapshot();
  const Computed made = compute(s, holding);
  return same_as_naive(s, made.dominators, holding) && adds_up(s, made.dominators);
}

}  // namespace

TEST_CASE("dominators: named shapes as the definition says") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph));
    LabGraph reversed = lab::reversed_children(shape.graph);
    CHECK(right(reversed));
  }
}

TEST_CASE("dominators: every graph of at most 4 objects") {
  for (std::uint32_t objects = 1; objects <= 4; ++objects) {
    std::uint32_t wrong = 0;
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph) ? 0 : 1; });
    CHECK(wrong == 0);
  }
}

TEST_CASE("dominators: seeded random graphs, class objects, strengths and all") {
  const StrengthSet sets[] = {kStrongOnly, holding_strengths(kRetainStrong | kRetainSoft),
                              holding_strengths(kRetainStrong | kRetainSoft | kRetainWeak)};
  for (std::uint64_t seed = 1; seed <= tries(600); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    INFO("seed ", seed);
    REQUIRE(lab::counterexample(graph, "dominators",
                                [&](LabGraph& g) { return right(g, sets[seed % 3]); }) == "");
  }
}

// An event's list of listeners, and an older list that a stale word of a stack leads to.
TEST_CASE("dominators: what may be no root takes nothing from what holds for sure") {
  enum : std::uint32_t { kList, kOldList, kSession, kNewSession, kOther, kCount };
  LabGraph graph = lab::graph_of(
      kCount, {{kList, kSession}, {kList, kNewSession}, {kOldList, kSession}, {kOldList, kOther}},
      {});
  graph.add_root(kSession, RootKind::kPossibleStackSlot);
  graph.add_root(kOldList, RootKind::kPossibleStackSlot);
  graph.add_root(kList, RootKind::kStaticField);
  ArenaScope scope(shared_arena().arena());
  const Snapshot s = graph.snapshot();
  const Dominators d = compute(s).dominators;
  CHECK(d.idom[kSession] == kList);
  CHECK(d.idom[kNewSession] == kList);
  CHECK(d.idom[kOldList] == Dominators::kRoot);
  CHECK(d.idom[kOther] == kOldList);
  CHECK(same_as_naive(s, d, kStrongOnly));
  CHECK(adds_up(s, d));
}

TEST_CASE("dominators: more than 4 GB are added up in 64 bits") {
  ArenaScope scope(shared_arena().arena());
  LabGraph graph = lab::chain(3);
  for (std::uint32_t& units : graph.shallow_units) units = 0xFFFFFFFFu;
  CHECK(compute(graph.snapshot()).dominators.retained_bytes[0] == 3ull * 8 * 0xFFFFFFFFu);
}

TEST_CASE("dominators: a chain of a million needs no stack") {
  ArenaScope scope(shared_arena().arena());
  LabGraph graph = lab::chain(1'000'000);
  const Computed made = compute(graph.snapshot());
  CHECK(made.dominators.depth == 1'000'000);
  CHECK(made.dominators.idom[999'999] == 999'998);
  CHECK(made.dominators.retained_bytes[999'998] == 8u * (999'999 + 1'000'000));
}

TEST_CASE("dominators: the walk up is bounded where Semi-NCA alone is quadratic") {
  ArenaScope scope(shared_arena().arena());
  const std::uint32_t n = 400'000;
  LabGraph forward = lab::ladder(n);
  LabGraph backward =
      lab::reversed_children(forward);  // one of the two is the bad one, by the search's order
  const Computed a = compute(forward.snapshot());
  const Computed b = compute(backward.snapshot());
  CHECK(a.work.jump_pointers != b.work.jump_pointers);
  CHECK(a.work.walk_steps <= 6ull * n);
  CHECK(b.work.walk_steps <= 6ull * n);
  CHECK(std::equal(a.dominators.idom.begin(), a.dominators.idom.end(), b.dominators.idom.begin()));
}

TEST_CASE("dominators: a dense graph outgrows the free stack and takes another") {
  LabGraph graph = lab::complete(60);
  ArenaScope scope(shared_arena().arena());
  const Snapshot s = graph.snapshot();
  const Computed made = compute(s);
  CHECK(made.work.stack_spilled);
  CHECK(same_as_naive(s, made.dominators, kStrongOnly));
}

TEST_CASE("dominators: memory is 36 bytes an object and 8 a stored reference") {
  LabGraph graph = lab::binary_tree_with_backs(300'000);
  const Snapshot s = graph.snapshot();
  lab::TestArena bench(std::uint64_t{1} << 30);
  const CancelToken cancel;
  auto references = CountedReferences::make(s, bench.arena(), cancel);
  REQUIRE(references.ok());
  DominatorWork work;
  REQUIRE(compute_dominators(*references, kStrongOnly, bench.arena(), cancel, &work).ok());
  const double bound =
      static_cast<double>(dominators_bytes(s.object_count(), work.stored_references));
  CHECK(work.stored_references > 250'000);
  CHECK(static_cast<double>(bench.peak_bytes()) < 1.05 * bound);
  CHECK(static_cast<double>(bench.peak_bytes()) > 0.90 * bound);
}

TEST_CASE("dominators: a budget that is too small is an error, and nothing stays behind") {
  LabGraph graph = lab::binary_tree_with_backs(100'000);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  for (const std::uint64_t share : {5u, 30u, 60u, 90u, 95u}) {
    lab::TestArena bench(dominators_bytes(100'000, 80'000) * share / 100);
    auto references = CountedReferences::make(s, bench.arena(), cancel);
    REQUIRE(references.ok());
    const Arena::Mark before = bench.arena().mark();
    auto found = compute_dominators(*references, kStrongOnly, bench.arena(), cancel);
    REQUIRE(!found.ok());
    CHECK(found.error().code == ErrorCode::kOutOfBudget);
    CHECK(bench.arena().mark() == before);
  }
}

TEST_CASE("dominators: a cancelled dump ends the pass") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  CancelToken cancel;
  lab::TestArena bench;
  auto references = CountedReferences::make(s, bench.arena(), cancel);
  REQUIRE(references.ok());
  cancel.cancel();
  auto found = compute_dominators(*references, kStrongOnly, bench.arena(), cancel);
  REQUIRE(!found.ok());
  CHECK(found.error().code == ErrorCode::kCancelled);
}
