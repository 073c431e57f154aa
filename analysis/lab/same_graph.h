// Whether two captures of the same quiet process show the same graph: object by object, reference by reference.
// Why: the frozen heap reads memory with a layout that no contract describes; the standard interface is its oracle. The first snapshot
//      is the standard one, which hides some references; GraphDifference lists which.
// Shape:  pairs from classes and threads by name, along labelled references, then from the other roots. O((n + m) log row).
// Zone:   offline.   Errors: none; read differences.errors().
#pragma once

#include "analysis/lab/graph_differences.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

struct GraphComparison {
  GraphDifferences differences;
  std::uint64_t pairs = 0;
  // References of the objects that have a partner; equal where nothing is hidden in either.
  std::uint64_t references_in_first = 0;
  std::uint64_t references_in_second = 0;
};

// kSomeUntold: the second knows nothing of classes that are not initialised (JVMPI), so their class objects are no roots there for
// their loader's sake.
enum class ClassesOfSecond : std::uint8_t { kAll, kSomeUntold };
GraphComparison compare_graphs(const Snapshot& first, const Snapshot& second,
                               ClassesOfSecond classes = ClassesOfSecond::kAll);
// Only what the static fields of one class hold, up to class objects: for a process that changes everything else. No pairs: there
// is no such class.
GraphComparison compare_held_by(const Snapshot& first, const Snapshot& second,
                                std::string_view class_name);

}  // namespace holdfast::analysis::lab
