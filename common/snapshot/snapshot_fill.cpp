#include "common/snapshot/snapshot_fill.h"

namespace holdfast {

namespace {

// A column of exactly `count` elements.
template <class T>
Result<std::span<T>> exact_column(CaptureMemory& memory, CaptureColumn index,
                                  std::uint64_t count) noexcept {
  const std::uint64_t bytes = count * sizeof(T);
  if (bytes > memory.column_bytes(index))
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(bytes));
  HF_TRY(start, memory.commit_column(index));
  memory.shrink_column(index, static_cast<std::size_t>(bytes));
  return std::span<T>(reinterpret_cast<T*>(start), static_cast<std::size_t>(count));
}

}  // namespace

Result<void> SnapshotFill::prepare(CaptureMemory& memory, std::uint64_t objects,
                                   std::uint64_t references, AgeSource ages) noexcept {
  if (objects > kMaxObjects || references >= 0xFFFFFFFFu) return make_error(ErrorCode::kTooMany);
  const std::uint64_t aged = ages != AgeSource::kNone ? objects : 0;
  const std::uint64_t wanted =
      objects * (sizeof(ClassId) + 2 * sizeof(std::uint32_t)) + aged + references * 6;
  if (wanted > memory.budget().left_bytes)
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(wanted));
  HF_TRY(class_of, exact_column<ClassId>(memory, kClassColumn, objects));
  HF_TRY(units, exact_column<std::uint32_t>(memory, kUnitsColumn, objects));
  HF_TRY(first_ref, exact_column<std::uint32_t>(memory, kRowStartColumn, objects + 1));
  HF_TRY(target, exact_column<ObjectId>(memory, kTargetColumn, references));
  HF_TRY(label, exact_column<RefLabel>(memory, kLabelColumn, references));
  if (aged != 0) {
    HF_TRY(codes, exact_column<AgeCode>(memory, kAgeColumn, objects));
    ages_ = codes;
    age_source_ = ages;
  }
  memory_ = &memory;
  class_of_ = class_of;
  shallow_units_ = units;
  first_ref_ = first_ref;
  target_ = target;
  label_ = label;
  return {};
}

Result<void> SnapshotFill::finish(const Catalog& catalog, std::span<const RootRecord> roots,
                                  Snapshot& out) noexcept {
  if (overrun_ || objects_ != class_of_.size())
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(objects_));
  memory_->shrink_column(kRowOwnerColumn, 0);
  memory_->shrink_column(kRootColumn, roots.size_bytes());
  memory_->shrink_column(kTargetColumn, references_ * sizeof(ObjectId));
  memory_->shrink_column(kLabelColumn, references_ * sizeof(RefLabel));
  memory_->settle();
  memory_->ledger().restart_peaks();  // the budget was a promise until now
  first_ref_[objects_] = static_cast<std::uint32_t>(references_);
  losses_.names_dropped = catalog.strings.dropped();
  out.catalog = catalog;
  out.class_of = class_of_;
  out.shallow_units = shallow_units_;
  out.first_ref = first_ref_;
  out.target = target_.first(references_);
  out.label = label_.first(references_);
  out.roots = roots;
  out.ages = ages_;
  out.age_source = age_source_;
  out.losses = losses_;
  return {};
}

}  // namespace holdfast
