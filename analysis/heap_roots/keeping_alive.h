// What an object reaches, and what of that it keeps alive, as HeapRoots has it.
// Why "around it": the seed's definition says that no object outside of the reachability set reaches what is kept; its example
//      says that the object itself, through which those outside do reach it, does not count, nor do paths through it.
// Shape:  reachable: all that the object reaches, itself left out, also where it is on a cycle. kept: those of reachable to which no
//         path leads from an object that is neither reachable nor the object itself, but through the object.
//         How it differs from the retained set: no GC root has a say. Garbage that refers into the set takes from it, a GC root in
//         the set takes nothing; and the object itself is not in it. Where every object is held and the object reaches no GC root,
//         kept and the object together are its retained set.
//         Two bits an object; scratch 4 B + 1 bit an object. O(n + m).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [HeapRoots], "Reachability", "Keeping Alive".
#pragma once

#include "analysis/heap_roots/links.h"
#include "analysis/object_sets.h"

namespace holdfast::analysis {

struct KeepingAlive {
  ObjectSet reachable;
  ObjectSet kept;
};

constexpr std::uint64_t keeping_alive_bytes(std::uint64_t objects) noexcept {
  return 4 * objects + 3 * (objects / 8);
}

Result<KeepingAlive> find_keeping_alive(const CountedReferences& references, const LinkScope& scope,
                                        ObjectId object, Arena& arena,
                                        const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
