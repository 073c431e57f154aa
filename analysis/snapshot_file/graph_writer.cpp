#include "analysis/snapshot_file/graph_writer.h"

#include <algorithm>
#include <utility>

#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::BlockKind;

// What encoding an object or a reference looks at.
struct Codes {
  std::span<const std::uint32_t> of_class;  // [classes + 1]
  std::span<ClassHabit> habits;
  std::uint32_t of(ClassId c, bool& bad) const noexcept {
    const std::size_t unknown = of_class.size() - 1;
    const bool known = c.value < unknown;
    bad |= !known && c.valid();
    return of_class[known ? c.value : unknown];
  }
};

// Objects [from, end) through columns that come and go by value, so that their pointers stay in registers.
ColumnWriter encode_objects(const Codes& codes, ColumnWriter columns, const ObjectWindow& window,
                            std::size_t from, std::size_t end, bool& bad) noexcept {
  bool wrong = false;
  for (std::size_t i = from; i < end; ++i) {
    std::uint32_t code = codes.of(window.classes[i], wrong);
    std::uint32_t units = window.units[i];
    std::uint32_t degree = window.rows[i + 1] - window.rows[i];
    wrong |= window.rows[i + 1] < window.rows[i];
    code_object(columns, codes.habits, code, units, degree);
  }
  bad |= wrong;
  return columns;
}

// Where the writing of a window's references stands.
struct ReferenceCursor {
  std::size_t row = 0;
  std::size_t next = 0;
};

struct ReferenceJob {
  const Codes& codes;
  const ObjectWindow& window;
  const ReferenceWindow& references;
  std::uint64_t first_object;  // the window's
  std::uint64_t objects;       // of the whole graph
};

// References [cursor.next, end) through the encoder, which comes back as it is then.
ReferenceEncoder encode_references(const ReferenceJob& job, ReferenceEncoder encoder,
                                   ReferenceCursor& cursor, std::size_t end, bool& bad) noexcept {
  const std::span<const std::uint32_t> rows = job.window.rows;
  const std::span<const ObjectId> targets = job.references.targets;
  const std::span<const RefLabel> labels = job.references.labels;
  const std::uint64_t objects = job.objects;
  const std::size_t base = rows[0];
  std::size_t row = cursor.row;
  std::size_t i = cursor.next;
  bool wrong = false;
  while (i < end) {
    while (rows[row + 1] - base <= i) ++row;
    ClassHabit& habit = job.codes.habits[job.codes.of(job.window.classes[row], wrong)];
    RowPosition position = start_row(static_cast<std::uint32_t>(job.first_object + row), habit);
    if (i == rows[row] - base) habit.first_label = labels[i].bits;
    for (const std::size_t row_end = std::min<std::size_t>(end, rows[row + 1] - base); i < row_end;
         ++i) {
      wrong |= targets[i].value >= objects;
      encoder.target(targets[i].value, position.target);
      encoder.label(labels[i].bits, position.label);
      position = {targets[i].value, labels[i].bits + 1u};
    }
  }
  cursor = {row, i};
  bad |= wrong;
  return encoder;
}

}  // namespace

std::size_t GraphWriter::memory_bytes(std::size_t classes, GraphOrder order) noexcept {
  constexpr std::size_t kArrays = 4;
  constexpr std::size_t kBytesPerClass = 2 * sizeof(std::uint32_t) + sizeof(ClassHabit);
  return (classes + 1) * kBytesPerClass + (order == GraphOrder::kMixed ? kMaxColumnBytes : 0) +
         kArrays * Arena::kAlignment;
}

Result<void> GraphWriter::open(BlockWriter& out, const CancelToken& cancel, Arena& arena,
                               GraphOrder order, const GraphCounts& counts,
                               std::span<const std::uint32_t> instances) noexcept {
  out_ = &out;
  cancel_ = &cancel;
  order_ = order;
  counts_ = counts;
  HF_TRY(class_of_code, arena.make<std::uint32_t>(instances.size()));
  HF_TRY(code_of_class, arena.make<std::uint32_t>(instances.size()));
  HF_TRY(habits, arena.make_filled<ClassHabit>(instances.size(), ClassHabit{}));
  class_of_code_ = class_of_code;
  code_of_class_ = code_of_class;
  habits_ = habits;
  object_columns_ = out.columns();
  if (order == GraphOrder::kMixed) {
    HF_TRY(memory, arena.make<std::byte>(kMaxColumnBytes));
    object_columns_ = ColumnWriter(memory);
  }
  rank_classes(instances);
  return write_class_codes();
}

// The class with the most objects gets code 0, so that most codes take one byte.
void GraphWriter::rank_classes(std::span<const std::uint32_t> instances) noexcept {
  const auto codes = static_cast<std::uint32_t>(instances.size());
  for (std::uint32_t c = 0; c < codes; ++c) class_of_code_[c] = c;
  std::sort(class_of_code_.begin(), class_of_code_.end(),
            [instances](std::uint32_t a, std::uint32_t b) {
              return instances[a] != instances[b] ? instances[a] > instances[b] : a < b;
            });
  for (std::uint32_t code = 0; code < codes; ++code) code_of_class_[class_of_code_[code]] = code;
}

Result<void> GraphWriter::write_class_codes() noexcept {
  constexpr std::size_t kRows = rows_per_block(1, kMaxNumberBytes);
  ColumnWriter& columns = out_->columns();
  std::uint32_t before = 0;
  for (std::size_t first = 0; first < class_of_code_.size(); first += kRows) {
    columns.start(1);
    const auto part = class_of_code_.subspan(first, std::min(kRows, class_of_code_.size() - first));
    for (const std::uint32_t c : part) {
      columns.delta(0, c, before);
      before = c;
    }
    HF_CHECK_OK(out_->emit(BlockKind::ClassCodes, first, part.size()));
  }
  return {};
}

Result<void> GraphWriter::add_objects(const ObjectWindow& window) noexcept {
  const std::size_t count = window.classes.size();
  if (count == 0) return {};
  if (count > counts_.objects - objects_ || window.units.size() != count ||
      window.rows.size() != count + 1)
    return inconsistent();
  for (std::size_t from = 0; from < count;) {
    if (pending_objects_ == 0) object_columns_.start(kObjectColumns);
    const std::size_t end = std::min(count, from + kObjectsPerBlock - pending_objects_);
    bool bad = false;
    object_columns_ =
        encode_objects({code_of_class_, habits_}, object_columns_, window, from, end, bad);
    if (bad) return inconsistent();
    pending_objects_ += end - from;
    objects_ += end - from;
    from = end;
    if (pending_objects_ == kObjectsPerBlock || objects_ == counts_.objects)
      HF_CHECK_OK(flush_objects());
  }
  return {};
}

Result<void> GraphWriter::add_references(const ObjectWindow& window,
                                         const ReferenceWindow& references) noexcept {
  if (window.classes.empty()) return {};
  const std::size_t count = references.targets.size();
  const bool in_order = order_ == GraphOrder::kMixed || objects_ == counts_.objects;
  if (!in_order || window.classes.size() > objects_ - rows_done_ ||
      count > counts_.references - references_ || references.labels.size() != count ||
      count != window.rows.back() - window.rows.front())
    return inconsistent();
  const Codes codes{code_of_class_, habits_};
  const ReferenceJob job{codes, window, references, rows_done_, counts_.objects};
  ReferenceCursor cursor;
  while (cursor.next < count) {
    if (pending_references_ == 0)
      encoder_ = ReferenceEncoder(out_->columns(), FarShape::of(counts_.objects));
    const std::size_t from = cursor.next;
    const std::size_t end = std::min(count, from + kPackedReferencesPerBlock - pending_references_);
    bool bad = false;
    encoder_ = encode_references(job, encoder_, cursor, end, bad);
    if (bad) return inconsistent();
    pending_references_ += end - from;
    references_ += end - from;
    if (pending_references_ == kPackedReferencesPerBlock || references_ == counts_.references)
      HF_CHECK_OK(flush_references());
  }
  rows_done_ += window.classes.size();
  return {};
}

Result<void> GraphWriter::flush_objects() noexcept {
  HF_CHECK_OK(cancel_->check());
  const std::size_t rows = std::exchange(pending_objects_, 0);
  if (rows == 0) return {};
  return out_->emit(object_columns_, BlockKind::Objects, objects_ - rows, rows);
}

Result<void> GraphWriter::flush_references() noexcept {
  HF_CHECK_OK(flush_objects());  // whose references these are
  const std::size_t rows = std::exchange(pending_references_, 0);
  encoder_.finish(out_->columns());
  return out_->emit(BlockKind::References, references_ - rows, rows);
}

}  // namespace holdfast::analysis
