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

constexpr std::uint32_t A = 0, B = 1, C = 2, D = 3, E = 4, F = 5, G = 6, H = 7, I = 8, J = 9,
                        K = 10, L = 11;

lab::LabGraph seed_graph() {
  return lab::graph_of(12,
                       {{A, B},
                        {B, C},
                        {B, I},
                        {C, D},
                        {D, D},
                        {D, E},
                        {E, F},
                        {E, H},
                        {F, G},
                        {F, C},
                        {I, J},
                        {K, B},
                        {K, L},
                        {L, K},
                        {L, B}},
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
        std::vector<std::uint32_t>{A, K});
  CHECK(o.pure_roots == 1);  // "A is the only 'pure' root"
  CHECK(o.objects[A].parent == OwnedObject::kPureRoot);
  CHECK(o.objects[K].parent == OwnedObject::kArtificialRoot);
  // "L's owner is K, but every other object's owner is root A"
  for (std::uint32_t v = A; v <= J; ++v) CHECK(o.objects[v].owner == A);
  CHECK(o.objects[K].owner == K);
  CHECK(o.objects[L].owner == K);
  // "labelled alphabetically in the order in which they are reached": each by the one that stands before it here
  const std::uint32_t parents[] = {A, B, C, D, E, F, E, B, I};
  for (std::uint32_t v = B; v <= J; ++v) CHECK(o.objects[v].parent == parents[v - 1]);
  CHECK(o.objects[L].parent == K);
  const std::uint32_t descendants[] = {9, 8, 5, 4, 3, 1, 0, 0, 1, 0, 1, 0};
  const std::uint32_t depths[] = {6, 5, 4, 3, 2, 1, 0, 0, 1, 0, 1, 0};
  for (std::uint32_t v = A; v <= L; ++v) {
    CHECK(o.objects[v].descendants == descendants[v]);
    CHECK(o.objects[v].max_depth == depths[v]);
  }
  // "F's total size is the size of F+G", "size(E)+totalsize(F)+totalsize(H) = E + F+G + H"
  const auto bytes = [&](std::uint32_t v) { return example.snapshot.shallow_bytes(ObjectId{v}); };
  CHECK(o.objects[F].subtree_bytes == bytes(F) + bytes(G));
  CHECK(o.objects[H].subtree_bytes == bytes(H));
  CHECK(o.objects[E].subtree_bytes == bytes(E) + bytes(F) + bytes(G) + bytes(H));
  CHECK(o.objects[A].subtree_bytes == 8 * 55);
  CHECK(o.objects[K].subtree_bytes == 8 * 23);
}

TEST_CASE("the seed's example: what objects reach and keep alive") {
  Example example;
  CHECK(letters(example.asked(I).reachable) == "J");  // "object I has a reachability of {J}"
  CHECK(example.asked(J).reachable.objects == 0);
  CHECK(example.asked(A).reachable.objects == 9);
  CHECK(letters(example.asked(K).reachable) == "BCDEFGHIJL");
  CHECK(letters(example.asked(L).reachable) == "BCDEFGHIJK");
  CHECK(letters(example.asked(B).kept) == "CDEFGHIJ");
  CHECK(example.asked(B).kept.shallow_bytes == 8 * (3 + 4 + 5 + 6 + 7 + 8 + 9 + 10));
  CHECK(example.asked(A).kept.objects == 0);  // "since K can reach everything that A can"
  CHECK(letters(example.asked(K).kept) == "L");
  CHECK(letters(example.asked(D).kept) == "EFGH");  // C, on the cycle, is referred to by B
}
