#include "clrprofiler/counted_classes.h"

namespace holdfast::clr {

Result<MetClasses> met_classes(std::span<const CountedType> all, Arena& arena) noexcept {
  HF_TRY(row, arena.make_filled<std::uint32_t>(all.size(), 0));
  HF_TRY(rows, arena.make<CountedType>(all.size()));
  std::uint32_t count = 0;
  rows[count++] = all[ClassTable::kUnknown];
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].instances == 0) continue;
    row[i] = count;
    rows[count++] = all[i];
  }
  return MetClasses{rows.first(count), row};
}

Result<std::span<const ClassID>> class_ids(std::span<const CountedType> rows,
                                           Arena& arena) noexcept {
  HF_TRY(ids, arena.make<ClassID>(rows.size() - 1));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<ClassID>(rows[i + 1].type);
  return std::span<const ClassID>(ids);
}

Result<std::span<const ClassId>> class_numbers(std::span<const CountedType> rows,
                                               Arena& arena) noexcept {
  HF_TRY(numbers, arena.make_filled<ClassId>(rows.size(), ClassId{}));
  for (std::uint32_t i = 1; i < numbers.size(); ++i) numbers[i] = ClassId{i - 1};
  return std::span<const ClassId>(numbers);
}

Result<void> make_histogram(std::span<const CountedType> rows, Arena& arena,
                            Capture& out) noexcept {
  HF_TRY(counts, arena.make_filled<ClassCount>(rows.size(), ClassCount{}));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t to = i == 0 ? rows.size() - 1 : i - 1;
    counts[to] = ClassCount{rows[i].instances, rows[i].shallow_bytes};
    bytes += rows[i].shallow_bytes;
  }
  const Catalog catalog = out.snapshot.catalog;
  out.snapshot = Snapshot{};
  out.snapshot.catalog = catalog;
  out.snapshot.losses.objects_unknown_class = counts.back().instances;
  out.snapshot.losses.names_dropped = catalog.strings.dropped();
  out.heap_before.used_bytes = out.heap_after.used_bytes = bytes;
  out.histogram = counts;
  out.rung = CaptureRung::kHistogram;
  out.has_graph = false;
  return {};
}

}  // namespace holdfast::clr
