// HeapRoots' questions: the heap from its pure and artificial roots, who owns an object, what an object keeps alive.
//   --from-roots          roots by subtree size, below each its tree, to --depth levels and --top objects
//   --root-of AT          the root that owns an object, and the way from it
//   --keeping-alive AT    what an object reaches, and what of it nobody reaches without it, by class
//   --strong-only         of these: soft links (soft, weak, final, phantom) are left out
//   --class-references    of these: the references from objects to their class objects, too
// Shape:  one Answer each. Of the tree the largest subtrees are shown, so all rows together are bounded; what is left out is summed.
// Zone:   offline.   Errors: QueryError.
// Source: seed 002; analysis/heap_roots/.
#pragma once

#include "cli/analyze/object_names.h"

namespace holdfast::cli {

Answer from_roots(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names);
Answer root_of(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names,
               const std::string& at);
Answer keeping_alive(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names,
                     const std::string& at);

}  // namespace holdfast::cli
