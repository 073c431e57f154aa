// A small graph as a person looks at it: a picture in Graphviz' language (dot -Tsvg), and one line of text.
// Shape:  shown are GC roots, every object with a reference in or out, and their class objects. Roots have a double frame and their
//         kind; references that are not strong are dashed and say what they are; the implied one from an object to its class
//         object is dotted. No more lines than a limit; how many are left out is said.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

inline constexpr std::size_t kMostLinesDrawn = 2'000;  // more is no picture
inline constexpr std::size_t kMostLinesInText = 60;

std::string dot_picture(const Snapshot& snapshot, std::size_t most_lines = kMostLinesDrawn);
// "12 objects, 3 references: 0->1 0->2 1-weak->2; roots 0; implied 1->7".
std::string graph_text(const Snapshot& snapshot, std::size_t most_lines = kMostLinesInText);

}  // namespace holdfast::analysis::lab
