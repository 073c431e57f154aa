// Before and after the pause: commit the columns; then renumber in row order, resolve, compact.
//
// After the walk, row k belongs to object row_owner[k] and starts at row_start[k]. The new number of an object is the index
// of its row; objects without a row follow. So row_start, closed with m, is first_ref already, and the references stay where
// they are: only their targets are renamed.
#include "common/snapshot/builder.h"

#include <algorithm>
#include <cstring>

namespace holdfast {

namespace {

template <class T>
Result<Column<T>> committed_column(CaptureMemory& memory, CaptureColumn index) noexcept {
  HF_TRY(start, memory.commit_column(index));
  return Column<T>(reinterpret_cast<T*>(start), memory.column_bytes(index) / sizeof(T),
                   memory.budget());
}

}  // namespace

Result<void> SnapshotBuilder::prepare(CaptureMemory& memory, std::uint32_t preassigned) noexcept {
  memory_ = &memory;
  overflowed_ = false;
  shallow_bytes_total_ = 0;
  losses_ = {};
  HF_TRY(class_column, committed_column<ClassId>(memory, kClassColumn));
  HF_TRY(units_column, committed_column<std::uint32_t>(memory, kUnitsColumn));
  HF_TRY(owner_column, committed_column<std::uint32_t>(memory, kRowOwnerColumn));
  HF_TRY(start_column, committed_column<std::uint32_t>(memory, kRowStartColumn));
  HF_TRY(target_column, committed_column<ObjectId>(memory, kTargetColumn));
  HF_TRY(label_column, committed_column<RefLabel>(memory, kLabelColumn));
  HF_TRY(root_column, committed_column<RawRoot>(memory, kRootColumn));
  class_of_ = class_column;
  shallow_units_ = units_column;
  row_owner_ = owner_column;
  row_start_ = start_column;
  target_ = target_column;
  label_ = label_column;
  roots_ = root_column;
  for (std::uint32_t i = 0; i < preassigned; ++i)
    if (!preassign().valid()) return make_error(ErrorCode::kOutOfBudget, preassigned);
  return {};
}

// Rows keep their order, so what stays moves towards the front and each row begins where its first one went.
std::uint64_t SnapshotBuilder::drop_unreached() noexcept {
  const auto lives = [&](ObjectId id) { return id.value < class_of_.size() && reached(id); };
  std::size_t kept = 0;
  for (std::size_t row = 0; row < row_start_.size(); ++row) {
    const std::size_t end = row + 1 < row_start_.size() ? row_start_[row + 1] : target_.size();
    const std::size_t begin = row_start_[row];
    row_start_[row] = static_cast<std::uint32_t>(kept);
    for (std::size_t i = begin; i < end; ++i) {
      if (!lives(target_[i])) continue;
      target_[kept] = target_[i];
      label_[kept++] = label_[i];
    }
  }
  const std::uint64_t dropped = target_.size() - kept;
  target_.truncate(kept);
  label_.truncate(kept);
  losses_.references_to_unknown += dropped;
  std::size_t roots = 0;
  for (const RawRoot& root : roots_.span())
    if (lives(root.object)) roots_[roots++] = root;
  losses_.roots_dropped += roots_.size() - roots;
  roots_.truncate(roots);
  return dropped;
}

void SnapshotBuilder::rename_classes(std::span<const ClassId> new_id) noexcept {
  for (ClassId& id : class_of_.span()) {
    if (id.value >= new_id.size()) continue;
    id = new_id[id.value];
    if (!id.valid()) ++losses_.objects_unknown_class;
  }
}

Result<void> SnapshotBuilder::number_rows(std::span<std::uint32_t> new_id) noexcept {
  for (std::size_t k = 0; k < row_owner_.size(); ++k) {
    const std::uint32_t owner = row_owner_[k];
    if (owner >= new_id.size() || !reached(ObjectId{owner}) ||
        new_id[owner] != ObjectId::kNoneValue)
      return make_error(ErrorCode::kInconsistent, owner);
    new_id[owner] = static_cast<std::uint32_t>(k);
  }
  for (std::uint32_t v = 0; v < new_id.size(); ++v) {
    if (new_id[v] != ObjectId::kNoneValue || !reached(ObjectId{v})) continue;
    new_id[v] = static_cast<std::uint32_t>(row_owner_.size());
    if (!begin_row(ObjectId{v})) return make_error(ErrorCode::kOutOfBudget, v);
  }
  return {};
}

// Class and size columns into row order. class_of lands in the memory of row_owner, whose values are read just before.
void SnapshotBuilder::permute_objects(std::span<std::uint32_t> scratch) noexcept {
  const std::size_t n = row_owner_.size();
  for (std::size_t k = 0; k < n; ++k) scratch[k] = shallow_units_[row_owner_[k]];
  for (std::size_t k = 0; k < n; ++k) row_owner_[k] = class_of_[row_owner_[k]].value;
  std::memcpy(shallow_units_.span().data(), scratch.data(), n * sizeof(std::uint32_t));
  std::memcpy(static_cast<void*>(class_of_.span().data()), row_owner_.span().data(),
              n * sizeof(ClassId));
}

Result<void> SnapshotBuilder::rename_references(std::span<const std::uint32_t> new_id,
                                                Catalog& catalog) noexcept {
  for (ObjectId& target : target_.span()) {
    if (target.value >= new_id.size() || new_id[target.value] == ObjectId::kNoneValue)
      return make_error(ErrorCode::kInconsistent, target.value);
    target = ObjectId{new_id[target.value]};
  }
  const auto renamed = [&](ObjectId id) {
    return id.value < new_id.size() ? ObjectId{new_id[id.value]} : ObjectId{};
  };
  for (ClassRow& row : catalog.classes) row.mirror = renamed(row.mirror);
  for (LoaderRow& row : catalog.loaders) row.object = renamed(row.object);
  for (ThreadRow& row : catalog.threads) row.object = renamed(row.object);
  for (RawRoot& root : roots_.span()) {
    root.object = renamed(root.object);
    if (!root.object.valid()) return make_error(ErrorCode::kInconsistent, root.object.value);
  }
  return {};
}

Result<std::span<RootRecord>> SnapshotBuilder::resolve_roots(MethodOf method_of,
                                                             void* context) noexcept {
  static_assert(sizeof(RootRecord) <= sizeof(RawRoot), "resolved in place, front to back");
  auto* records = reinterpret_cast<RootRecord*>(roots_.span().data());
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const RawRoot raw = roots_[i];
    const MethodId method =
        raw.method != 0 && method_of != nullptr ? method_of(context, raw.method) : MethodId{};
    records[i] =
        RootRecord{raw.object, raw.thread, method, raw.location, raw.depth, raw.slot, raw.kind};
  }
  return std::span<RootRecord>(records, roots_.size());
}

void SnapshotBuilder::shrink_columns(std::size_t objects) noexcept {
  memory_->shrink_column(kClassColumn, objects * sizeof(ClassId));
  memory_->shrink_column(kUnitsColumn, objects * sizeof(std::uint32_t));
  memory_->shrink_column(kRowOwnerColumn, 0);
  memory_->shrink_column(kRowStartColumn, (objects + 1) * sizeof(std::uint32_t));
  memory_->shrink_column(kTargetColumn, target_.size() * sizeof(ObjectId));
  memory_->shrink_column(kLabelColumn, label_.size() * sizeof(RefLabel));
  memory_->shrink_column(kRootColumn, roots_.size() * sizeof(RootRecord));
}

Result<void> SnapshotBuilder::seal(Catalog& catalog, MethodOf method_of, void* context,
                                   Snapshot& out) noexcept {
  if (overflowed_)
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(class_of_.size()));
  // Objects without a row get one below: at most 8 bytes each.
  memory_->end_walk((class_of_.size() - std::min(class_of_.size(), row_owner_.size())) * 8);
  {
    ArenaScope scratch(memory_->work_arena());
    HF_TRY(new_id, memory_->work_arena().make_filled<std::uint32_t>(class_of_.size(),
                                                                    ObjectId::kNoneValue));
    HF_CHECK_OK(number_rows(new_id));
    HF_TRY(column, memory_->work_arena().make<std::uint32_t>(row_owner_.size()));
    permute_objects(column);
    HF_CHECK_OK(rename_references(new_id, catalog));
  }
  const std::size_t objects = row_start_.size();
  if (!row_start_.push(static_cast<std::uint32_t>(target_.size())))
    return make_error(ErrorCode::kOutOfBudget);
  HF_TRY(roots, resolve_roots(method_of, context));
  shrink_columns(objects);
  memory_->settle();
  losses_.names_dropped = catalog.strings.dropped();
  out.catalog = catalog;
  out.class_of = std::span<const ClassId>(class_of_.span().data(), objects);
  out.shallow_units = std::span<const std::uint32_t>(shallow_units_.span().data(), objects);
  out.first_ref = row_start_.span();
  out.target = target_.span();
  out.label = label_.span();
  out.roots = roots;
  out.losses = losses_;
  return {};
}

}  // namespace holdfast
