// What the rows of --objects have beside dominators: components and reachable sizes.
// Why the bound comes behind: what reachable sizes take depends on how much of the heap is shared, which is known only then; on heaps
//      it is a tenth of what the number of objects allows.
// Shape:  spans in the arena. Without memory for any reachable size, not even an estimate, `reachable` is empty.
//         bound_bytes: what was taken at most, on top of what was there before (reachable_bound_bytes).
// Zone:   offline.   Errors: kOutOfBudget: not even the components fit.
#pragma once

#include <optional>
#include <string>

#include "analysis/reachable/reachable_size.h"
#include "analysis/results.h"

namespace holdfast::cli {

struct ObjectSizes {
  std::span<const std::uint32_t> components;  // [objects] of the graph with class references
  std::optional<analysis::ReachableSizes> reachable;
  std::uint64_t estimated_rows = 0;  // held objects whose reachable size is an estimate
  std::uint64_t bound_bytes = 0;
};

Result<ObjectSizes> object_sizes(const Snapshot& snapshot, const analysis::Dominators& dominators,
                                 std::uint32_t holding, std::uint64_t reachable_wall_ns,
                                 Arena& arena, const CancelToken& cancel);

// Of condense() and reachable_sizes() together:
//   condensing    20 B an object + 20 a node + 4 a reference; 12 an object + 1 bit before
//   results       4 B an object + 24 a node + 4 a reference of the condensation
//   exact way     33 B a node + 8 a reference + 161 a member + 60 a shared node + its first lines
//   estimate      77 B a node
std::uint64_t reachable_bound_bytes(const Snapshot& snapshot,
                                    const analysis::Condensation& condensation,
                                    const analysis::ReachableSizes& sizes);

// Why sizes are estimates, or left out: "memory was short", "--reachable-limit 30s was reached". Empty: all are exact.
std::string estimate_reason(const std::optional<analysis::ReachableSizes>& sizes,
                            std::uint64_t reachable_wall_ns);

}  // namespace holdfast::cli
