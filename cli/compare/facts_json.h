// Reports and warnings as JSON, the same in every document that compares.
// Shape:  plain objects.   Zone: offline.   Errors: none.
#pragma once

#include <vector>

#include "cli/compare/report_facts.h"
#include "cli/report/json_value.h"

namespace holdfast::cli {

Json facts_json(const ReportFacts& facts);
Json warnings_json(const std::vector<CompareWarning>& warnings);

}  // namespace holdfast::cli
