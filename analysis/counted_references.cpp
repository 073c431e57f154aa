#include "analysis/counted_references.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t kLabelBlock = 4096;  // labels looked at between two looks at the cancel token

bool is_strong(RefLabel label) noexcept {
  return static_cast<std::uint16_t>(label.bits - RefLabel::kSpecialBase) >= 4;
}
static_assert(static_cast<int>(SpecialRef::kReferentPhantom) -
                  static_cast<int>(SpecialRef::kReferentSoft) ==
              3);

bool all_strong(std::span<const RefLabel> labels) noexcept {
  bool all = true;
  for (const RefLabel label : labels)
    all = all & is_strong(label);  // no early exit: so it is vectorised
  return all;
}

void mark_roots(const Snapshot& snapshot, std::span<ClassReferences> classes,
                std::span<const std::uint32_t> root_objects) noexcept {
  for (std::size_t c = 0; c < snapshot.catalog.classes.size(); ++c) {
    const ObjectId mirror = snapshot.catalog.classes[c].mirror;
    classes[c].class_object = mirror.value;
    classes[c].class_object_is_root =
        std::binary_search(root_objects.begin(), root_objects.end(), mirror.value);
  }
}

}  // namespace

Result<void> CountedReferences::mark_mixed_classes(std::span<ClassReferences> classes,
                                                   const CancelToken& cancel) const noexcept {
  const Snapshot& s = *snapshot_;
  auto row_end = s.first_ref.begin() + 1;  // of the row that holds the reference at hand
  for (std::size_t from = 0; from < s.label.size(); from += kLabelBlock) {
    HF_CHECK_OK(cancel.check());
    const auto block = s.label.subspan(from, std::min(kLabelBlock, s.label.size() - from));
    if (all_strong(block)) continue;
    for (std::size_t i = from; i < from + block.size(); ++i) {
      if (is_strong(s.label[i])) continue;
      row_end = std::upper_bound(row_end, s.first_ref.end(), i);
      const auto owner = static_cast<std::size_t>(row_end - s.first_ref.begin()) - 1;
      classes[std::min<std::size_t>(s.class_of[owner].value, classes.size() - 1)].mixed = true;
    }
  }
  return {};
}

Result<CountedReferences> CountedReferences::make(const Snapshot& snapshot, Arena& arena,
                                                  const CancelToken& cancel) noexcept {
  CountedReferences made;
  made.snapshot_ = &snapshot;
  HF_TRY(classes, arena.make_filled<ClassReferences>(snapshot.catalog.classes.size() + 1,
                                                     ClassReferences{}));
  made.classes_ = classes;
  {
    ArenaScope scratch(arena);
    HF_TRY(room, arena.make<std::uint32_t>(snapshot.roots.size()));
    std::size_t count = 0;
    for (const RootRecord& root : snapshot.roots)
      if (snapshot.lifespan(root) == Lifespan::kDurable) room[count++] = root.object.value;
    const auto root_objects = room.first(count);
    std::sort(root_objects.begin(), root_objects.end());
    mark_roots(snapshot, classes, root_objects);
  }
  HF_CHECK_OK(made.mark_mixed_classes(classes, cancel));
  return made;
}

}  // namespace holdfast::analysis
