// States of the heap in several reports: what is unreachable, waits for finalizers and so on, before and after, or in a series.
// Shape:  a row a state that has something in one of them.   Zone: offline.   Errors: none; JSON is null where no report has states.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/compare/trend.h"
#include "cli/compare/trend_text.h"
#include "cli/text/page.h"

namespace holdfast::cli {

void write_state_changes(const ReportFacts& before, const ReportFacts& after, Page& page);
nlohmann::ordered_json state_changes_json(const ReportFacts& before, const ReportFacts& after);

void write_state_series(const ProcessTrend& trend, const TrendTextOptions& options, Page& page);
nlohmann::ordered_json state_series_json(const ProcessTrend& trend);

}  // namespace holdfast::cli
