// A graph with the statistics of the heaps that [Thesis] took from the dynaTrace server, for any row of table 5.2.
// Why: those heaps are gone; its numbers say what they were like. One component of up to 421,530 objects is reached from hundreds of others,
//      and reaches almost everything; each of its objects brings another that dominates one leaf, and about four references.
// Shape:  as ServerShape; the roots are as [Thesis] finds them: nodes without referrers, or the first of a cycle.
//         Exact: nodes, classes, references, roots, leaves, components, cyclic ones, the largest, component leaves; so the average
//         size of cyclic components, too; and, seed 1, all (dominating) articulation points and the highest component graph.
//         Near, at full size (thesis_heaps_bench.cpp prints it): average height of the component graph 0.3 %; of the dominator tree 2 %,
//         of the smallest row's 12 % lower, its highest 1 %; of the components' dominator tree 9 %, its highest lower (19, not 33);
//         heap 0.1 %; nodes by difference of reachable and retained size (table 5.3) 2 %; sizes of dominating points used 3 to 26 %
//         fewer (largest row 3 %). Not kept: widths of the trees.
//         Numbered as a capture does; the same for each seed on every machine. Class 0 is that of class objects, none is implied.
//   upper          components in layers, the first two single ones; each refers to the next layer, the last to the entry
//   largest        entry -> holders -> arrays -> members; member -> next one, and its holder; entry -> heads -> structures below
//   member         -> a holding object -> a leaf; and a few references to structures below
//   structures     lists of dominating nodes, each with leaves; cycles; chains of sharing nodes (each member also has another referrer),
//                  ending in shared leaves; some with a private leaf
//   roots          isolated, or with leaves, or referring to two shared leaves
// Zone:   offline.   Errors: std::invalid_argument when the shape's numbers contradict each other.
// Source: [Thesis], section 5.3, tables 5.2, 5.3 and A.2.
#pragma once

#include "analysis/lab/lab_graph.h"
#include "analysis/lab/thesis/server_shapes.h"

namespace holdfast::analysis::lab {

LabGraph server_like(const ServerShape& shape, std::uint64_t seed);

}  // namespace holdfast::analysis::lab
