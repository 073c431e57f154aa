// Which rows of a report a pattern chooses, and what may belong to them unseen.
// Shape:  a report sums up rows for which it has no room, and loses the middle of long names; the pattern may match some of them.
//         What may hide among the classes that are not listed is bounded three ways: by the sum of them all, by what their
//         packages have beside the listed ones, and by what their loaders have (two classes of one name have two loaders, and
//         the built-in ones never share a name). "P.*" is the sum of packages P and P.*, where packages are listed. O(rows).
// Zone:   offline.   Errors: none; sums stay at the largest number there is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

// A matching row: of a class, a loader or a package.
struct MatchedRow {
  std::string_view name, loader;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t largest_retained_bytes = 0;
  std::uint64_t class_count = 0;
  std::uint64_t largest_reachable_bytes = 0;  // of classes
  bool reachable_estimated = false;
};

struct HiddenSum {
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  bool any() const { return instances > 0 || shallow_bytes > 0; }
};

struct ChosenRows {
  std::vector<MatchedRow> rows;
  HiddenSum hidden;               // at most
  std::uint64_t hidden_rows = 0;  // at most
  std::string_view many;          // of what: "classes"
};

// `by_packages`: where the pattern is that of a package, the rows of packages say it all.
ChosenRows choose_classes(std::string_view pattern, const ReportView& view, bool by_packages);
ChosenRows choose_packages(std::string_view pattern, const ReportView& view);
ChosenRows choose_loaders(std::string_view pattern, const ReportView& view);
// Old objects of classes, of all that the dump saw and of samples: instances and shallow sizes of those alone. The report has them.
ChosenRows choose_aged(std::string_view pattern, const ReportView& view);
ChosenRows choose_sampled_old(std::string_view pattern, const ReportView& view);
// What classes without a row may have: none of them more than the last row, as rows come by their old bytes.
HiddenSum unlisted_sampled_old(const AgingView& aging);

// Rows of a strange report may come to more than there are numbers: a sum that began anew at 0 would hold.
inline void add_to(std::uint64_t& sum, std::uint64_t value) {
  sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
}

}  // namespace holdfast::cli
