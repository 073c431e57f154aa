// What a report lists, as flat rows for databases: JSON lines and CSV have the same rows with the same columns.
// Why who it was in every row: the rows of a thousand reports in one table must still be told apart.
// Shape:  a row is an object of plain values in the order of its columns: file, host, main, pid, started_utc_ms, kind, then the
//         columns of what is listed (export-formats.md); an unknown name is null. What the report does not list is summed in a row with
//         rest = true, so that sums over a table are sums over the heap. Sizes in bytes; what only a graph tells is null without one.
// Zone:   offline.   Errors: none.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

using Row = nlohmann::ordered_json;

enum class RowKind : unsigned char {
  kClasses,
  kObjects,
  kPackages,
  kLoaders,
  kThreads,
  kSuspects,
  kAges,
  kHolders,
  kStates
};
inline constexpr std::string_view kRowKindWords[] = {"classes", "objects", "packages",
                                                     "loaders", "threads", "suspects",
                                                     "ages",    "holders", "states"};

std::vector<std::string> row_columns(RowKind kind);
void report_rows(const ReportView& view, RowKind kind, const std::string& file,
                 const std::function<void(const Row&)>& take);

}  // namespace holdfast::cli
