#include "analysis/object_sets.h"

#include <algorithm>

#include "analysis/dominator_arrays.h"
#include "analysis/name_pattern.h"
#include "analysis/packages.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kCancelSetClasses = 1024;  // classes between two looks at the cancel token

bool class_matches(const Catalog& catalog, const ObjectQuery& query, ClassId id) noexcept {
  const bool known = id.value < catalog.classes.size();
  switch (query.by) {
    case SelectBy::kClassName:
      return name_matches(query.pattern, catalog.class_name(id));
    case SelectBy::kExactClassName:
      return query.pattern == catalog.class_name(id);
    case SelectBy::kPackage:
      return known && name_matches(query.pattern, package_of(catalog.class_name(id)));
    case SelectBy::kLoaderName:
      break;
  }
  if (!known) return false;
  const LoaderId loader = catalog.classes[id.value].loader;
  return loader.value < catalog.loaders.size() &&
         name_matches(query.pattern, catalog.strings.view(catalog.loaders[loader.value].name));
}

enum class InSet : std::uint8_t { kUnknown, kOnTheWay, kNo, kYes };

// Settles `from` by its nearest settled superclass; what the walk up passes learns the answer, so all walks together are O(classes).
void settle(const Catalog& catalog, std::span<InSet> known, ClassId from) noexcept {
  const auto is_class = [&](ClassId id) { return id.value < catalog.classes.size(); };
  ClassId at = from;
  while (is_class(at) && known[at.value] == InSet::kUnknown) {
    known[at.value] = InSet::kOnTheWay;  // a forged cycle of superclasses ends here
    at = catalog.classes[at.value].superclass;
  }
  const bool in = is_class(at) && known[at.value] == InSet::kYes;
  for (at = from; is_class(at) && known[at.value] == InSet::kOnTheWay;
       at = catalog.classes[at.value].superclass)
    known[at.value] = in ? InSet::kYes : InSet::kNo;
}

Result<void> add_subclasses(const Catalog& catalog, std::span<bool> selected,
                            Arena& arena) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(known, arena.make<InSet>(catalog.classes.size()));
  for (std::size_t c = 0; c < known.size(); ++c)
    known[c] = selected[c] ? InSet::kYes : InSet::kUnknown;
  for (std::uint32_t c = 0; c < known.size(); ++c)
    if (known[c] == InSet::kUnknown) settle(catalog, known, ClassId{c});
  for (std::size_t c = 0; c < known.size(); ++c) selected[c] = known[c] == InSet::kYes;
  return {};
}

}  // namespace

Result<ObjectSet> ObjectSet::make(const Snapshot& snapshot, Arena& arena) noexcept {
  HF_TRY(words,
         arena.make_filled<std::uint64_t>((std::size_t{snapshot.object_count()} + 63) / 64, 0));
  ObjectSet made;
  made.words = words;
  return made;
}

Result<std::span<const bool>> select_classes(const Catalog& catalog, const ObjectQuery& query,
                                             Arena& arena, const CancelToken& cancel) noexcept {
  const std::uint32_t classes = catalog.class_count();
  HF_TRY(selected, arena.make_filled<bool>(std::size_t{classes} + 1, false));
  for (std::uint32_t c = 0; c < classes; ++c) {
    if (c % kCancelSetClasses == 0) HF_CHECK_OK(cancel.check());
    selected[c] = class_matches(catalog, query, ClassId{c});
  }
  selected[classes] = class_matches(catalog, query, ClassId{});
  if (query.subclasses) HF_CHECK_OK(add_subclasses(catalog, selected, arena));
  return std::span<const bool>(selected);
}

Result<ObjectSet> objects_of_classes(const Snapshot& snapshot, std::span<const bool> classes,
                                     bool class_objects, Arena& arena,
                                     const CancelToken& cancel) noexcept {
  HF_TRY(set, ObjectSet::make(snapshot, arena));
  const std::size_t unknown = classes.size() - 1;
  HF_CHECK_OK(forward_in_strides(
      0, snapshot.object_count(), cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t v = from; v < to; ++v)
          if (classes[std::min<std::size_t>(snapshot.class_of[v].value, unknown)])
            set.insert(snapshot, v);
      }));
  for (std::size_t c = 0; class_objects && c < unknown; ++c) {
    const ObjectId mirror = snapshot.catalog.classes[c].mirror;
    if (classes[c] && mirror.valid()) set.insert(snapshot, mirror.value);
  }
  return set;
}

Result<ObjectSet> select_objects(const Snapshot& snapshot, const ObjectQuery& query, Arena& arena,
                                 const CancelToken& cancel) noexcept {
  HF_TRY(classes, select_classes(snapshot.catalog, query, arena, cancel));
  return objects_of_classes(snapshot, classes, query.class_objects, arena, cancel);
}

Result<ObjectSet> objects_of_class(const Snapshot& snapshot, ClassId class_id, Arena& arena,
                                   const CancelToken& cancel) noexcept {
  HF_TRY(set, ObjectSet::make(snapshot, arena));
  HF_CHECK_OK(forward_in_strides(0, snapshot.object_count(), cancel,
                                 [&](std::uint32_t from, std::uint32_t to) {
                                   for (std::uint32_t v = from; v < to; ++v)
                                     if (snapshot.class_of[v] == class_id) set.insert(snapshot, v);
                                 }));
  return set;
}

Result<ObjectSet> set_of_objects(const Snapshot& snapshot, std::span<const ObjectId> objects,
                                 Arena& arena) noexcept {
  HF_TRY(set, ObjectSet::make(snapshot, arena));
  for (const ObjectId object : objects)
    if (object.value < snapshot.object_count()) set.insert(snapshot, object.value);
  return set;
}

}  // namespace holdfast::analysis
