// Graphs with a name: the shapes that break graph algorithms, all small graphs, and seeded random ones.
// Shape:  see each function; sizes are parameters, so that a test uses a thousand and a benchmark a million.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

LabGraph chain(std::uint32_t objects);
LabGraph star(std::uint32_t objects);
// Semi-NCA's bad case: a spine whose objects are also reached from its far end, so walks up are long.
LabGraph ladder(std::uint32_t objects);
LabGraph complete(std::uint32_t objects);
LabGraph binary_tree_with_backs(std::uint32_t objects);
// Every row in reverse order.
LabGraph reversed_children(const LabGraph& graph);

struct NamedGraph {
  std::string name;
  LabGraph graph;
};
// Small ones of all kinds: empty, without roots, self and parallel references, unreachable parts, totals above 4 GB, ...
std::vector<NamedGraph> named_shapes();

// Calls visit(graph) for every directed graph of `objects` (at most 4) without self references, once for each of the root sets
// {0}, {0, 1}, ... (others are the same under another numbering). Of 4 objects one graph in eleven where tries() are few.
void for_all_graphs(std::uint32_t objects, const std::function<void(LabGraph&)>& visit);

struct RandomShape {
  std::uint32_t objects = 50;
  std::uint32_t references = 100;
  std::uint32_t roots = 2;
  std::uint32_t classes = 4;       // some with a class object, which is a root or not
  std::uint32_t weak_percent = 0;  // references with a strength other than strong
};
LabGraph random_graph(const RandomShape& shape, std::uint64_t seed);
// A random shape and its graph, all from the seed: what the randomised tests run on.
LabGraph random_graph(std::uint64_t seed, bool with_strengths);

}  // namespace holdfast::analysis::lab
