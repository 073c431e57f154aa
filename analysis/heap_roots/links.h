// The links of an object, as HeapRoots has them: its references in their order, strong ones and soft ones.
// Why soft is one kind: HeapRoots does not tell soft, weak, final and phantom references apart, and neither does whoever asks what
//      owns what: each of them may lose its referent.
// Shape:  one look at an object's class when its row is made, then one step a link. A reference from an object to itself is no
//         link. Links from objects to their class objects are left out unless asked for: most of a heap hangs on those.
// Zone:   worker, offline.   Errors: none.
// Source: [HeapRoots], "Strong Reference, Soft Link", "Cycle".
#pragma once

#include "analysis/counted_references.h"

namespace holdfast::analysis {

struct LinkScope {
  bool strong_only = false;       // soft links are none
  bool class_references = false;  // the implied ones from objects to their class objects, too
};

class LinkRow {
 public:
  LinkRow(const CountedReferences& references, const LinkScope& scope,
          std::uint32_t object) noexcept
      : snapshot_(references.snapshot()), object_(object), strong_only_(scope.strong_only) {
    const ClassReferences& row = references.of(object);
    first_ = snapshot_.first_ref[object];
    stored_ = snapshot_.first_ref[object + 1] - first_;
    mixed_ = row.mixed;
    if (scope.class_references) class_object_ = row.class_object;
  }

  // The target of the next link from number `at` on, which is moved behind it; kNoneValue when there is none.
  std::uint32_t next(std::uint32_t& at) const noexcept {
    while (at < stored_) {
      const std::uint32_t i = at++;
      const std::uint32_t target = snapshot_.target[first_ + i].value;
      if (target != object_ && !(strong_only_ && is_soft(i))) return target;
    }
    if (at > stored_) return ObjectId::kNoneValue;
    at = stored_ + 1;
    return class_object_ == object_ ? ObjectId::kNoneValue : class_object_;
  }
  // Link number `i`, the one before where next() left `at`.
  bool is_soft(std::uint32_t i) const noexcept {
    return mixed_ && i < stored_ && strength_of(snapshot_.label[first_ + i]) != Strength::kStrong;
  }

 private:
  const Snapshot& snapshot_;
  std::uint32_t object_;
  std::uint32_t first_ = 0;
  std::uint32_t stored_ = 0;
  std::uint32_t class_object_ = ObjectId::kNoneValue;
  bool mixed_ = false;
  bool strong_only_;
};

}  // namespace holdfast::analysis
