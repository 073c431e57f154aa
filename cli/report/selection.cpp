#include "cli/report/selection.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

template <class T, class Key>
std::vector<const T*> sorted_rows(const std::vector<T>& from, Key key) {
  std::vector<const T*> rows;
  rows.reserve(from.size());
  for (const T& row : from) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{}, [&](const T* row) { return key(*row); });
  return rows;
}

std::uint64_t class_key(const ClassView& row, ClassOrder order) {
  switch (order) {
    case ClassOrder::kRetained:
      return row.retained_bytes;
    case ClassOrder::kShallow:
      return row.shallow_bytes;
    case ClassOrder::kInstances:
      break;
  }
  return row.instances;
}

void add(ClassView& sum, const ClassView& row) { add_to_rest(sum, row); }

void add(SetView& sum, const SetView& row) {
  sum.class_count += row.class_count;
  sum.instances += row.instances;
  sum.shallow_bytes += row.shallow_bytes;
  sum.retained_bytes += row.retained_bytes;
}
template <class Selection>
void cut(Selection& selection, std::uint64_t total, std::size_t top) {
  for (std::size_t i = top; i < selection.rows.size(); ++i) add(selection.rest, *selection.rows[i]);
  if (selection.rows.size() > top) selection.rows.resize(top);
  selection.rest_count = total - std::min<std::uint64_t>(total, selection.rows.size());
}

}  // namespace

void add_to_rest(ClassView& sum, const ClassView& row) {
  sum.instances += row.instances;
  sum.shallow_bytes += row.shallow_bytes;
  sum.retained_bytes += row.retained_bytes;
  sum.largest_retained_bytes = std::max(sum.largest_retained_bytes, row.largest_retained_bytes);
  sum.unheld_instances += row.unheld_instances;
  sum.unheld_bytes += row.unheld_bytes;
  sum.largest_reachable_bytes = std::max(sum.largest_reachable_bytes, row.largest_reachable_bytes);
  sum.reachable_estimated = sum.reachable_estimated || row.reachable_estimated;
}

ClassSelection select_classes(const ReportView& view, ClassOrder order, std::size_t top) {
  ClassSelection selection;
  selection.rows =
      sorted_rows(view.classes, [order](const ClassView& row) { return class_key(row, order); });
  selection.rest = view.rest_of_classes;
  cut(selection, view.classes_total, top);
  return selection;
}

SetSelection select_sets(const std::vector<SetView>& sets, const SetView& rest, std::uint64_t total,
                         bool by_retained, std::size_t top) {
  SetSelection selection;
  selection.rows = sorted_rows(sets, [by_retained](const SetView& row) {
    return by_retained ? row.retained_bytes : row.shallow_bytes;
  });
  selection.rest = rest;
  cut(selection, total, top);
  return selection;
}

std::vector<std::uint32_t> select_tree(const ReportView& view, std::size_t top) {
  auto rows = sorted_rows(view.tree, [](const TreeNodeView& node) { return node.retained_bytes; });
  std::erase_if(rows, [](const TreeNodeView* node) { return !node->shown; });
  std::vector<bool> chosen(view.tree.size());
  for (std::size_t i = 0; i < std::min(top, rows.size()); ++i) chosen[rows[i]->id] = true;
  std::vector<std::uint32_t> ids;
  for (const TreeNodeView& node :
       view.tree) {  // parents come first, so one pass also drops what hangs on a dropped node
    if (node.parent != kNoRow && !chosen[node.parent]) chosen[node.id] = false;
    if (chosen[node.id]) ids.push_back(node.id);
  }
  return ids;
}

std::vector<const ThreadView*> select_threads(const ReportView& view, std::size_t top) {
  auto rows = sorted_rows(view.threads, [](const ThreadView& row) { return row.retained_bytes; });
  if (rows.size() > top) rows.resize(top);
  return rows;
}

}  // namespace holdfast::cli
