// Single objects of a trend for programs; the keys are described in docs/reference/json-compare.md.
// Shape:  a row an object, with one value for each point of the trend.   Zone: offline.   Errors: none.
#pragma once

#include "cli/compare/object_trend.h"
#include "cli/report/json_value.h"

namespace holdfast::cli {

Json object_tracking_json(const ObjectTrend& trend);  // null: no report has numbers
Json object_row_json(const ObjectTrend& trend, const ObjectTrendRow& row);

}  // namespace holdfast::cli
