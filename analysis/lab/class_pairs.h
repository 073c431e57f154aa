// Which class of one snapshot is which of another: by name and loader where these are unique, else by their instances.
// Shape:  one partner a class and side; 4 B a class.   Zone: offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

class ClassPairs {
 public:
  ClassPairs(const Snapshot& first, const Snapshot& second);
  // Whether both are the same class; what was not known yet is learned from the answer.
  bool same(ClassId a, ClassId b);
  ClassId of_first(ClassId a) const { return of_first_[a.value]; }
  std::uint32_t paired() const { return paired_; }

 private:
  void pair(ClassId a, ClassId b);

  const Snapshot& first_;
  const Snapshot& second_;
  std::vector<ClassId> of_first_;
  std::vector<ClassId> of_second_;
  std::uint32_t paired_ = 0;
};

// "shop.Session\napp": what tells classes apart.
std::string class_key(const Snapshot& s, ClassId id);

}  // namespace holdfast::analysis::lab
