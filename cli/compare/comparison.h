// Two reports side by side: what became more, what less, list by list.
// Why here and not among the passes of analysis/: those work on graphs, in arenas, inside of a VM; this works on the rows of two
// reports, offline. It knows nothing of text all the same.
// Shape:  a row for every name that either report lists. O(rows log rows). Names point into the reports, which must live as long.
//         A report lists its largest rows and sums up the others, so a name that it does not list is not gone: it may be in that
//         sum. Then its figures count as 0 in its row, as a part of the sum in `rest`, and `at_most` bounds them. So always:
//         sum of the rows' changes + change of rest = change of the list's total; and compare(a, b) is compare(b, a) turned round.
//         Of two processes the classes have the names of without_run: a lambda's class has another address in each.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/report/report_view.h"
#include "cli/report/selection.h"

namespace holdfast::cli {

struct Figures {
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
};

enum class Presence : std::uint8_t { kListed, kAbsent, kUnlisted };

// What one of the reports says about a name.
struct Side {
  Presence presence = Presence::kAbsent;
  Figures figures;  // of a listed row, else 0
  Figures at_most;  // of one that is not listed: retained sizes where the report has them
  std::uint32_t definitions =
      0;  // rows of this name: classes of one name in several loaders of one name
};

struct RowChange {
  std::string_view name, loader;  // loader: of classes
  bool platform = false;
  Side before, after;

  bool fresh() const { return before.presence == Presence::kAbsent; }
  bool gone() const { return after.presence == Presence::kAbsent; }
};

// Rows that a list leaves out, and what they are together.
struct RestSide {
  Figures figures;
  std::uint64_t count = 0;
};

struct ListChange {
  std::vector<RowChange> rows;
  RestSide before, after;
};

// A node of the upper dominator trees, found by its path of labels: all nodes of one class below the same parent together.
struct PathChange {
  std::uint32_t parent = kNoRow;  // an index, or kNoRow below the GC roots
  std::string_view class_name;
  std::string_view class_object_of;  // a class object: the class that it stands for
  Side before, after;
};

struct Comparison {
  bool retained = false;  // both have them; else all retained sizes here are 0
  bool packages_summed =
      false;              // one has no packages, so those of both are sums over the listed classes
  Figures before, after;  // of everything; retained_bytes: what is held, 0 without a graph
  ListChange classes, loaders, packages;
  std::vector<PathChange> tree;  // parents first; empty where one has no tree
};

Comparison compare(const ReportView& before, const ReportView& after);

// Of all classes, listed or not; retained_bytes: what is held, where that is known.
Figures totals_of(const ReportView& view);

std::uint64_t figure(const Figures& figures, ClassOrder which);
// After less before; figures that are not known count as 0.
std::int64_t change(const Side& before, const Side& after, ClassOrder which);
// The part of that change that is certain, whatever was not listed.
std::int64_t certain_change(const Side& before, const Side& after, ClassOrder which);

}  // namespace holdfast::cli
