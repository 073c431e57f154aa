// The graph that HeapRoots' documentation explains its words with, and every figure that it states.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analysis/heap_roots/keeping_alive.h"
#include "analysis/heap_roots/ownership.h"
#include "analysis/lab/lab_graph.h"
#include "analysis/lab/test_arena.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint32_t kA = 0, kB = 1, kC = 2, kD = 3, kE = 4, kF = 5, kG = 6, kH = 7, kI = 8,
                        kJ = 9, kK = 10, kL = 11;

lab::LabGraph seed_graph() {
  return lab::graph_of(12,
                       {{kA, kB},
                        {kB, kC},
                        {kB, kI},
                        {kC, kD},
                        {kD, kD},
                        {kD, kE},
                        {kE, kF},
                        {kE, kH},
                        {kF, kG},
                        {kF, kC},
                        {kI, kJ},
                        {kK, kB},
                        {kK, kL},
                        {kL, kK},
                        {kL, kB}},
                       {});
}

struct Example {
  lab::LabGraph graph = seed_graph();
  Snapshot snapshot = graph.snapshot();
  lab::TestArena memory;
  CancelToken cancel;
  CountedReferences references = *CountedReferences::make(snapshot, memory.arena(), cancel);

  KeepingAlive asked(std::uint32_t object) {
    auto found =
        find_keeping_alive(references, LinkScope{}, ObjectId{object}, memory.arena(), cancel);
    REQUIRE(found.ok());
    return *found;
  }
};

std::string letters(const ObjectSet& set) {
  std::string text;
  set.for_each([&](std::uint32_t v) { text += static_cast<char>('A' + v); });
  return text;
}

}  // namespace

TEST_CASE("the seed's example: roots, owners, descendants, sizes and depths") {
  Example example;
  const auto found =
      find_ownership(example.references, LinkScope{}, example.memory.arena(), example.cancel);
  REQUIRE(found.ok());
  const Ownership& o = *found;
  CHECK(std::vector<std::uint32_t>(o.roots.begin(), o.roots.end()) ==
        std::vector<std::uint32_t>{kA, kK});
  CHECK(o.pure_roots == 1);  // "A is the only 'pure' root"
  CHECK(o.objects[kA].parent == OwnedObject::kPureRoot);
  CHECK(o.objects[kK].parent == OwnedObject::kArtificialRoot);
  // "L's owner is K, but every other object's owner is root A"
  for (std::uint32_t v = kA; v <= kJ; ++v) CHECK(o.objects[v].owner == kA);
  CHECK(o.objects[kK].owner == kK);
  CHECK(o.objects[kL].owner == kK);
  // "labelled alphabetically in the order in which they are reached": each by the one that stands before it here
  const std::uint32_t parents[] = {kA, kB, kC, kD, kE, kF, kE, kB, kI};
  for (std::uint32_t v = kB; v <= kJ; ++v) CHECK(o.objects[v].parent == parents[v - 1]);
  CHECK(o.objects[kL].parent == kK);
  const std::uint32_t descendants[] = {9, 8, 5, 4, 3, 1, 0, 0, 1, 0, 1, 0};
  const std::uint32_t depths[] = {6, 5, 4, 3, 2, 1, 0, 0, 1, 0, 1, 0};
  for (std::uint32_t v = kA; v <= kL; ++v) {
    CHECK(o.objects[v].descendants == descendants[v]);
    CHECK(o.objects[v].max_depth == depths[v]);
  }
  // "F's total size is the size of F+G", "size(E)+totalsize(F)+totalsize(H) = E + F+G + H"
  const auto bytes = [&](std::uint32_t v) { return example.snapshot.shallow_bytes(ObjectId{v}); };
  CHECK(o.objects[kF].subtree_bytes == bytes(kF) + bytes(kG));
  CHECK(o.objects[kH].subtree_bytes == bytes(kH));
  CHECK(o.objects[kE].subtree_bytes == bytes(kE) + bytes(kF) + bytes(kG) + bytes(kH));
  CHECK(o.objects[kA].subtree_bytes == 8 * 55);
  CHECK(o.objects[kK].subtree_bytes == 8 * 23);
}

TEST_CASE("the seed's example: what objects reach and keep alive") {
  Example example;
  CHECK(letters(example.asked(kI).reachable) == "J");  // "object I has a reachability of {J}"
  CHECK(example.asked(kJ).reachable.objects == 0);
  CHECK(example.asked(kA).reachable.objects == 9);
  CHECK(letters(example.asked(kK).reachable) == "BCDEFGHIJL");
  CHECK(letters(example.asked(kL).reachable) == "BCDEFGHIJK");
  CHECK(letters(example.asked(kB).kept) == "CDEFGHIJ");
  CHECK(example.asked(kB).kept.shallow_bytes == 8 * (3 + 4 + 5 + 6 + 7 + 8 + 9 + 10));
  CHECK(example.asked(kA).kept.objects == 0);  // "since K can reach everything that A can"
  CHECK(letters(example.asked(kK).kept) == "L");
  CHECK(letters(example.asked(kD).kept) == "EFGH");  // C, on the cycle, is referred to by B
}
