#include "cli/compare/comparison.h"

#include "analysis/packages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/compare/report_facts.h"
#include "cli/compare/tree_comparison.h"
#include "cli/compare/unknown_loaders.h"
#include "cli/text/class_name.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kUnbounded = UINT64_MAX;

struct ListedRow {
  std::string_view name, loader;
  bool platform = false;
  Figures figures;
  std::uint64_t weight = 0;  // what the report's writer ranks by
};

std::string_view whole_name(std::string_view name) { return name; }

// One report's list.
struct Listing {
  std::vector<ListedRow> rows;
  RestSide rest;

  Figures at_most(bool graph) const {
    std::uint64_t least_weight = rows.empty() ? kUnbounded : rows.front().weight;
    for (const ListedRow& row : rows) least_weight = std::min(least_weight, row.weight);
    return {rest.figures.instances, std::min(least_weight, rest.figures.shallow_bytes),
            graph ? least_weight : 0};
  }
};

template <class View>
Figures figures_of(const View& row, bool graphs) {
  return {row.instances, row.shallow_bytes, graphs ? row.retained_bytes : 0};
}

template <class View>
RestSide rest_of(const View& rest, std::uint64_t total, std::size_t listed) {
  return {{rest.instances, rest.shallow_bytes, 0}, total - std::min<std::uint64_t>(total, listed)};
}

Listing class_listing(const ReportView& view, bool graphs, NameOf name_of) {
  Listing listing;
  for (const ClassView& row : view.classes) {
    listing.rows.push_back({name_of(row.name), row.loader, row.platform, figures_of(row, graphs),
                            std::max({row.retained_bytes, row.shallow_bytes, row.unheld_bytes})});
  }
  listing.rest = rest_of(view.rest_of_classes, view.classes_total, view.classes.size());
  return listing;
}

Listing set_listing(const std::vector<SetView>& sets, const SetView& rest, std::uint64_t total,
                    bool graphs) {
  Listing listing;
  for (const SetView& row : sets) {
    listing.rows.push_back({row.name,
                            {},
                            row.builtin,
                            figures_of(row, graphs),
                            std::max(row.retained_bytes, row.shallow_bytes)});
  }
  listing.rest = rest_of(rest, total, sets.size());
  return listing;
}

// For a report without packages: what its listed classes sum up to. Those that are not listed may be in any package.
Listing packages_of_classes(const ReportView& view) {
  std::map<std::string_view, Figures> sums;
  for (const ClassView& row : view.classes) {
    Figures& sum = sums[analysis::package_of(row.name)];
    sum.instances += row.instances;
    sum.shallow_bytes += row.shallow_bytes;
  }
  Listing listing;
  for (const auto& [name, sum] : sums) listing.rows.push_back({name, {}, false, sum, kUnbounded});
  listing.rest = rest_of(view.rest_of_classes, view.classes_total, view.classes.size());
  return listing;
}

using RowKey = std::pair<std::string_view, std::string_view>;

void add(Side& side, const ListedRow& row) {
  side.presence = Presence::kListed;
  side.figures.instances += row.figures.instances;
  side.figures.shallow_bytes += row.figures.shallow_bytes;
  side.figures.retained_bytes += row.figures.retained_bytes;
  ++side.definitions;
}

void mark_unlisted(Side& side, bool rest_there, const Figures& at_most) {
  if (side.presence == Presence::kListed || !rest_there) return;
  side.presence = Presence::kUnlisted;
  side.at_most = at_most;
}

ListChange matched(const Listing& before, const Listing& after, bool graphs) {
  ListChange list{{}, before.rest, after.rest};
  std::map<RowKey, std::size_t> places;
  const auto add_all = [&](const Listing& listing, Side RowChange::*side) {
    for (const ListedRow& row : listing.rows) {
      const auto [at, added] = places.try_emplace({row.name, row.loader}, list.rows.size());
      if (added) list.rows.push_back({row.name, row.loader, row.platform, {}, {}});
      add(list.rows[at->second].*side, row);
    }
  };
  add_all(before, &RowChange::before);
  add_all(after, &RowChange::after);
  const Figures most_before = before.at_most(graphs);
  const Figures most_after = after.at_most(graphs);
  for (RowChange& row : list.rows) {
    mark_unlisted(row.before, before.rest.count > 0, most_before);
    mark_unlisted(row.after, after.rest.count > 0, most_after);
  }
  return list;
}

ListChange matched_packages(const ReportView& before, const ReportView& after, bool summed,
                            bool graphs) {
  if (summed) return matched(packages_of_classes(before), packages_of_classes(after), false);
  return matched(
      set_listing(before.packages, before.rest_of_packages, before.packages_total, graphs),
      set_listing(after.packages, after.rest_of_packages, after.packages_total, graphs), graphs);
}

}  // namespace

Figures totals_of(const ReportView& view) {
  Figures sum{view.rest_of_classes.instances, view.rest_of_classes.shallow_bytes,
              view.has_retained() ? view.graph->held_bytes : 0};
  for (const ClassView& row : view.classes) {
    sum.instances += row.instances;
    sum.shallow_bytes += row.shallow_bytes;
  }
  return sum;
}

Comparison compare(const ReportView& before, const ReportView& after) {
  Comparison all;
  all.retained = before.has_retained() && after.has_retained();
  all.packages_summed = before.packages.empty() || after.packages.empty();
  all.before = totals_of(before);
  all.after = totals_of(after);
  const bool one_process = same_process(facts_of(before, {}), facts_of(after, {}));
  const NameOf name_of = one_process ? whole_name : without_run;
  all.classes = matched(class_listing(before, all.retained, name_of),
                        class_listing(after, all.retained, name_of), all.retained);
  match_unknown_loaders(all.classes, before.loaders_total > before.loaders.size(),
                        after.loaders_total > after.loaders.size());
  const bool loaders = before.loaders_have_retained() && after.loaders_have_retained();
  all.loaders = matched(
      set_listing(before.loaders, before.rest_of_loaders, before.loaders_total, loaders),
      set_listing(after.loaders, after.rest_of_loaders, after.loaders_total, loaders), loaders);
  all.packages = matched_packages(before, after, all.packages_summed, all.retained);
  if (!before.tree.empty() && !after.tree.empty()) all.tree = compare_trees(before, after, name_of);
  return all;
}

std::uint64_t figure(const Figures& figures, ClassOrder which) {
  switch (which) {
    case ClassOrder::kRetained:
      return figures.retained_bytes;
    case ClassOrder::kShallow:
      return figures.shallow_bytes;
    case ClassOrder::kInstances:
      break;
  }
  return figures.instances;
}

std::int64_t change(const Side& before, const Side& after, ClassOrder which) {
  return static_cast<std::int64_t>(figure(after.figures, which) - figure(before.figures, which));
}

std::int64_t certain_change(const Side& before, const Side& after, ClassOrder which) {
  const auto bound = [which](const Side& side) {
    const std::uint64_t most =
        side.presence == Presence::kUnlisted ? figure(side.at_most, which) : 0;
    return static_cast<std::int64_t>(std::min<std::uint64_t>(most, INT64_MAX));
  };
  const std::int64_t all = change(before, after, which);
  if (all > 0) return std::max<std::int64_t>(0, all - bound(before));
  return std::min<std::int64_t>(0, all + bound(after));
}

}  // namespace holdfast::cli
