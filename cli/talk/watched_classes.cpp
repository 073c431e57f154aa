#include "cli/talk/watched_classes.h"

#include <algorithm>

#include "analysis/name_pattern.h"

namespace holdfast::cli {
namespace {

std::int64_t difference(std::uint64_t now, std::uint64_t before) {
  return static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before);
}

bool before(WatchOrder order, const WatchedClass& a, const WatchedClass& b) {
  if (order == WatchOrder::kGrowth && a.growth_bytes != b.growth_bytes)
    return a.growth_bytes > b.growth_bytes;
  if (order == WatchOrder::kInstances && a.instances != b.instances)
    return a.instances > b.instances;
  if (a.shallow_bytes != b.shallow_bytes) return a.shallow_bytes > b.shallow_bytes;
  return a.name != b.name ? a.name < b.name : a.identity < b.identity;
}

}  // namespace

bool chosen_by(const std::string& filter, std::string_view name) {
  if (filter.empty()) return true;
  if (filter.find_first_of("*?") == std::string::npos)
    return name.find(filter) != std::string_view::npos;
  return analysis::name_matches(filter, name);
}

void WatchedClasses::move_to(WatchedClass& known, std::uint64_t instances, std::uint64_t bytes) {
  known.change_bytes = difference(bytes, known.shallow_bytes);
  known.growth_bytes = difference(bytes, known.first_bytes);
  known.instances = instances;
  known.shallow_bytes = bytes;
  known.sample = samples_;
  if (known.series.size() == kMaxSeries) known.series.erase(known.series.begin());
  known.series.push_back(bytes);
}

void WatchedClasses::add_row(const HistogramRow& row) {
  if (const auto known = classes_.find(row.identity); known != classes_.end())
    return move_to(known->second, row.instances, row.shallow_bytes);
  if (classes_.size() >= kMaxWatched) {
    ++dropped_;
    return;
  }
  WatchedClass& fresh = classes_[row.identity];
  fresh.name = row.name;
  fresh.identity = row.identity;
  const bool from_nothing = samples_ > 1 && first_was_whole_;
  fresh.first_bytes = fresh.shallow_bytes = from_nothing ? 0 : row.shallow_bytes;
  if (from_nothing) fresh.series.assign(std::min<std::size_t>(samples_ - 1, kMaxSeries - 1), 0);
  move_to(fresh, row.instances, row.shallow_bytes);
}

void WatchedClasses::add(const ClassHistogram& histogram) {
  if (histogram.reachable_only != reachable_only_) {
    classes_.clear();
    samples_ = 0;
    reachable_only_ = histogram.reachable_only;
  }
  ++samples_;
  ++taken_;
  const bool whole = histogram.rows.size() >= histogram.classes;
  if (samples_ == 1) first_was_whole_ = whole;
  for (const HistogramRow& row : histogram.rows) add_row(row);
  if (!whole) return;
  for (auto& [identity, known] : classes_)
    if (known.sample != samples_) move_to(known, 0, 0);
}

std::vector<const WatchedClass*> WatchedClasses::rows(WatchOrder order, const std::string& filter,
                                                      std::size_t top) const {
  std::vector<const WatchedClass*> rows;
  for (const auto& [identity, known] : classes_)
    if (known.sample == samples_ && chosen_by(filter, known.name)) rows.push_back(&known);
  const std::size_t count = std::min(top, rows.size());
  std::partial_sort(
      rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
      [order](const WatchedClass* a, const WatchedClass* b) { return before(order, *a, *b); });
  rows.resize(count);
  return rows;
}

}  // namespace holdfast::cli
