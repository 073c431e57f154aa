#include "jvmpi/heap/reached_objects.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

}  // namespace

Result<void> mark_reached(const SnapshotBuilder& builder, const Catalog& catalog, Arena& scratch,
                          std::span<std::uint8_t> reached) noexcept {
  const ArenaScope scope(scratch);
  const SnapshotBuilder::Rows rows = builder.rows();
  HF_TRY(row_of, scratch.make_filled<std::uint32_t>(reached.size(), kNoRow));
  for (std::size_t row = 0; row < rows.owner.size(); ++row)
    row_of[rows.owner[row]] = static_cast<std::uint32_t>(row);
  HF_TRY(stack, scratch.make<std::uint32_t>(reached.size()));  // each object once
  std::size_t height = 0;
  const auto reach = [&](ObjectId v) noexcept {
    if (!v.valid() || reached[v.value] != 0) return;
    reached[v.value] = 1;
    stack[height++] = v.value;
  };
  for (const RawRoot& root : builder.raw_roots()) reach(root.object);
  while (height != 0) {
    const std::uint32_t v = stack[--height];
    const ClassId of = builder.class_of(ObjectId{v});
    if (of.valid() && of.value < catalog.class_count()) reach(catalog.classes[of.value].mirror);
    if (row_of[v] == kNoRow) continue;
    for (const ObjectId to : rows.referents(row_of[v])) reach(to);
  }
  return {};
}

}  // namespace holdfast::jvmpi
