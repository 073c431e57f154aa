// The smallest graph that still shows a defect: what [Thesis] calls its delta debugger.
// How:    all references of an object together first, then one by one, then (if wished) the roots; objects and classes stay as they
//         are, so that an object keeps its number and what is computed about it stays comparable.
// Shape:  O(objects + references left) a test, besides the test itself; a few hundred tests where some ten references matter.
//         1-minimal when it ended kMinimal: without any one more reference (or root, where these are let go) it does not show.
// Zone:   offline.   Errors: none; MinimisedGraph::end says why it ended.
// Source: [Thesis], 4.7 and C.2.2.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "analysis/lab/delta/ddmin.h"
#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

// It gets a graph of its own, with which it may do what it likes. True: the defect still shows.
using GraphTest = std::function<bool(LabGraph&)>;

struct MinimiserLimits {
  bool roots_too = false;
  std::uint64_t max_tests = 100'000;
  std::chrono::milliseconds time{60'000};
};

struct MinimisedGraph {
  LabGraph graph;
  DdminEnd end = DdminEnd::kMinimal;
  std::uint64_t references_before = 0, references_after = 0;
  std::uint64_t roots_before = 0, roots_after = 0;
  std::uint64_t tests = 0;
  std::chrono::duration<double> time{};
};

MinimisedGraph minimised(const LabGraph& graph, const GraphTest& shows,
                         const MinimiserLimits& limits = {});
// "3 of 412 references and 1 of 2 roots are left: 97 tests in 0.02 s", and why, if it is not the smallest.
std::string summary(const MinimisedGraph& made);

}  // namespace holdfast::analysis::lab
