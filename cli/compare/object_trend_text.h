// Single objects of a trend for a person: each with its course, and what it retained first and last.
// Shape:  one table, `top` rows.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>

#include "cli/compare/object_trend.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct ObjectTrendOptions {
  std::size_t top = 0;
  std::size_t spark_columns = 0;
  bool blocks = true;  // else sparklines in ASCII
};

// Nothing where no object is known in three reports.
void write_object_trend(const ObjectTrend& trend, const ObjectTrendOptions& options, Page& page);

}  // namespace holdfast::cli
