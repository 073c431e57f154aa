// A stretch of the graph on its way to a snapshot file: a few thousand objects with their references.
// Why: who reads a heap in the order of addresses has one object after the other, and a file wants many at once.
// Shape:  kObjects objects and kReferences references, and as many more as the object with the most of them has: 12 B and 6 B each, of the
//         arena, fixed when it is made.
// Zone:   child.
// Errors: make(): the arena's; send(): the stream's. The caller asks full() before each object, so nothing overruns.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/snapshot_stream.h"
#include "common/arena.h"

namespace holdfast::analysis {

class GraphWindow {
 public:
  static constexpr std::size_t kObjects = 4096;
  static constexpr std::size_t kReferences = 32'768;

  Result<void> make(Arena& arena, std::uint64_t most_of_one_object) noexcept {
    const std::size_t references = kReferences + static_cast<std::size_t>(most_of_one_object);
    HF_TRY(classes, arena.make<ClassId>(kObjects));
    HF_TRY(units, arena.make<std::uint32_t>(kObjects));
    HF_TRY(rows, arena.make<std::uint32_t>(kObjects + 1));
    HF_TRY(targets, arena.make<ObjectId>(references));
    HF_TRY(labels, arena.make<RefLabel>(references));
    classes_ = classes;
    units_ = units;
    rows_ = rows;
    targets_ = targets;
    labels_ = labels;
    return {};
  }
  // One more object might not fit.
  bool full() const noexcept { return objects_ == kObjects || references_ > kReferences; }
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
  Result<void> send(SnapshotStream& out) noexcept {
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

}  // namespace holdfast::analysis
