// The generated heaps of [Thesis]: trees and acyclic graphs of 1,001 to 10,001 nodes.
// Why: reachable sizes can be told from a node's id, and each shape is one algorithm's best or worst case: tables A.5 to A.8.
// Shape:  node 0 is the class object, nodes 1 .. objects are its instances, 16 B each; the class object and object 1 are the roots.
//         The tables' series is of kThesisSmallest to kThesisLargest objects, in steps of kThesisStep; a heap has one node more.
//         balanced_tree: object i refers to 2 i and 2 i + 1.
//         unbalanced_tree: a list; odd ids are its entries, which refer to the data object i + 1 and to the next entry i + 2.
//         dag1, dag2: figures 5.4 and 5.5 are not in the text that we have, so these are reconstructions from what it says of them:
//         sizes can be computed from the id, no (dominating) articulation points, twice the time of the unbalanced tree, so about two
//         references an object and all later objects reachable from almost every one; and both cost the same.
//         dag1: object i refers to i + 1 and i + 2. dag2: below object 1 layers of two, each object refers to both of the next layer.
//         (Object 1 itself dominates all that it reaches, but no part of the graph hangs on it alone.)
//         dense_dag: object i refers to the next `references` ones, for what [Thesis] did not dare to measure.
// Zone:   offline.   Errors: none.
// Source: [Thesis], section 5.1 and tables A.5 to A.8.
#pragma once

#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

inline constexpr std::uint32_t kThesisSmallest = 1'000;  // objects; one node more
inline constexpr std::uint32_t kThesisStep = 500;
inline constexpr std::uint32_t kThesisLargest = 10'000;
inline constexpr std::uint32_t kThesisObjectUnits = 2;

LabGraph balanced_tree(std::uint32_t objects);
LabGraph unbalanced_tree(std::uint32_t objects);
LabGraph dag1(std::uint32_t objects);
LabGraph dag2(std::uint32_t objects);
LabGraph dense_dag(std::uint32_t objects, std::uint32_t references);

}  // namespace holdfast::analysis::lab
