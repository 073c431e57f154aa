#include "jvmti/hotspot/free_regions.h"

#include "jvmti/hotspot/readable_pages.h"

namespace holdfast::jvmti {

Result<void> FreeRegions::prove(const AgeLayout& layout, const HeapLayout& heap,
                                Arena& arena) noexcept {
  const auto unsupported = [] { return make_error(ErrorCode::kUnsupported); };
  if (layout.why_not[0] != '\0' || layout.young != YoungPlace::kRegions || layout.region_top == 0)
    return unsupported();
  ReadablePages pages;
  for (const std::uint32_t field : {layout.table_base, layout.table_length, layout.table_shift})
    if (!pages.has(layout.region_table + field)) return unsupported();
  const auto table = load<Address>(layout.region_table + layout.table_base);
  const auto count = load<std::uint64_t>(layout.region_table + layout.table_length);
  const auto shift = load<std::uint32_t>(layout.region_table + layout.table_shift);
  constexpr std::uint32_t kLeastShift = 20, kMostShift = 32;
  if (shift < kLeastShift || shift > kMostShift ||
      count != (heap.heap_end - heap.heap_start) >> shift)
    return unsupported();
  HF_TRY(regions, arena.make_filled<Address>(static_cast<std::size_t>(count), 0));
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Address cell = table + i * sizeof(Address);
    if (!pages.has(cell)) return unsupported();
    const auto region = load<Address>(cell);
    if (region == 0) continue;
    for (const std::uint32_t field : {layout.region_bottom, layout.region_top, layout.region_tag})
      if (!pages.has(region + field)) return unsupported();
    if (load<Address>(region + layout.region_bottom) !=
        heap.heap_start + (std::uint64_t{i} << shift))
      return unsupported();
    regions[i] = region;
  }
  layout_ = layout;
  heap_start_ = heap.heap_start;
  shift_ = shift;
  regions_ = regions;
  return {};
}

}  // namespace holdfast::jvmti
