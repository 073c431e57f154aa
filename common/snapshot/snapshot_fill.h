// A snapshot whose size is known before it is filled, object by object in order: what a reader of memory makes.
// Why beside the builder: nothing has to be renumbered or sorted afterwards, so the columns are the snapshot from the start.
// Shape:  12 B an object (13 with ages) + 6 B a reference + 24 B a root, in the capture's columns (capture_memory.h), cut to what is needed.
//         begin_object() for object 0, 1, 2 ..., each followed by its add_reference()s. The root column and the row owner column
//         stay the caller's until finish().
// Zone:   capture, child.
// Errors: prepare(): kOutOfBudget when a column or memory= is too small. Writes beyond what was announced are ignored and make
//         finish() answer kInconsistent.
#pragma once

#include <cstdint>
#include <span>

#include "common/capture_memory.h"
#include "common/result.h"
#include "common/snapshot/snapshot.h"

namespace holdfast {

class SnapshotFill {
 public:
  // `ages`: where those of begin_object() are from; kNone: they are not kept.
  Result<void> prepare(CaptureMemory& memory, std::uint64_t objects, std::uint64_t references,
                       AgeSource ages = AgeSource::kNone) noexcept;

  void begin_object(ClassId class_id, std::uint64_t shallow_bytes,
                    AgeCode age = kUnknownAge) noexcept {
    if (objects_ == class_of_.size()) {
      overrun_ = true;
      return;
    }
    class_of_[objects_] = class_id;
    shallow_units_[objects_] = shallow_units_of(shallow_bytes);
    if (!ages_.empty()) ages_[objects_] = age;
    first_ref_[objects_++] = static_cast<std::uint32_t>(references_);
    losses_.objects_unknown_class += class_id.valid() ? 0 : 1;
  }
  void add_reference(ObjectId referent, RefLabel label) noexcept {
    if (references_ == target_.size()) {
      overrun_ = true;
      return;
    }
    target_[references_] = referent;
    label_[references_++] = label;
  }
  CaptureLosses& losses() noexcept { return losses_; }
  // `roots` lie at the start of the root column.
  Result<void> finish(const Catalog& catalog, std::span<const RootRecord> roots,
                      Snapshot& out) noexcept;

 private:
  CaptureMemory* memory_ = nullptr;
  std::span<ClassId> class_of_;
  std::span<std::uint32_t> shallow_units_;
  std::span<std::uint32_t> first_ref_;
  std::span<AgeCode> ages_;
  AgeSource age_source_ = AgeSource::kNone;
  std::span<ObjectId> target_;
  std::span<RefLabel> label_;
  std::size_t objects_ = 0;
  std::size_t references_ = 0;
  bool overrun_ = false;
  CaptureLosses losses_{};
};

}  // namespace holdfast
