// Counted references but for some that a person wants left out: paths and reachability then avoid them.
// Why: "held by a ThreadLocal's entry, I know that, but by what else?" is asked again and again.
// How: what is left out is worked out once per class, as the slots of its fields; an object whose class has none costs one look more.
//      Implied references to class objects and the GC roots are never left out.
// Shape:  1 bit an object and 8 B a class for class objects, 4 B a class, 1 B a class and pattern, 2 B per
//         field left out and class that has it.
//         O(classes * (patterns + fields)) to make; O(log fields left out) more per reference of an object that has some.
// Zone:   worker, offline.   Errors: kOutOfBudget, kTooMany, kCancelled.
// Source: Eclipse MAT's help (paths excluding all phantom, weak, soft references; excluded fields).
#pragma once

#include <algorithm>
#include <string_view>

#include "analysis/class_objects.h"
#include "analysis/counted_references.h"

namespace holdfast::analysis {

struct ReferenceFilter {
  StrengthSet without = 0;  // kStrong in it changes nothing: strong references are named by field
  // "Class.field", each part a name pattern (name_pattern.h), the last dot between them: that field, inherited or static ones
  // included, of objects of the class and of its subclasses; "referent" of a reference class is what it refers to.
  std::span<const std::string_view> fields;
};

class FilteredReferences {
 public:
  // `references` must outlive what is made.
  static Result<FilteredReferences> make(const CountedReferences& references,
                                         const ReferenceFilter& filter, Arena& arena,
                                         const CancelToken& cancel) noexcept;
  static Result<FilteredReferences> make(CountedReferences&&, const ReferenceFilter&, Arena&,
                                         const CancelToken&) = delete;

  const Snapshot& snapshot() const noexcept { return references_->snapshot(); }
  const ClassReferences& of(std::uint32_t object) const noexcept { return references_->of(object); }

  // Whether a stored reference of the object is still there.
  bool keeps(std::uint32_t object, RefLabel label) const noexcept {
    if ((without_ & strength_bit(strength_of(label))) != 0) return false;
    const std::uint32_t row = label.is_static_field()
                                  ? class_objects_.row_of(object)
                                  : std::min(snapshot().class_of[object].value, class_count());
    const auto left_out = labels_of(row);
    return left_out.empty() ||
           !std::binary_search(left_out.begin(), left_out.end(), comparable(label));
  }

  // As CountedReferences::visit_row.
  template <class Visit>
  void visit_row(std::uint32_t object, StrengthSet set, Visit visit) const noexcept {
    const Snapshot& s = snapshot();
    const std::uint32_t end = s.first_ref[object + 1];
    for (std::uint32_t i = s.first_ref[object]; i < end; ++i) {
      const Strength strength = strength_of(s.label[i]);
      if ((set & strength_bit(strength)) != 0 && keeps(object, s.label[i]))
        visit(s.target[i].value, strength);
    }
    const ObjectId class_object = s.implied_class_object(ObjectId{object});
    if (class_object.valid()) visit(class_object.value, Strength::kStrong);
  }

 private:
  std::uint32_t class_count() const noexcept { return snapshot().catalog.class_count(); }
  std::span<const std::uint16_t> labels_of(std::uint32_t row) const noexcept {
    return labels_.subspan(first_[row], first_[row + 1] - first_[row]);
  }
  // Slots count instance and static fields together, so one entry stands for both.
  static std::uint16_t comparable(RefLabel label) noexcept {
    return label.is_static_field() ? RefLabel::instance_field(label.index()).bits : label.bits;
  }
  Result<void> lay_out(std::span<const std::string_view> fields, Arena& arena,
                       const CancelToken& cancel) noexcept;

  const CountedReferences* references_ = nullptr;
  StrengthSet without_ = 0;
  ClassObjects class_objects_;
  std::span<const std::uint32_t>
      first_;  // [class count + 2] into labels_; the row of unknown classes is empty
  std::span<const std::uint16_t> labels_;  // rising within a class
};

}  // namespace holdfast::analysis
