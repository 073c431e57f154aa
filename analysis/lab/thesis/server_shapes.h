// What [Thesis]'s tables say of the dynaTrace server's heaps, row by row: what server_like() builds graphs from.
// Shape:  six rows, from 0.5 to 1.8 million nodes; scaled() makes small ones of them for tests.
// Zone:   offline.   Errors: none.
// Source: [Thesis], tables 5.2, 5.3 and A.2.
#pragma once

#include <cstdint>
#include <span>

namespace holdfast::analysis::lab {

struct ServerShape {
  // server_like() keeps these exactly.
  std::uint32_t nodes = 0;    // class objects included
  std::uint32_t classes = 0;  // class objects
  std::uint32_t references = 0;
  std::uint32_t roots = 0;  // nodes without referrers; of a cycle that nothing refers to, one
  std::uint32_t leaves = 0;
  std::uint32_t components = 0;
  std::uint32_t cyclic = 0;            // components of more than one node
  std::uint32_t largest = 0;           // nodes of the largest component
  std::uint32_t component_leaves = 0;  // components that refer to no other
  // And these nearly.
  std::uint32_t articulation_points = 0;
  std::uint32_t dominating_points = 0;
  double average_height = 0;        // of the component graph: the longest way from a root
  std::uint32_t max_height = 0;     // a root's is 1
  std::uint32_t heap_kb = 0;        // of 1,024 bytes
  std::uint32_t above_largest = 0;  // nodes that reach the largest component from outside
  // Nodes whose reachable size is so much larger than their retained size; almost all of the largest component's are more.
  std::uint32_t differ_1kb = 0;    // by 1 to 10 KB
  std::uint32_t differ_10kb = 0;   // by 10 to 100
  std::uint32_t differ_100kb = 0;  // by 100 to 1,000
  // Not in the tables, but what their averages lead to: the longest way from a root to the largest component.
  std::uint32_t largest_height = 0;
};

std::span<const ServerShape> table_5_2_rows();
// All numbers divided, but with what a graph of that kind needs at least. A divisor of up to 400 makes sense.
ServerShape scaled(const ServerShape& shape, std::uint32_t divisor);

}  // namespace holdfast::analysis::lab
