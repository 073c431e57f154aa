#include "analysis/class_objects.h"

namespace holdfast::analysis {

Result<ClassObjects> ClassObjects::make(const Snapshot& snapshot, Arena& arena) noexcept {
  const auto& classes = snapshot.catalog.classes;
  ClassObjects made;
  made.snapshot_ = &snapshot;
  made.unknown_row_ = snapshot.catalog.class_count();
  HF_TRY(set, ObjectSet::make(snapshot, arena));
  HF_TRY(pairs, arena.make<Pair>(classes.size()));
  std::size_t count = 0;
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (!classes[c].mirror.valid()) continue;
    set.insert(snapshot, classes[c].mirror.value);
    pairs[count++] = {classes[c].mirror.value, c};
  }
  made.set_ = set;
  made.pairs_ = pairs.first(count);
  std::sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count));
  return made;
}

}  // namespace holdfast::analysis
