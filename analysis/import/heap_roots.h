// GC roots for dumps that have none: HeapRoots' pure and artificial ones.
// Why these: a dump without roots still says what refers to what; from these roots everything in it is reachable, and no
//      smaller choice reaches it in this order.
// Shape:  a pure root is an object that no other refers to. What pure roots do not reach lies behind cycles: there the first
//         object in the order of addresses becomes an artificial root, what it reaches is taken away, and so on.
//         O(objects + references); scratch 4.2 B an object, 4 B an object that pure roots do not reach; result 4 B a root.
// Zone:   offline.   Errors: ImportFailure (memory).
// Source: HeapRoots, "Definitions & Algorithms".
#pragma once

#include <cstdint>
#include <span>

#include "analysis/import/growing_array.h"
#include "common/arena.h"
#include "common/dump_record.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct HeapRoots {
  GrowingArray<std::uint32_t> objects;  // pure ones first
  std::size_t pure = 0;
};

// The snapshot's classes and references are complete, its roots are not looked at; references to class objects that are
// implied count. `absent`: rising numbers of objects that do not count and have no references.
HeapRoots find_heap_roots(const Snapshot& snapshot, std::span<const std::uint64_t> addresses,
                          std::span<const std::uint32_t> absent, Ledger& ledger);

// They become roots of kind other, behind those that the snapshot has, and a note says so. Without `addresses` the order of
// numbers stands for theirs.
void adopt_heap_roots(Snapshot& snapshot, DumpRecord& record, Arena& arena,
                      std::span<const std::uint64_t> addresses,
                      std::span<const std::uint32_t> absent, Ledger& ledger);

}  // namespace holdfast::analysis
