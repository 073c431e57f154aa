// Single objects of two reports side by side, known by their numbers (track=on): the same map had 10 MB and has 50.
// Why not by path: the path of classes to an object is that of a hundred others, and names none.
// Shape:  a row for every number that both reports tell of, by change of retained size, the largest first; how many more each has.
//         Numbers mean the same objects within one tracking run of one process. O(objects log objects).
// Zone:   offline.   Errors: none.
#pragma once

#include <vector>

#include "cli/compare/report_facts.h"
#include "cli/report/json_value.h"
#include "cli/report/report_view.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct ObjectChange {
  ObjectView before, after;

  std::int64_t retained_bytes() const;
};

struct ObjectChanges {
  bool told = false;      // one tracking run
  bool retained = false;  // both reports have retained sizes
  std::vector<ObjectChange> rows;
  std::vector<ObjectView>
      fresh;  // in the second alone, and named first after the first: by retained size
  std::vector<ObjectView> unlisted;  // in the first alone: collected, or too small for the second
};

ObjectChanges object_changes(const ReportView& before, const ReportView& after, bool same_process);

// Where both number objects, each for itself.
std::vector<CompareWarning> tracking_warnings(const ReportView& before, const ReportView& after);

void write_object_changes(const ObjectChanges& changes, std::size_t top, Page& page);
Json object_changes_json(const ObjectChanges& changes, std::size_t top);

}  // namespace holdfast::cli
