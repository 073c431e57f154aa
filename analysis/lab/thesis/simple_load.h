// The heaps of [Thesis]'s SimpleLoadGenerator: cities with persons, arrays of 1 MB, a family, and a small runtime around them.
// Why: almost a tree, with half of the nodes leaves, few small cycles, and nearly every inner node dominating: the heap on which each of the
//      thesis' algorithms still ends.
// Shape:  a city has 25 nodes: itself, its name, and a list of five persons with names and ages; 13 of them are leaves. All hang in one
//         array, behind a cycle of 69 objects. The rest is what the tables' sums leave: see simple_load.cpp.
//         Exact: nodes, classes, references, roots, leaves, components, cyclic ones, the largest, component leaves, and, seed 1, all
//         (dominating) articulation points, the highest component graph and its dominator tree. Near, at full size
//         (thesis_heaps_bench.cpp prints it): average heights 3 %, sizes of dominating points used 3 % fewer.
//         Numbered as a capture does; the same for each seed. Class 0 is that of class objects, none is implied.
// Zone:   offline.   Errors: std::invalid_argument when the shape's numbers contradict each other.
// Source: [Thesis], section 5.2, tables 5.1, A.3 and A.4.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

struct SimpleLoadShape {
  std::uint32_t nodes = 0;
  std::uint32_t classes = 0;
  std::uint32_t references = 0;
  std::uint32_t roots = 0;
  std::uint32_t leaves = 0;
  std::uint32_t components = 0;
  std::uint32_t cyclic = 0;
  std::uint32_t largest = 0;
  std::uint32_t component_leaves = 0;
  std::uint32_t articulation_points = 0;
  std::uint32_t dominating_points = 0;
  std::uint32_t cities = 0;           // the widest node of the dominator tree
  std::uint32_t megabyte_arrays = 0;  // of doubles; they are what the nine heaps differ in
};

// The nine heaps of table 5.1, and the one with twice the cities that only table A.4 has.
std::span<const SimpleLoadShape> table_5_1_rows();
// The same runtime around any number of cities.
SimpleLoadShape with_cities(const SimpleLoadShape& shape, std::uint32_t cities);

LabGraph simple_load(const SimpleLoadShape& shape, std::uint64_t seed);

}  // namespace holdfast::analysis::lab
