// Two snapshots by interfaces that number fields differently, made comparable: labels by the names of fields.
// Why: slots are an interface's own (JVMTI counts the fields of interfaces, JVMPI lists static fields first); the names are the program's.
// Shape:  labels of the second in the numbering of the first: class by class and field by field, by name. What has no field of that name
//         in the first keeps its label. Roots lose their slots in both, and threads their
//         numbers: not every interface tells them. Classes of the second whose loader is not told ("?") get the one that the first's class of
//         that name has. O(n + m + fields).
// Zone:   offline.   Errors: none.
#pragma once

#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

class NamedLabels {
 public:
  NamedLabels(const Snapshot& first, const Snapshot& second);
  // The same graphs; good as long as this object.
  const Snapshot& first() const { return first_; }
  const Snapshot& second() const { return second_; }

 private:
  void adopt_loaders();
  void renumber_labels();

  Snapshot first_;
  Snapshot second_;
  std::vector<RefLabel> labels_;
  std::vector<RootRecord> first_roots_;
  std::vector<RootRecord> second_roots_;
  std::vector<ThreadRow> first_threads_;
  std::vector<ThreadRow> second_threads_;
  std::vector<ClassRow> second_classes_;
  std::vector<LoaderRow> second_loaders_;
};

}  // namespace holdfast::analysis::lab
