// The part of the builder that runs while the VM is stopped: appends to memory that is there already, nothing else.
#include "common/snapshot/builder.h"

namespace holdfast {

ObjectId SnapshotBuilder::add_object(ClassId class_id, std::uint64_t shallow_bytes) noexcept {
  const auto id = static_cast<std::uint32_t>(class_of_.size());
  // Both columns or neither: class_of_ decides the object count.
  if (id >= kMaxObjects || !shallow_units_.push(shallow_units_of(shallow_bytes)) ||
      !class_of_.push(class_id)) {
    overflowed_ = true;
    return ObjectId{};
  }
  shallow_bytes_total_ += shallow_bytes;
  if (!class_id.valid()) ++losses_.objects_unknown_class;
  return ObjectId{id};
}

void SnapshotBuilder::reach_preassigned(ObjectId id, ClassId class_id,
                                        std::uint64_t shallow_bytes) noexcept {
  class_of_[id.value] = class_id;
  shallow_units_[id.value] = shallow_units_of(shallow_bytes);
  shallow_bytes_total_ += shallow_bytes;
  if (!class_id.valid()) ++losses_.objects_unknown_class;
}

ObjectId SnapshotBuilder::preassign() noexcept {
  const auto id = static_cast<std::uint32_t>(class_of_.size());
  if (id >= kMaxObjects || !shallow_units_.push(0) || !class_of_.push(ClassId{kNotReached})) {
    overflowed_ = true;
    return ObjectId{};
  }
  return ObjectId{id};
}

bool SnapshotBuilder::begin_row(ObjectId referrer) noexcept {
  const auto start = static_cast<std::uint32_t>(target_.size());
  if (!row_start_.push(start) || !row_owner_.push(referrer.value)) overflowed_ = true;
  return !overflowed_;
}

bool SnapshotBuilder::add_reference(ObjectId referent, RefLabel label) noexcept {
  if (target_.size() >= 0xFFFFFFFEu || !label_.push(label) || !target_.push(referent))
    overflowed_ = true;
  return !overflowed_;
}

bool SnapshotBuilder::add_root(const RawRoot& root) noexcept {
  // Every held object must stay a root; where only details are lost, that is counted, and seal() refuses a lost root.
  if (!roots_.push(root)) {
    overflowed_ = true;
    ++losses_.roots_dropped;
  }
  return !overflowed_;
}

}  // namespace holdfast
