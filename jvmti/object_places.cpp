#include "jvmti/object_places.h"

#include <bit>

namespace holdfast::jvmti {

Result<void> ObjectPlaces::prepare(const HeapRange& heap, std::uint32_t first_number,
                                   CaptureMemory& memory) noexcept {
  constexpr std::uint64_t kNumbers = 0xFFFFFFF0u;
  const std::uint64_t bytes = heap.end > heap.start ? heap.end - heap.start : 0;
  if (bytes == 0 || !std::has_single_bit(heap.alignment) ||
      heap.alignment < MarkTable::kPlaceBytes || heap.start % MarkTable::kPlaceBytes != 0 ||
      first_number + bytes / MarkTable::kPlaceBytes >= kNumbers)
    return make_error(ErrorCode::kUnsupported, static_cast<std::int64_t>(bytes));
  HF_TRY(marks, MarkTable::make(memory.work_arena(), bytes));
  HF_TRY(column, memory.commit_column(kPlaceColumn));
  heap_ = heap;
  heap_bytes_ = bytes;
  first_number_ = first_number;
  marks_ = marks;
  places_ = Column<std::uint32_t>(reinterpret_cast<std::uint32_t*>(column),
                                  memory.column_bytes(kPlaceColumn) / sizeof(std::uint32_t),
                                  memory.budget());
  return {};
}

Result<void> ObjectPlaces::resolve(SnapshotBuilder& builder, Arena& scratch) noexcept {
  HF_TRY(count, marks_.number());
  HF_TRY(id_of, scratch.make<std::uint32_t>(count));
  for (std::size_t i = 0; i < places_.size(); ++i)
    id_of[marks_.number_of(places_[i])] = first_number_ + static_cast<std::uint32_t>(i);
  builder.rename([this, id_of = id_of](std::uint32_t number) {
    return number < first_number_ ? number : id_of[marks_.number_of(number - first_number_)];
  });
  return {};
}

}  // namespace holdfast::jvmti
