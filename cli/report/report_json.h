// A report as JSON for programs: schema_version 1, described in docs/reference/json-report.md.
// Why stable: scripts and build servers read it. Keys are only ever added within a schema version; units stand in the names.
// Shape:  one object, indented by one space; keys in a fixed order. O(report).
// Zone:   offline.   Errors: none; invalid UTF-8 becomes U+FFFD.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/selection.h"

namespace holdfast::cli {

inline constexpr int kJsonSchemaVersion = 1;

struct JsonOptions {
  std::size_t top = kAllRows;  // rows of each list
  std::optional<ClassOrder> order =
      std::nullopt;  // of classes; absent: retained size, in a simple dump shallow size
  std::vector<std::string> sections = {};  // by the names of section_list.h; none: all
  const ReportView* whole = nullptr;       // without the filter, for the verdict
};

std::string report_json(const ReportView& view, const JsonOptions& options);

}  // namespace holdfast::cli
