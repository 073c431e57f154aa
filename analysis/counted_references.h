// Which references a pass follows: the stored ones by strength, and the implied one from an object to its class object.
// Why a table per class: almost no object has a reference that is not strong, so labels are read only for objects of the few
//      classes whose objects do; and a class object that is itself a GC root needs no implied references at all.
// Shape:  8 B a class. mixed is set for every class that has an object with a stored soft, weak, final or phantom reference.
//         O(m) to make: one pass over the labels.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/cancel.h"
#include "common/options.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

// A set of strengths, one bit each.
using StrengthSet = std::uint32_t;
constexpr StrengthSet strength_bit(Strength s) noexcept { return 1u << static_cast<unsigned>(s); }
constexpr StrengthSet kStrongOnly = strength_bit(Strength::kStrong);
// What `retain` lets hold an object. Their bits are in the order of the strengths.
constexpr StrengthSet holding_strengths(std::uint32_t retain) noexcept {
  return kStrongOnly | (retain & (kRetainSoft | kRetainWeak | kRetainFinal | kRetainPhantom));
}
static_assert(kRetainStrong == strength_bit(Strength::kStrong) &&
              kRetainSoft == strength_bit(Strength::kSoft) &&
              kRetainWeak == strength_bit(Strength::kWeak) &&
              kRetainFinal == strength_bit(Strength::kFinal) &&
              kRetainPhantom == strength_bit(Strength::kPhantom));

struct ClassReferences {
  std::uint32_t class_object = ObjectId::kNoneValue;  // implied referent of its instances
  bool class_object_is_root = false;
  bool mixed = false;
};

class CountedReferences {
 public:
  CountedReferences() = default;
  // `snapshot` must outlive what is made.
  static Result<CountedReferences> make(const Snapshot& snapshot, Arena& arena,
                                        const CancelToken& cancel) noexcept;
  static Result<CountedReferences> make(Snapshot&&, Arena&, const CancelToken&) = delete;

  const ClassReferences& of(std::uint32_t object) const noexcept {
    return classes_[std::min<std::size_t>(snapshot_->class_of[object].value, classes_.size() - 1)];
  }
  const Snapshot& snapshot() const noexcept { return *snapshot_; }
  // References (implied ones that dominators count included) at most: m + n.
  std::uint64_t reference_bound() const noexcept {
    return snapshot_->reference_count() + snapshot_->object_count();
  }

  // visit(target, strength) for every reference whose strength is in `set`, the implied one last.
  template <class Visit>
  void visit_row(std::uint32_t object, StrengthSet set, Visit visit) const noexcept {
    const Snapshot& s = *snapshot_;
    const ClassReferences& row = of(object);
    const std::uint32_t end = s.first_ref[object + 1];
    for (std::uint32_t i = s.first_ref[object]; i < end; ++i) {
      const Strength strength = row.mixed ? strength_of(s.label[i]) : Strength::kStrong;
      if ((set & strength_bit(strength)) != 0) visit(s.target[i].value, strength);
    }
    if (row.class_object != ObjectId::kNoneValue && row.class_object != object)
      visit(row.class_object, Strength::kStrong);
  }

 private:
  Result<void> mark_mixed_classes(std::span<ClassReferences> classes,
                                  const CancelToken& cancel) const noexcept;

  const Snapshot* snapshot_ = nullptr;
  std::span<const ClassReferences>
      classes_;  // [class count + 1], the last for objects of unknown class
};

}  // namespace holdfast::analysis
