#include "analysis/snapshot_file/snapshot_parts.h"

#include <bit>

#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kMaxRows = 0xFFFFFFF0u;
constexpr std::uint64_t kMaxArrays = 24;      // made by make() and by the block reader
constexpr std::uint64_t kArrayRounding = 64;  // the arena's alignment

template <class T>
Result<void> make_filling(Arena& arena, std::uint64_t count, Filling<T>& out) noexcept {
  HF_TRY(array, arena.make<T>(static_cast<std::size_t>(count)));
  out.all = array;
  out.size = 0;
  return {};
}

}  // namespace

bool SnapshotParts::plausible(const SnapshotCounts& c) noexcept {
  return c.strings <= kMaxRows / 2 && c.string_bytes <= kMaxRows && c.classes < kMaxRows &&
         c.fields <= kMaxRows && c.loaders <= kMaxRows && c.threads <= kMaxRows &&
         c.methods <= kMaxRows && c.roots <= kMaxRows && c.objects <= kMaxObjects &&
         c.references <= kMaxRows && c.report_bytes <= kMaxEmbeddedReportBytes &&
         (c.addresses == 0 || c.addresses == c.objects);
}

std::uint64_t SnapshotParts::reading_bytes(const SnapshotCounts& c, bool with_addresses) noexcept {
  const std::uint64_t strings =
      c.string_bytes + 4 * (c.strings + 2) + 4 * std::bit_ceil(2 * c.strings + 2);
  const std::uint64_t catalog = c.classes * sizeof(ClassRow) + c.fields * sizeof(StringId) +
                                c.loaders * sizeof(LoaderRow) + c.threads * sizeof(ThreadRow) +
                                c.methods * sizeof(MethodRow);
  const std::uint64_t codes = (c.classes + 1) * (8 + sizeof(ClassHabit));
  const std::uint64_t graph = c.roots * sizeof(RootRecord) + c.objects * 12 + 4 + c.references * 6;
  const std::uint64_t addresses = with_addresses ? c.addresses * sizeof(std::uint64_t) : 0;
  return strings + catalog + codes + graph + addresses + kMaxArrays * kArrayRounding;
}

Result<void> SnapshotParts::make(const SnapshotCounts& announced, bool with_addresses,
                                 Arena& arena) noexcept {
  counts = announced;
  HF_TRY(table,
         StringTable::make(arena, static_cast<std::uint32_t>(counts.strings), counts.string_bytes));
  HF_TRY(codes, arena.make<std::uint32_t>(static_cast<std::size_t>(counts.classes + 1)));
  HF_TRY(learned,
         arena.make_filled<ClassHabit>(static_cast<std::size_t>(counts.classes + 1), ClassHabit{}));
  HF_TRY(units, arena.make<std::uint32_t>(static_cast<std::size_t>(counts.objects)));
  HF_TRY(starts, arena.make<std::uint32_t>(static_cast<std::size_t>(counts.objects + 1)));
  HF_TRY(labels, arena.make<RefLabel>(static_cast<std::size_t>(counts.references)));
  strings = table;
  code_of_class = codes;
  habits = learned;
  shallow_units = units;
  first_ref = starts;
  first_ref[0] = 0;
  label = labels;
  HF_CHECK_OK(make_filling(arena, counts.classes, classes));
  HF_CHECK_OK(make_filling(arena, counts.fields, fields));
  HF_CHECK_OK(make_filling(arena, counts.loaders, loaders));
  HF_CHECK_OK(make_filling(arena, counts.threads, threads));
  HF_CHECK_OK(make_filling(arena, counts.methods, methods));
  HF_CHECK_OK(make_filling(arena, counts.roots, roots));
  HF_CHECK_OK(make_filling(arena, counts.classes + 1, class_of_code));
  HF_CHECK_OK(make_filling(arena, counts.objects, class_of));
  HF_CHECK_OK(make_filling(arena, with_addresses ? counts.addresses : 0, addresses));
  return make_filling(arena, counts.references, target);
}

bool SnapshotParts::complete() const noexcept {
  SnapshotCounts have;
  have.strings = strings.size();
  have.string_bytes = string_bytes;
  have.classes = classes.size;
  have.fields = fields.size;
  have.loaders = loaders.size;
  have.threads = threads.size;
  have.methods = methods.size;
  have.roots = roots.size;
  have.objects = class_of.size;
  have.references = target.size;
  have.report_bytes = report_bytes;
  have.addresses = addresses_seen;
  return have == counts;
}

Result<ColumnReader> columns_of(const snapshot_file::Block& block, std::size_t wanted) noexcept {
  if (block.columns()->size() != wanted) return make_error(ErrorCode::kDamaged);
  ColumnReader reader;
  reader.start();
  for (const snapshot_file::Column* column : *block.columns()) {
    reader.add(
        {reinterpret_cast<const std::byte*>(column->bytes()->data()), column->bytes()->size()});
  }
  return reader;
}

}  // namespace holdfast::analysis
