// Everything that `holdfast diff` shows, as values: text and JSON are made from it.
// Shape:  points into the two views and their reports, which must live as long.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/compare/account_changes.h"
#include "cli/compare/change_selection.h"
#include "cli/compare/comparison.h"
#include "cli/compare/object_changes.h"
#include "cli/compare/report_facts.h"

namespace holdfast::cli {

struct Diff {
  ReportFacts before, after;
  Comparison comparison;
  AccountChanges accounts;
  ObjectChanges objects;
  std::vector<CompareWarning> warnings;
  ClassOrder order = ClassOrder::kShallow;
  NameFilter filter;

  std::int64_t elapsed_ms() const {
    return static_cast<std::int64_t>(after.dumped_utc_ms - before.dumped_utc_ms);
  }
  bool warned(std::string_view code) const;
};

// Without `order`: by retained size where both have a graph, else by shallow size.
Diff make_diff(const ReportView& before, const ReportView& after, const std::string& before_file,
               const std::string& after_file, std::optional<ClassOrder> order, NameFilter filter);

// What packages are sorted by: sums over classes have no retained sizes.
ClassOrder packages_order(const Diff& diff);
// What grew most, by how much, in what time: one sentence. Names in at most `columns` columns, or in full (kFullNames).
std::string diff_verdict(const Diff& diff, std::size_t columns);
// What two reports can tell and what they cannot.
std::string_view diff_meaning(const Diff& diff);

}  // namespace holdfast::cli
