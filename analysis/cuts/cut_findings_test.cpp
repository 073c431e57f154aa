#include "analysis/cuts/cut_findings.h"

#include <doctest/doctest.h>

#include "analysis/lab/condensed_heap.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;

namespace {

// A holder of a ring of three, of which one refers to a buffer; and an object apart.
struct Ring {
  Ring() {
    const ClassId node = heap.klass("shop.Node", {"next", "data"});
    holder = heap.object(heap.klass("shop.Holder", {"ring"}), 24);
    heap.root(holder, RootKind::kJniGlobal);
    for (ObjectId& one : ring) one = heap.object(node, 32);
    for (int i = 0; i < 3; ++i) heap.field(ring[i], "next", ring[(i + 1) % 3]);
    heap.field(holder, "ring", ring[0]);
    buffer = heap.object(heap.klass("byte[]"), 4096);
    heap.field(ring[1], "data", buffer);
    apart = heap.object(heap.klass("shop.Apart"), 16);
    heap.root(apart, RootKind::kThread);
  }
  lab::TestHeap heap;
  ObjectId holder, ring[3], buffer, apart;
};

}  // namespace

TEST_CASE("cuts: components, articulation points and the references to cut, in room of their own") {
  Ring ring;
  const Snapshot s = ring.heap.snapshot();
  AnalysedHeap heap(s);
  Arena& arena = AnalysedHeap::arena();
  const auto room = AnalysedHeap::or_abort(CutRoom::make({}, arena));
  CutFindings found;
  {
    const ArenaScope scope(arena);
    const auto c = AnalysedHeap::or_abort(condense(heap.references, {}, arena, heap.cancel));
    const std::size_t used = arena.used_bytes();
    found = AnalysedHeap::or_abort(
        find_cuts(heap.references, kStrongOnly, heap.dominators, c, room, arena, heap.cancel));
    CHECK(arena.used_bytes() == used);
  }
  CHECK(found.components == 4);  // the holder, the ring, the buffer, and what is apart
  CHECK(found.cyclic_components == 1);
  CHECK(found.cyclic_objects == 3);
  CHECK(found.largest_component_objects == 3);
  CHECK(found.biconnected_components == 2);
  CHECK(found.largest_biconnected_nodes == 2);
  CHECK(found.parts == 2);
  CHECK(found.articulation_points == 1);
  CHECK(found.dominating_points == 2);  // the holder and the ring
  REQUIRE(found.important.most_references.size() == 4);
  CHECK(found.important.most_references[0].object == ring.ring[1]);
  CHECK(found.important.most_references[0].references == 2);
  CHECK(found.important.most_references[0].articulation);
  CHECK(found.important.most_referrers[0].object == ring.ring[0]);
  REQUIRE(found.important.cuts.size() == 2);
  const Cut& root = found.important.cuts[0];  // the chain holder -> ring -> buffer goes on from it
  CHECK(root.referent == ring.holder);
  CHECK_FALSE(root.referrer.valid());
  CHECK(root.freed_bytes == 24 + 3 * 32 + 4096);
  CHECK(root.freed_objects == 5);
  CHECK(found.important.cuts[1].referent == ring.apart);
}

TEST_CASE("cuts: memory that ends, and a cancelled dump, leave nothing behind") {
  Ring ring;
  const Snapshot s = ring.heap.snapshot();
  AnalysedHeap heap(s);
  Arena& arena = AnalysedHeap::arena();
  const auto room = AnalysedHeap::or_abort(CutRoom::make({}, arena));
  const auto c = AnalysedHeap::or_abort(condense(heap.references, {}, arena, heap.cancel));
  const auto find = [&](const CancelToken& cancel) {
    return find_cuts(heap.references, kStrongOnly, heap.dominators, c, room, arena, cancel);
  };
  const std::size_t used = arena.used_bytes();
  std::uint32_t refused = 0;
  for (std::uint64_t bytes = 0;; bytes += 64) {
    const ArenaCap cap(arena, bytes);
    const auto made = find(heap.cancel);
    CHECK(arena.used_bytes() == used);
    if (made) break;
    CHECK(made.error().code == ErrorCode::kOutOfBudget);
    ++refused;
  }
  CHECK(refused > 5);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(find(cancelled).error().code == ErrorCode::kCancelled);
  CHECK(arena.used_bytes() == used);
}
