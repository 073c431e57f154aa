// A property of graphs that a test wants to hold: where it does not, the test's message shows the smallest graph of which it does not.
//     REQUIRE(lab::counterexample(graph, "dominators", [&](LabGraph& g) { return right(g); }) == "");
// Why not an assertion in the property: it is asked about many graphs on the way, and answers false where something is wrong. What it
//      throws counts as false.
// Shape:  a holding property costs one call of it. Otherwise minimised(), roots too, within 20 s; the text is a summary, the graph in
//         one line and as a picture (dot).
//         HF_MINIMISED_DIR=folder in the environment: <name>-minimised.hfs and .dot are written there, over those of before.
//         HF_ISOLATED=1: each call in a child of its own, 10 s at most, so that a crash or an endless loop is a failure, too.
// Zone:   offline.   Errors: none; files that cannot be written are told in the text.
#pragma once

#include <string>

#include "analysis/lab/delta/graph_minimizer.h"

namespace holdfast::analysis::lab {

// "" where it holds. `name` also names the files; what a file name should not have in it becomes '-'.
std::string counterexample(const LabGraph& graph, const std::string& name, const GraphTest& holds);

}  // namespace holdfast::analysis::lab
