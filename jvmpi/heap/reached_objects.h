// What the roots lead to, before a graph is sealed: a dump of this interface has garbage in it.
// Shape:  reached[v] != 0. An object leads to its class object, too. Depth first, O(n + m); 8 B an object of scratch.
// Zone:   capture, application running.
// Errors: the arena's.
#pragma once

#include "common/snapshot/builder.h"

namespace holdfast::jvmpi {

// Classes are those of the catalog already. `reached`: [n], zeros.
Result<void> mark_reached(const SnapshotBuilder& builder, const Catalog& catalog, Arena& scratch,
                          std::span<std::uint8_t> reached) noexcept;

}  // namespace holdfast::jvmpi
