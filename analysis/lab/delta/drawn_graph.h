// What of a graph is worth showing: its GC roots, all objects with a reference in or out, their class objects, and these references.
// Shape:  objects and references rising; at most `most_lines` references are listed, the stored ones first.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

struct DrawnLine {
  std::uint32_t from;
  std::uint32_t to;
  Strength strength = Strength::kStrong;
  bool implied = false;  // from an object to its class object
};

struct DrawnGraph {
  std::vector<std::uint32_t> objects;
  std::vector<DrawnLine> lines;
  std::uint64_t lines_left_out = 0;
  std::vector<std::vector<RootKind>> root_kinds;  // [objects], empty of those that are no roots
};

DrawnGraph drawn(const Snapshot& snapshot, std::size_t most_lines);

}  // namespace holdfast::analysis::lab
