// A stretch of the graph on its way to a snapshot file: a few thousand objects with their references.
// Shape:  12 B an object + 6 B a reference of the arena, fixed when it is made.
// Zone:   child.
// Errors: make(): the arena's; send(): the stream's. The caller asks full() before each object, so nothing overruns.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/snapshot_stream.h"
#include "common/arena.h"

namespace holdfast::jvmti {

class GraphWindow {
 public:
  Result<void> make(Arena& arena, std::size_t objects, std::size_t references) noexcept {
    HF_TRY(classes, arena.make<ClassId>(objects));
    HF_TRY(units, arena.make<std::uint32_t>(objects));
    HF_TRY(rows, arena.make<std::uint32_t>(objects + 1));
    HF_TRY(targets, arena.make<ObjectId>(references));
    HF_TRY(labels, arena.make<RefLabel>(references));
    classes_ = classes;
    units_ = units;
    rows_ = rows;
    targets_ = targets;
    labels_ = labels;
    return {};
  }
  // Whether an object with so many references might not fit.
  bool full(std::uint64_t references) const noexcept {
    return objects_ == classes_.size() || references > targets_.size() - references_;
  }
  void begin_object(ClassId class_id, std::uint64_t shallow_bytes) noexcept {
    classes_[objects_] = class_id;
    units_[objects_] = shallow_units_of(shallow_bytes);
    rows_[objects_++] = static_cast<std::uint32_t>(references_);
  }
  void add_reference(ObjectId referent, RefLabel label) noexcept {
    if (references_ == targets_.size()) return;
    targets_[references_] = referent;
    labels_[references_++] = label;
  }
  Result<void> send(analysis::SnapshotStream& out) noexcept {
    rows_[objects_] = static_cast<std::uint32_t>(references_);
    const Result<void> sent =
        out.append(classes_.first(objects_), units_.first(objects_), rows_.first(objects_ + 1),
                   targets_.first(references_), labels_.first(references_));
    objects_ = references_ = 0;
    return sent;
  }

 private:
  std::span<ClassId> classes_;
  std::span<std::uint32_t> units_;
  std::span<std::uint32_t> rows_;
  std::span<ObjectId> targets_;
  std::span<RefLabel> labels_;
  std::size_t objects_ = 0;
  std::size_t references_ = 0;
};

}  // namespace holdfast::jvmti
