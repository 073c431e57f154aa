#include "analysis/snapshot_file/snapshot_writer.h"

#include <algorithm>

#include "analysis/snapshot_file/address_coding.h"
#include "analysis/snapshot_file/block_writer.h"
#include "analysis/snapshot_file/graph_coding.h"
#include "analysis/snapshot_file/reference_coding.h"
#include "analysis/snapshot_file/row_coding.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::BlockKind;

struct Job {
  const Snapshot& snapshot;
  const CancelToken& cancel;
  BlockWriter& out;
  std::span<std::uint32_t> code_of_class{};  // [classes + 1], the last for "unknown"
  std::span<std::uint32_t> class_of_code{};
  std::span<ClassHabit> habits{};  // by code
};

Result<void> write_embedded_report(Job& job, std::span<const std::byte> image) noexcept {
  for (std::size_t first = 0; first < image.size(); first += kMaxColumnBytes) {
    const auto part = image.subspan(first, std::min(kMaxColumnBytes, image.size() - first));
    job.out.columns().start(1);
    job.out.columns().text(0, part);
    HF_CHECK_OK(job.out.emit(BlockKind::Report, first, part.size()));
  }
  return {};
}

Result<void> write_strings(Job& job) noexcept {
  constexpr std::size_t kRows = rows_per_block(2, kMaxNumberBytes);
  constexpr std::size_t kText = kMaxColumnBytes / 2;
  const StringTable& strings = job.snapshot.catalog.strings;
  const std::uint32_t count = string_count(strings);
  ColumnWriter& columns = job.out.columns();
  std::uint32_t first = 0;
  while (first < count) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(2);
    std::uint32_t id = first;
    for (; id < count && id - first < kRows; ++id) {
      const std::string_view text = strings.view(StringId{id});
      if (columns.column(1).size() + text.size() > kText) break;
      columns.number(0, static_cast<std::uint32_t>(text.size()));
      columns.text(1, std::as_bytes(std::span(text)));
    }
    HF_CHECK_OK(job.out.emit(BlockKind::Strings, first, id - first));
    first = id;
  }
  return {};
}

template <class Row>
Result<void> write_rows(Job& job, BlockKind kind, std::span<const Row> rows) noexcept {
  using Coding = RowColumns<Row>;
  constexpr std::size_t kRows = rows_per_block(Coding::kColumns, Coding::kMaxBytes);
  ColumnWriter& columns = job.out.columns();
  Row before{};
  for (std::size_t first = 0; first < rows.size(); first += kRows) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(Coding::kColumns);
    const auto part = rows.subspan(first, std::min(kRows, rows.size() - first));
    for (Row row : part) {
      code_row(columns, row, before);
      before = row;
    }
    HF_CHECK_OK(job.out.emit(kind, first, part.size()));
  }
  return {};
}

Result<void> write_catalog(Job& job) noexcept {
  const Catalog& catalog = job.snapshot.catalog;
  HF_CHECK_OK(write_strings(job));
  HF_CHECK_OK(write_rows<ClassRow>(job, BlockKind::Classes, catalog.classes));
  HF_CHECK_OK(write_rows<StringId>(job, BlockKind::Fields, catalog.fields));
  HF_CHECK_OK(write_rows<LoaderRow>(job, BlockKind::Loaders, catalog.loaders));
  HF_CHECK_OK(write_rows<ThreadRow>(job, BlockKind::Threads, catalog.threads));
  HF_CHECK_OK(write_rows<MethodRow>(job, BlockKind::Methods, catalog.methods));
  return write_rows<RootRecord>(job, BlockKind::Roots, job.snapshot.roots);
}

// The class with the most objects gets code 0, so that most codes take one byte.
Result<void> rank_classes(Job& job, Arena& arena) noexcept {
  const std::size_t codes = job.snapshot.catalog.classes.size() + 1;
  HF_TRY(counts, arena.make_filled<std::uint32_t>(codes, 0));
  HF_TRY(class_of_code, arena.make<std::uint32_t>(codes));
  HF_TRY(code_of_class, arena.make<std::uint32_t>(codes));
  HF_TRY(habits, arena.make_filled<ClassHabit>(codes, ClassHabit{}));
  for (const ClassId c : job.snapshot.class_of) ++counts[c.valid() ? c.value : codes - 1];
  for (std::uint32_t c = 0; c < codes; ++c) class_of_code[c] = c;
  std::sort(class_of_code.begin(), class_of_code.end(),
            [&counts](std::uint32_t a, std::uint32_t b) {
              return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
            });
  for (std::uint32_t code = 0; code < codes; ++code) code_of_class[class_of_code[code]] = code;
  job.class_of_code = class_of_code;
  job.code_of_class = code_of_class;
  job.habits = habits;
  return {};
}

Result<void> write_class_codes(Job& job) noexcept {
  constexpr std::size_t kRows = rows_per_block(1, kMaxNumberBytes);
  ColumnWriter& columns = job.out.columns();
  std::uint32_t before = 0;
  for (std::size_t first = 0; first < job.class_of_code.size(); first += kRows) {
    columns.start(1);
    const auto part =
        job.class_of_code.subspan(first, std::min(kRows, job.class_of_code.size() - first));
    for (const std::uint32_t c : part) {
      columns.delta(0, c, before);
      before = c;
    }
    HF_CHECK_OK(job.out.emit(BlockKind::ClassCodes, first, part.size()));
  }
  return {};
}

// Objects [first, end) through columns that come and go by value, so that their pointers stay in registers.
ColumnWriter encode_objects(const Job& job, ColumnWriter columns, std::size_t first,
                            std::size_t end) noexcept {
  const std::span<const ClassId> class_of = job.snapshot.class_of;
  const std::span<const std::uint32_t> shallow_units = job.snapshot.shallow_units;
  const std::span<const std::uint32_t> first_ref = job.snapshot.first_ref;
  const std::span<const std::uint32_t> codes = job.code_of_class;
  const std::span<ClassHabit> habits = job.habits;
  for (std::size_t v = first; v < end; ++v) {
    const ClassId c = class_of[v];
    std::uint32_t code = codes[c.valid() ? c.value : codes.size() - 1];
    std::uint32_t units = shallow_units[v];
    std::uint32_t degree = first_ref[v + 1] - first_ref[v];
    code_object(columns, habits, code, units, degree);
  }
  return columns;
}

Result<void> write_objects(Job& job) noexcept {
  ColumnWriter& columns = job.out.columns();
  const std::size_t count = job.snapshot.class_of.size();
  for (std::size_t first = 0; first < count; first += kObjectsPerBlock) {
    HF_CHECK_OK(job.cancel.check());
    const std::size_t end = std::min(count, first + kObjectsPerBlock);
    columns.start(kObjectColumns);
    columns = encode_objects(job, columns, first, end);
    HF_CHECK_OK(job.out.emit(BlockKind::Objects, first, end - first));
  }
  return {};
}

// Where the writing of references stands.
struct ReferenceCursor {
  std::uint32_t row = 0;
  std::uint64_t next = 0;
};

// References [cursor.next, end) through the encoder, which comes back as it is then.
ReferenceEncoder encode_references(Job& job, ReferenceEncoder encoder, ReferenceCursor& cursor,
                                   std::uint64_t end) noexcept {
  const std::span<const std::uint32_t> first_ref = job.snapshot.first_ref;
  const std::span<const ObjectId> targets = job.snapshot.target;
  const std::span<const RefLabel> labels = job.snapshot.label;
  const std::span<const ClassId> class_of = job.snapshot.class_of;
  const std::span<const std::uint32_t> codes = job.code_of_class;
  const std::span<ClassHabit> habits = job.habits;
  std::uint32_t v = cursor.row;
  std::uint64_t i = cursor.next;
  while (i < end) {
    while (first_ref[v + 1] <= i) ++v;
    const ClassId c = class_of[v];
    ClassHabit& habit = habits[codes[c.valid() ? c.value : codes.size() - 1]];
    RowPosition position = start_row(v, habit);
    if (i == first_ref[v]) habit.first_label = labels[i].bits;
    for (const std::uint64_t row_end = std::min<std::uint64_t>(end, first_ref[v + 1]); i < row_end;
         ++i) {
      encoder.target(targets[i].value, position.target);
      encoder.label(labels[i].bits, position.label);
      position = {targets[i].value, labels[i].bits + 1u};
    }
  }
  cursor = {v, i};
  return encoder;
}

Result<void> write_references(Job& job) noexcept {
  const FarShape shape = FarShape::of(job.snapshot.object_count());
  const std::uint64_t count = job.snapshot.reference_count();
  ColumnWriter& columns = job.out.columns();
  ReferenceCursor cursor;
  for (std::uint64_t first = 0; first < count; first = cursor.next) {
    HF_CHECK_OK(job.cancel.check());
    const std::uint64_t end = std::min<std::uint64_t>(count, first + kPackedReferencesPerBlock);
    encode_references(job, ReferenceEncoder(columns, shape), cursor, end).finish(columns);
    HF_CHECK_OK(job.out.emit(BlockKind::References, first, static_cast<std::size_t>(end - first)));
  }
  return {};
}

Result<void> write_addresses(Job& job, std::span<const std::uint64_t> addresses) noexcept {
  ColumnWriter& columns = job.out.columns();
  AddressPosition position;
  for (std::size_t first = 0; first < addresses.size(); first += kAddressesPerBlock) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(1);
    const std::size_t end = std::min(addresses.size(), first + kAddressesPerBlock);
    for (std::size_t v = first; v < end; ++v) {
      std::uint64_t address = addresses[v];
      code_address(columns, position, address,
                   job.snapshot.shallow_bytes(ObjectId{static_cast<std::uint32_t>(v)}));
    }
    HF_CHECK_OK(job.out.emit(BlockKind::Addresses, first, end - first));
  }
  return {};
}

Result<SnapshotCounts> count_all(const Snapshot& snapshot, const SnapshotExtras& extras) noexcept {
  SnapshotCounts counts = count_snapshot(snapshot);
  counts.report_bytes = extras.report.size();
  counts.addresses = extras.addresses.size();
  const bool fit = extras.addresses.empty() || counts.addresses == counts.objects;
  if (!fit || counts.report_bytes > kMaxEmbeddedReportBytes ||
      !is_shallow_unit(snapshot.shallow_unit_bytes))
    return make_error(ErrorCode::kInconsistent);
  return counts;
}

}  // namespace

Result<SnapshotFileInfo> write_snapshot_file(const Snapshot& snapshot, const DumpRecord& record,
                                             Arena& arena, const CancelToken& cancel,
                                             const char* directory, const char* name,
                                             const SnapshotExtras& extras) noexcept {
  const ArenaScope scratch(arena);
  HF_TRY(counts, count_all(snapshot, extras));
  BlockWriter out;
  Job job{snapshot, cancel, out};
  HF_CHECK_OK(rank_classes(job, arena));
  HF_CHECK_OK(out.open(arena, directory, name));
  HF_CHECK_OK(out.emit_header(record, counts, snapshot));
  HF_CHECK_OK(write_embedded_report(job, extras.report));
  HF_CHECK_OK(write_catalog(job));
  HF_CHECK_OK(write_class_codes(job));
  HF_CHECK_OK(write_objects(job));
  HF_CHECK_OK(write_references(job));
  HF_CHECK_OK(write_addresses(job, extras.addresses));
  HF_CHECK_OK(out.emit_end(counts));
  HF_CHECK_OK(out.publish());
  return SnapshotFileInfo{out.file_bytes(), out.raw_bytes(), out.blocks()};
}

}  // namespace holdfast::analysis
