#include "clrprofiler/names/edge_catalog.h"

#include <algorithm>

#include "clrprofiler/names/gc_layout.h"

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kUnitBytes = 8;  // as heap events are recorded

Result<std::span<const RefLabel>> make_labels(std::span<const ClassRow> rows,
                                              Arena& arena) noexcept {
  std::uint32_t most = 0;
  for (const ClassRow& row : rows) most = std::max(most, row.field_count);
  HF_TRY(labels, arena.make<RefLabel>(most));
  for (std::uint32_t k = 0; k < most; ++k) labels[k] = RefLabel::instance_field(k);
  return std::span<const RefLabel>(labels);
}

EdgeNames names_of(const GcLayout& layout, std::span<const RefLabel> labels) noexcept {
  EdgeNames names;
  names.collectible = layout.collectible;
  if (layout.offsets.empty()) return names;
  if (layout.element_bytes != 0) {
    names.kind = EdgeNames::Kind::kElements;
    names.per_element = static_cast<std::uint32_t>(layout.offsets.size());
    names.base_units = layout.base_bytes / kUnitBytes;
    names.element_units = layout.element_bytes / kUnitBytes;
  } else if (layout.offsets.size() == labels.size()) {
    names.kind = EdgeNames::Kind::kFields;
    names.fields = labels;
  }
  return names;
}

}  // namespace

Result<std::span<const EdgeNames>> fill_edges(ClassReader& reader, StructTypes& structs,
                                              std::span<const ClassID> ids, CaptureMemory& memory,
                                              Catalog& catalog) noexcept {
  const ArenaScope scratch(memory.work_arena());
  SlotReader slots;
  HF_CHECK_OK(slots.open(reader, structs, memory.work_arena()));
  HF_TRY(edges, memory.catalog_arena().make_filled<EdgeNames>(ids.size() + 1, EdgeNames{}));
  HF_CHECK_OK(fill_fields(slots, ids, memory, catalog));
  HF_TRY(labels, make_labels(catalog.classes, memory.catalog_arena()));
  std::uint32_t room[SlotReader::kMaxSlots];
  for (std::size_t i = 0; i < std::min(ids.size(), catalog.classes.size()); ++i) {
    const auto layout = read_gc_layout(ids[i], room);
    if (layout) edges[i + 1] = names_of(*layout, labels.first(catalog.classes[i].field_count));
  }
  return std::span<const EdgeNames>(edges);
}

}  // namespace holdfast::clr
