#include "analysis/class_figures.h"

#include <algorithm>

#include "analysis/class_objects.h"
#include "analysis/dominator_arrays.h"
#include "analysis/dominator_tree.h"
#include "analysis/set_sweep.h"

namespace holdfast::analysis {

namespace {

std::size_t row_of(const Snapshot& snapshot, std::uint32_t object) noexcept {
  return std::min<std::size_t>(snapshot.class_of[object].value, snapshot.catalog.classes.size());
}

void count_unheld(const Snapshot& snapshot, std::uint32_t object, ClassFigures& row) noexcept {
  ++row.unheld_instances;
  row.unheld_bytes += snapshot.shallow_bytes(ObjectId{object});
}

void count_held(const Snapshot& snapshot, std::uint32_t object, std::uint64_t retained_bytes,
                ClassFigures& row) noexcept {
  ++row.instances;
  row.shallow_bytes += snapshot.shallow_bytes(ObjectId{object});
  if (retained_bytes > row.largest_retained_bytes) {
    row.largest_retained_bytes = retained_bytes;
    row.largest = ObjectId{object};
  }
}

}  // namespace

Result<std::span<const ClassFigures>> class_figures(const Snapshot& snapshot, const Dominators& d,
                                                    Arena& arena, const CancelToken& cancel,
                                                    bool with_class_objects) noexcept {
  HF_TRY(rows,
         arena.make_filled<ClassFigures>(snapshot.catalog.classes.size() + 1, ClassFigures{}));
  ArenaScope scratch(arena);
  HF_TRY(sweep, SetSweep::make(d, rows.size(), arena));
  ClassObjects class_objects;
  if (with_class_objects) {
    HF_TRY(made, ClassObjects::make(snapshot, arena));
    class_objects = made;
  }
  HF_CHECK_OK(
      forward_in_strides(0, d.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t p = from; p < to; ++p) {
          prefetch_ahead(d, p, snapshot.class_of, snapshot.shallow_units, d.retained_bytes);
          const std::uint32_t object = d.order[p];
          const std::size_t row = row_of(snapshot, object);
          count_held(snapshot, object, d.retained_bytes[object], rows[row]);
          sweep.add(row, p);
          if (with_class_objects && class_objects.is_class_object(object))
            sweep.add(class_objects.row_of(object), p);
        }
      }));
  HF_CHECK_OK(forward_in_strides(0, snapshot.object_count(), cancel,
                                 [&](std::uint32_t from, std::uint32_t to) {
                                   for (std::uint32_t v = from; v < to; ++v)
                                     if (d.position[v] == ObjectId::kNoneValue)
                                       count_unheld(snapshot, v, rows[row_of(snapshot, v)]);
                                 }));
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row].retained_bytes = sweep.retained_bytes(row);
  return std::span<const ClassFigures>(rows);
}

Result<std::span<const ClassFigures>> class_counts(const Snapshot& snapshot,
                                                   const Reachability& reachability,
                                                   std::uint32_t holding_set, Arena& arena,
                                                   const CancelToken& cancel) noexcept {
  HF_TRY(rows,
         arena.make_filled<ClassFigures>(snapshot.catalog.classes.size() + 1, ClassFigures{}));
  HF_CHECK_OK(forward_in_strides(
      0, snapshot.object_count(), cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t v = from; v < to; ++v) {
          ClassFigures& row = rows[row_of(snapshot, v)];
          const bool held =
              (holding_set >> static_cast<unsigned>(reachability.strength[v]) & 1u) != 0;
          held ? count_held(snapshot, v, 0, row) : count_unheld(snapshot, v, row);
        }
      }));
  return std::span<const ClassFigures>(rows);
}

Result<std::span<const ClassFigures>> class_figures_of(std::span<const ClassCount> histogram,
                                                       Arena& arena) noexcept {
  HF_TRY(rows, arena.make_filled<ClassFigures>(histogram.size(), ClassFigures{}));
  for (std::size_t c = 0; c < histogram.size(); ++c) {
    rows[c].instances = histogram[c].instances;
    rows[c].shallow_bytes = histogram[c].shallow_bytes;
  }
  return std::span<const ClassFigures>(rows);
}

Result<std::span<SetFigures>> set_figures(const Snapshot& snapshot, const Dominators& d,
                                          std::span<const ClassFigures> classes,
                                          std::span<const std::uint32_t> set_of_class,
                                          std::size_t sets, Arena& arena,
                                          const CancelToken& cancel) noexcept {
  HF_TRY(rows, arena.make_filled<SetFigures>(sets, SetFigures{}));
  for (std::size_t c = 0; c < set_of_class.size(); ++c) {
    if (set_of_class[c] == kNoSet) continue;
    SetFigures& row = rows[set_of_class[c]];
    ++row.class_count;
    row.instances += classes[c].instances;
    row.shallow_bytes += classes[c].shallow_bytes;
  }
  ArenaScope scratch(arena);
  HF_TRY(sweep, SetSweep::make(d, sets, arena));
  HF_CHECK_OK(
      forward_in_strides(0, d.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t p = from; p < to; ++p) {
          const std::size_t c = row_of(snapshot, d.order[p]);
          if (c < set_of_class.size() && set_of_class[c] != kNoSet) sweep.add(set_of_class[c], p);
        }
      }));
  for (std::size_t s = 0; s < sets; ++s) rows[s].retained_bytes = sweep.retained_bytes(s);
  return rows;
}

Result<std::span<const SetFigures>> loader_figures(const Snapshot& snapshot, const Dominators& d,
                                                   std::span<const ClassFigures> classes,
                                                   Arena& arena,
                                                   const CancelToken& cancel) noexcept {
  const std::size_t loaders = snapshot.catalog.loaders.size();
  HF_TRY(loader_of_class, arena.make<std::uint32_t>(snapshot.catalog.classes.size()));
  for (std::size_t c = 0; c < loader_of_class.size(); ++c) {
    const LoaderId loader = snapshot.catalog.classes[c].loader;
    loader_of_class[c] = loader.value < loaders ? loader.value : kNoSet;
  }
  HF_TRY(rows, set_figures(snapshot, d, classes, loader_of_class, loaders, arena, cancel));
  return std::span<const SetFigures>(rows);
}

}  // namespace holdfast::analysis
