#include "cli/compare/change_selection.h"

#include <algorithm>

#include "analysis/name_pattern.h"

namespace holdfast::cli {
namespace {

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return analysis::name_matches(pattern, name); });
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

template <class Row>
std::pair<std::uint64_t, std::uint64_t> rank(const Row& row, ClassOrder order) {
  return {magnitude(certain_change(row.before, row.after, order)),
          magnitude(change(row.before, row.after, order))};
}

bool comes_first(const RowChange& a, const RowChange& b, ClassOrder order) {
  const auto rank_a = rank(a, order);
  const auto rank_b = rank(b, order);
  if (rank_a != rank_b) return rank_a > rank_b;
  return a.name != b.name ? a.name < b.name : a.loader < b.loader;
}

void add(RestSide& rest, const Side& side) {
  if (side.presence != Presence::kListed) return;
  rest.figures.instances += side.figures.instances;
  rest.figures.shallow_bytes += side.figures.shallow_bytes;
  rest.count += side.definitions;
}

}  // namespace

bool NameFilter::takes(std::string_view name) const {
  return (wanted.empty() || matches_any(wanted, name)) && !matches_any(skipped, name);
}

bool changed(const Side& before, const Side& after) {
  constexpr ClassOrder kAll[] = {ClassOrder::kRetained, ClassOrder::kShallow,
                                 ClassOrder::kInstances};
  return before.presence != after.presence ||
         std::ranges::any_of(kAll, [&](ClassOrder o) { return change(before, after, o) != 0; });
}

ChangeSelection select_changes(const ListChange& list, ClassOrder order, std::size_t top,
                               const NameFilter& filter) {
  ChangeSelection selection{{}, list.before, list.after};
  std::vector<const RowChange*> others;
  for (const RowChange& row : list.rows) {
    const bool taken = filter.takes(row.name);
    (taken ? selection.rows : others).push_back(&row);
    if (taken) ++(changed(row.before, row.after) ? selection.changed : selection.unchanged);
  }
  std::ranges::sort(selection.rows, [order](const RowChange* a, const RowChange* b) {
    return comes_first(*a, *b, order);
  });
  if (selection.rows.size() > top) {
    const auto cut = selection.rows.begin() + static_cast<std::ptrdiff_t>(top);
    others.insert(others.end(), cut, selection.rows.end());
    selection.rows.erase(cut, selection.rows.end());
  }
  for (const RowChange* row : others) {
    add(selection.before, row->before);
    add(selection.after, row->after);
  }
  return selection;
}

std::vector<std::uint32_t> select_paths(const std::vector<PathChange>& tree, std::size_t top) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    if (changed(tree[i].before, tree[i].after)) order.push_back(i);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t i) { return rank(tree[i], ClassOrder::kRetained); });
  std::vector<bool> chosen(tree.size());
  for (std::size_t i = 0; i < std::min(top, order.size()); ++i) chosen[order[i]] = true;
  for (auto i = static_cast<std::uint32_t>(tree.size()); i-- > 0;)
    if (chosen[i] && tree[i].parent != kNoRow) chosen[tree[i].parent] = true;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    if (chosen[i]) ids.push_back(i);
  return ids;
}

}  // namespace holdfast::cli
